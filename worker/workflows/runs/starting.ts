/** Begins a run in its object: what it is pinned to, its input, its key, its gate. Spec: workflows.md §6. */
import type { Kind } from '../../../kinds/index.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { type Json, parseJson } from '../../../proto/json.ts';
import { databaseOf } from '../../context.ts';
import { Budget, Fault, type Plain } from '../../language/expressions/index.ts';
import { settingsOf } from '../../settings.ts';
import type { Expr, Workflow } from '../definition/tree.ts';
import type { Run } from '../engine/journal.ts';
import { beginRun } from '../engine/machine.ts';
import { beginFork } from '../engine/resume.ts';
import { runnable, storedDefinition } from '../stored.ts';
import { definitionOf, keepDefinition } from './definitions.ts';
import { digestNow } from './digest.ts';
import type { Head, Order } from './head.ts';
import { putKept } from './kept.ts';
import type { Owner, Started, StartFault } from './object.ts';
import type { Reachable } from './reachable.ts';
import { selectDefinition, selectNamed } from './store.ts';

/** Bytes that a run takes beside its input: about. */
const RUN_BYTES = 4 * 1024;
/** Characters of a run's key that are kept. Spec silent. */
const KEY_MAX = 255;

/** Begins a run, once for its id. */
export async function startRun(at: Reachable, order: Order): Promise<Started> {
  const { driver } = at;
  const { keeper } = driver;
  const before = known(at, order);
  if (before) return before;
  const { id, input, fork, ...rest } = order;
  const workflow = definitionOf(keeper, order.workflow) ?? (await loaded(at, order));
  if (!workflow) return { is: 'no-version' };
  const value = parseJson(input);
  const faults = faultsOf(workflow, value);
  if (faults.length > 0) return { is: 'invalid', faults };
  const named = namesOf(at, workflow, value, order);
  if ('faults' in named) return { is: 'invalid', faults: named.faults };
  if (!(await driver.allowance.has(input.length + RUN_BYTES))) return { is: 'no-room' };
  const eventsAfter = await position(at, workflow, order);
  const meanwhile = known(at, order);
  if (meanwhile) return meanwhile;
  if (keeper.isClosed(order.workflow.uuid)) return { is: 'no-version' };
  const { retentionMs } = workflow.settings;
  const head: Head = {
    ...rest,
    retentionMs: retentionMs ?? order.retentionMs,
    ...(named.gate ? { gate: named.gate } : {}),
  };
  const body = newBody(id, head, named.key, eventsAfter);
  const turned = keeper.transaction(() => {
    const row = keeper.insert(id, head, body, input);
    return keeper.turnWithin(row.run, workflow, (turn) => {
      if (fork) {
        putKept(turn, fork.kept);
        keeper.addReached(row.run, fork.kept.reached);
        keeper.setFork(row.run, fork.from);
      }
      if (head.gate) {
        const { name: gate, max } = head.gate;
        keeper.enqueue(row.run, { do: 'enter', gate, max });
      } else if (fork) beginFork(turn, fork.from);
      else beginRun(turn);
    });
  });
  driver.after(head.gate ? { ...turned, hasEffects: true } : turned);
  const isAwaited = workflow.triggers.some(
    ({ type, ...of }) => type === 'api' && 'synchronous' in of && of.synchronous,
  );
  return { is: 'started', run: id, status: turned.row.body.status, isAwaited };
}

/** The run is there already. */
function known({ driver: { keeper } }: Reachable, { id, body }: Order): Started | undefined {
  const row = keeper.find(id);
  if (!row) return undefined;
  const { requestId, body: earlier } = row.head;
  const { status } = row.body;
  return { is: 'known', run: id, status, requestId, sameBody: body === earlier };
}

/** Reads the definition from D1, and keeps it. */
async function loaded({ env, driver }: Reachable, order: Order): Promise<Workflow | undefined> {
  const { orgUuid, workflow } = order;
  const db = databaseOf(env);
  const [[row], named] = await db.batch([
    selectDefinition(db, orgUuid, workflow),
    selectNamed(db, orgUuid, workflow),
  ]);
  if (!row) return undefined;
  const kinds: Record<string, Kind> = {};
  for (const { target, endpointKind } of named) if (endpointKind) kinds[target] = endpointKind;
  const definition = runnable(storedDefinition(row.definition));
  return keepDefinition(driver.keeper, workflow, { definition, kinds });
}

/** What is wrong with an input. */
export function faultsOf({ input }: Workflow, value: Json): readonly StartFault[] {
  if (!input) return [];
  try {
    return input.compiled
      .validate(value)
      .map(({ path, message }) => ({ path: path === '' ? 'body' : path, message }));
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [{ path: 'body', message: thrown.message }];
    throw thrown;
  }
}

type Names =
  | { readonly key?: string; readonly gate?: { readonly name: string; readonly max: number } }
  | { readonly faults: readonly StartFault[] };

/** The run's name, and the gate that it passes. */
function namesOf({ env }: Reachable, workflow: Workflow, input: Json, order: Order): Names {
  const { fuel, depth, output_bytes: outputBytes } = settingsOf(env).TEMPLATE_BUDGETS;
  const budget = new Budget({ fuel, depth, outputBytes }, Date.now());
  const evaluate = (expression: Expr) => expression.evaluate({ input: input as Plain }, budget);
  const { key, settings } = workflow;
  const { maxConcurrency: max, concurrencyKey } = settings;
  let at = 'key';
  try {
    const value = key && evaluate(key);
    at = 'executionSettings.concurrencyKey';
    const group = concurrencyKey && max !== undefined ? evaluate(concurrencyKey) : undefined;
    const name = digestNow(JSON.stringify(['gate', order.workflow.uuid, group ?? null]));
    return {
      ...(value === undefined || value === null ? {} : { key: textOf(value) }),
      ...(max === undefined ? {} : { gate: { name, max } }),
    };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { faults: [{ path: at, message: thrown.message }] };
  }
}

function textOf(value: Plain): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, KEY_MAX);
}

/** The newest event's place, where the workflow may wait for events. */
async function position({ env }: Reachable, workflow: Workflow, owner: Owner): Promise<number> {
  const waits = [...workflow.byId.values()].some(
    (action) => action.type === 'wait' && action.wait.mode === 'event',
  );
  if (!waits) return 0;
  const { orgUuid, orgId, sealedDataKey } = owner;
  const events = env.ORGANIZATION_EVENTS.getByName(orgUuid);
  return events.position({ orgUuid, orgId, sealedDataKey });
}

function newBody(
  id: string,
  head: Head,
  key: string | undefined,
  eventsAfter: number,
): Omit<Run, 'input'> {
  const now = Date.now();
  return {
    id,
    depth: head.depth,
    status: head.gate ? 'queued' : 'running',
    stop: undefined,
    undoing: 'no',
    undone: 0,
    notUndone: 0,
    startedAt: now,
    endedAt: 0,
    deadline: 0,
    trigger: { ...head.trigger, time: new Date(now).toISOString() },
    version: head.workflow.version,
    key,
    output: undefined,
    error: undefined,
    routed: undefined,
    eventsAfter,
    inFlight: 0,
    order: 0,
    closing: false,
    finishing: undefined,
    last: undefined,
  };
}
