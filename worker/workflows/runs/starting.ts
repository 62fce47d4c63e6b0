/** Begins a run in its object: what it is pinned to, its input, its key, its gate. Spec: workflows.md §6. */
import type { Json } from '../../../proto/json.ts';
import { databaseOf } from '../../context.ts';
import type { Workflow } from '../definition/tree.ts';
import type { RunStatus } from '../engine/journal.ts';
import { beginRun } from '../engine/machine.ts';
import { LARGE_TEXT, NotReady, type Wanted } from '../engine/ready-values.ts';
import { refuse } from '../engine/refuse.ts';
import { beginFork } from '../engine/resume.ts';
import type { Turn } from '../engine/turn.ts';
import { namesOf, type StartNames } from './asked-of-input.ts';
import {
  definitionOf,
  keepDefinition,
  makeReady,
  readyDefinition,
  unreadDefinition,
} from './definitions.ts';
import { copyKept } from './forking.ts';
import type { Order, RunHead } from './head.ts';
import type { SqlJournal } from './journal.ts';
import {
  dropLargeInput,
  INPUT_REF,
  type LargeInput,
  takeLargeInput,
  writeLargeInput,
} from './large-input.ts';
import { newBody } from './new-run.ts';
import type { Owner, Refusal, Started } from './object.ts';
import { keepParsed, type ParsedText, parseText } from './parsed-values.ts';
import type { Reachable } from './reachable.ts';
import { setFork } from './run-rows.ts';
import { valueName } from './run-values.ts';
import { loadSource } from './source.ts';

/** Bytes that a run takes besides its input: about. */
const RUN_BYTES = 4 * 1024;

/** What was done for a run before it begins. */
interface Beginning {
  /** Its input, where that is large and was parsed. */
  parsed?: ParsedText;
  /** The same, where it is written and is no run's yet. */
  written?: LargeInput | undefined;
}

/**
 * Begins a run, once for its id.
 * @param wantsEnd whether its end is waited for; undefined is as the workflow's trigger says
 */
export async function startRun(
  at: Reachable,
  order: Order,
  wantsEnd: boolean | undefined,
): Promise<Started> {
  const beginning: Beginning = {};
  try {
    for (;;) {
      try {
        return await started(at, order, wantsEnd, beginning);
      } catch (thrown) {
        if (!(thrown instanceof NotReady)) throw thrown;
        // Nothing of the run is kept yet but its input.
        beginning.parsed = await at.driver.computing.inTurn(parseText(order.input));
      }
    }
  } finally {
    if (beginning.written) dropLargeInput(at.driver, beginning.written);
  }
}

async function started(
  at: Reachable,
  order: Order,
  wantsEnd: boolean | undefined,
  beginning: Beginning,
): Promise<Started> {
  const { driver } = at;
  const { keeper } = driver;
  const before = knownRun(at, order);
  if (before) return before;
  const workflow = await loaded(at, order);
  if (!workflow) return { is: 'no-version' };
  const named = await namesOf(at, workflow, order, beginning.parsed);
  const { refusal } = named;
  if (refusal && !order.isRecorded) return { is: 'invalid', faults: refusal.faults };
  if (!(await hasRoom(at, order, beginning))) return { is: 'no-room' };
  const eventsAfter = refusal ? 0 : await position(at, workflow, order);
  const meanwhile = knownRun(at, order);
  if (meanwhile) return meanwhile;
  if (keeper.isClosed(order.workflow.uuid)) return { is: 'no-version' };
  const run = added(keeper, order, headOf(workflow, order, named), {
    ...{ named, eventsAfter, written: beginning.written },
  });
  if (!(await copyKept(at, run, workflow, order))) return { is: 'no-room' };
  const isAwaited = !refusal && (wantsEnd ?? isSynchronous(workflow));
  const conditions = { ...beginning, fork: order.fork, refusal, isAwaited, input: order.input };
  const status = begun(at, run, workflow, conditions);
  beginning.written = undefined;
  return { is: 'started', run: order.id, status, isAwaited, ...(refusal ? { refusal } : {}) };
}

/** Whether there is room for the run; a large input is written then. */
async function hasRoom({ driver }: Reachable, { input, fork }: Order, beginning: Beginning) {
  if (beginning.written) return driver.allowance.has(RUN_BYTES);
  if (!(await driver.allowance.has(input.length + RUN_BYTES))) return false;
  if (!fork) beginning.written = await writeLargeInput(driver, input);
  return true;
}

/** What a run is added with. */
interface Addition extends Pick<Beginning, 'written'> {
  readonly named: StartNames;
  readonly eventsAfter: number;
}

/** Adds the run; answers its number. */
function added(
  keeper: Reachable['driver']['keeper'],
  { id, input }: Order,
  head: RunHead,
  { named, eventsAfter, written }: Addition,
): number {
  const run = written?.run ?? keeper.next();
  const body = newBody(id, head, named.key, eventsAfter);
  keeper.add(run, id, head, body, written ? undefined : input);
  return run;
}

function headOf({ settings }: Workflow, order: Order, { gate, refusal }: StartNames): RunHead {
  const { orgUuid, orgId, sealedDataKey, caller, startedBy, requestId, address } = order;
  const { workflow, trigger, parent, forkedFrom, depth, chain, pins, body, author, retriedBy } =
    order;
  return {
    ...{ orgUuid, orgId, sealedDataKey, caller, startedBy, requestId, address },
    ...{ workflow, trigger, depth, pins },
    ...(author ? { author } : {}),
    ...(retriedBy ? { retriedBy } : {}),
    ...(parent ? { parent } : {}),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    ...(chain === undefined ? {} : { chain }),
    ...(order.tellsEnd ? { tellsEnd: true } : {}),
    ...(body === undefined ? {} : { body }),
    retentionMs: settings.retentionMs ?? order.retentionMs,
    ...(gate ? { gate } : {}),
    ...(refusal ? { isRefused: true } : {}),
  };
}

interface StartConditions extends Beginning {
  readonly fork: Order['fork'] | undefined;
  readonly refusal: Refusal | undefined;
  readonly isAwaited: boolean;
  readonly input: string;
}

/** The first transition of a run; answers its state then. */
function begun(
  { driver }: Reachable,
  run: number,
  workflow: Workflow,
  { fork, refusal, isAwaited, input, parsed, written }: StartConditions,
): RunStatus {
  const { keeper } = driver;
  const begin = (turn: Turn, journal: SqlJournal) => {
    const { gate } = journal.row.head;
    if (written) takeLargeInput(driver, written);
    if (fork) setFork(keeper.sql, run, fork.from);
    if (refusal) refuse(turn, refusal);
    else if (gate) journal.effect({ do: 'enter', gate: gate.name, max: gate.max });
    else if (fork) beginFork(turn, fork.from);
    else beginRun(turn);
  };
  try {
    if (isAwaited) keeper.hold(run);
    const beforehand = {
      values: new Map<Wanted, Json>(parsed ? [[written ? INPUT_REF : input, parsed.value]] : []),
      mayAsk: !fork && !parsed && input.length >= LARGE_TEXT,
    };
    const turned = keeper.turn(run, workflow, begin, isAwaited && !fork, beforehand);
    driver.after(turned);
    const { id, body } = turned.row;
    if (parsed) keepParsed(valueName(id, body.input), input.length, parsed.value);
    return turned.row.body.status;
  } catch (thrown) {
    keeper.drop(run);
    throw thrown;
  }
}

/** Whether a start waits for the end of the run, where it does not say so itself. */
function isSynchronous({ triggers }: Workflow): boolean {
  return triggers.some(
    ({ type, ...of }) => type === 'api' && 'synchronous' in of && of.synchronous,
  );
}

/** The run is there already. */
function knownRun({ driver: { keeper } }: Reachable, { id, body }: Order): Started | undefined {
  const row = keeper.find(id);
  if (!row) return undefined;
  const { requestId, body: earlier } = row.head;
  const { status } = row.body;
  return { is: 'known', run: id, status, requestId, sameBody: body === earlier };
}

/** The definition: it is read in turn where it is large, and comes from D1 where the isolate does not have it. */
async function loaded({ env, driver }: Reachable, order: Order): Promise<Workflow | undefined> {
  const { orgUuid, workflow } = order;
  const { keeper, computing } = driver;
  const unread = unreadDefinition(keeper, workflow);
  if (unread) await computing.inTurn(unread);
  const kept = definitionOf(keeper, workflow);
  if (kept) return kept;
  const source = readyDefinition(workflow)
    ? undefined
    : await loadSource(databaseOf(env), orgUuid, workflow);
  const made = source && (await makeReady(orgUuid, workflow, source));
  return keepDefinition(keeper, workflow, made);
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
