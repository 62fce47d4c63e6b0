/** Begins a run in its object: what it is pinned to, its input, its key, its gate. Spec: workflows.md §6. */
import { GatewayError } from '../../../proto/errors.ts';
import { type Json, parseJson } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { databaseOf } from '../../context.ts';
import { Budget, Fault, type Plain } from '../../language/expressions/index.ts';
import { settingsOf } from '../../settings.ts';
import type { Expr, Workflow } from '../definition/tree.ts';
import type { Run, RunStatus } from '../engine/journal.ts';
import { beginRun } from '../engine/machine.ts';
import { LARGE_TEXT, NotReady } from '../engine/ready-values.ts';
import { refuse } from '../engine/refuse.ts';
import { beginFork } from '../engine/resume.ts';
import type { Turn } from '../engine/turn.ts';
import {
  definitionOf,
  keepDefinition,
  makeReady,
  readyDefinition,
  unreadDefinition,
} from './definitions.ts';
import { digestNow } from './digest.ts';
import { copyKept } from './forking.ts';
import type { Order, RunHead } from './head.ts';
import type { SqlJournal } from './journal.ts';
import type { Owner, Refusal, Started, StartFault } from './object.ts';
import { keepParsed, type ParsedText, parseText } from './parsed-values.ts';
import type { Reachable } from './reachable.ts';
import { setFork } from './run-rows.ts';
import { valueName } from './run-values.ts';
import { loadSource } from './source.ts';

/** Bytes that a run takes besides its input: about. */
const RUN_BYTES = 4 * 1024;
/** Characters of a run's key that are kept. Spec silent. */
const KEY_MAX = 255;

/**
 * Begins a run, once for its id.
 * @param wantsEnd whether its end is waited for; undefined is as the workflow's trigger says
 */
export async function startRun(
  at: Reachable,
  order: Order,
  wantsEnd: boolean | undefined,
  parsed?: ParsedText,
): Promise<Started> {
  try {
    return await started(at, order, wantsEnd, parsed);
  } catch (thrown) {
    if (!(thrown instanceof NotReady)) throw thrown;
    // Nothing of the run is kept yet.
    return startRun(at, order, wantsEnd, await at.driver.computing.inTurn(parseText(order.input)));
  }
}

async function started(
  at: Reachable,
  order: Order,
  wantsEnd: boolean | undefined,
  parsed: ParsedText | undefined,
): Promise<Started> {
  const { driver } = at;
  const { keeper } = driver;
  const before = knownRun(at, order);
  if (before) return before;
  const { id, input, fork } = order;
  const unread = unreadDefinition(keeper, order.workflow);
  if (unread) await driver.computing.inTurn(unread);
  const workflow = definitionOf(keeper, order.workflow) ?? (await loaded(at, order));
  if (!workflow) return { is: 'no-version' };
  const named = await namesOf(at, workflow, order, parsed);
  const { refusal } = named;
  if (refusal && !order.isRecorded) return { is: 'invalid', faults: refusal.faults };
  if (!(await driver.allowance.has(input.length + RUN_BYTES))) return { is: 'no-room' };
  const eventsAfter = refusal ? 0 : await position(at, workflow, order);
  const meanwhile = knownRun(at, order);
  if (meanwhile) return meanwhile;
  if (keeper.isClosed(order.workflow.uuid)) return { is: 'no-version' };
  const head = headOf(workflow, order, named);
  const run = keeper.add(id, head, newBody(id, head, named.key, eventsAfter), input);
  if (!(await copyKept(at, run, workflow, order))) return { is: 'no-room' };
  const isAwaited = !refusal && (wantsEnd ?? isSynchronous(workflow));
  const status = begun(at, run, workflow, { fork, refusal, isAwaited, input, parsed });
  return { is: 'started', run: id, status, isAwaited, ...(refusal ? { refusal } : {}) };
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

interface StartConditions {
  readonly fork: Order['fork'] | undefined;
  readonly refusal: Refusal | undefined;
  readonly isAwaited: boolean;
  readonly input: string;
  /** The input, where that is large and was parsed. */
  readonly parsed: ParsedText | undefined;
}

/** The first transition of a run; answers its state then. */
function begun(
  { driver }: Reachable,
  run: number,
  workflow: Workflow,
  { fork, refusal, isAwaited, input, parsed }: StartConditions,
): RunStatus {
  const { keeper } = driver;
  const begin = (turn: Turn, journal: SqlJournal) => {
    const { gate } = journal.row.head;
    if (fork) setFork(keeper.sql, run, fork.from);
    if (refusal) refuse(turn, refusal);
    else if (gate) journal.effect({ do: 'enter', gate: gate.name, max: gate.max });
    else if (fork) beginFork(turn, fork.from);
    else beginRun(turn);
  };
  try {
    if (isAwaited) keeper.hold(run);
    const beforehand = {
      values: new Map(parsed ? [[input, parsed.value]] : []),
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

/** Keeps the definition; reads it from D1, where the isolate does not have it. */
async function loaded({ env, driver }: Reachable, order: Order): Promise<Workflow | undefined> {
  const { orgUuid, workflow } = order;
  const source = readyDefinition(workflow)
    ? undefined
    : await loadSource(databaseOf(env), orgUuid, workflow);
  const made = source && (await makeReady(orgUuid, workflow, source));
  return keepDefinition(driver.keeper, workflow, made);
}

/** What is wrong with an input, in pieces. */
export function* inputFaults(
  { input }: Pick<Workflow, 'input'>,
  value: Json,
): Pieces<readonly StartFault[]> {
  if (!input) return [];
  try {
    const faults = yield* input.compiled.inPieces(value);
    return faults.map(({ path, message }) => ({ path: path === '' ? 'body' : path, message }));
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [{ path: 'body', message: thrown.message }];
    throw thrown;
  }
}

/** The same at once, or by turns where it takes long. */
function faultsInTurn({ computing }: Reachable['driver'], workflow: Workflow, value: Json) {
  const checking = inputFaults(workflow, value);
  const first = checking.next();
  return first.done ? first.value : computing.inTurn(checking);
}

interface StartNames {
  readonly key?: string;
  readonly gate?: { readonly name: string; readonly max: number };
  readonly refusal?: Refusal;
}

/** The run's name, and the gate that it passes; or why its input is refused. */
async function namesOf(
  { env, driver }: Reachable,
  workflow: Workflow,
  order: Order,
  parsed: ParsedText | undefined,
): Promise<StartNames> {
  if (order.refusal) return { refusal: order.refusal };
  const input = asksOfInput(workflow) ? plainInput(order.input, parsed) : null;
  const faults = await faultsInTurn(driver, workflow, input);
  if (faults.length > 0) return { refusal: { code: 'INVALID_INPUT', faults } };
  const { fuel, depth, output_bytes: outputBytes } = settingsOf(env).TEMPLATE_BUDGETS;
  const budget = new Budget({ fuel, depth, outputBytes }, Date.now());
  const evaluate = (expression: Expr) => expression.evaluate({ input: input as Plain }, budget);
  const { key: named, settings } = workflow;
  const { maxConcurrency: max, concurrencyKey } = settings;
  let at = 'key';
  try {
    const value = named && evaluate(named);
    at = 'executionSettings.concurrencyKey';
    const group = concurrencyKey && max !== undefined ? evaluate(concurrencyKey) : undefined;
    const key = value === undefined || value === null ? {} : { key: keyText(value) };
    if (max === undefined) return key;
    const name = digestNow(JSON.stringify(['gate', order.workflow.uuid, group ?? null]));
    return { ...key, gate: { name, max } };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const fault = { path: at, message: thrown.message };
    return { refusal: { code: 'EXPRESSION_FAILED', faults: [fault] } };
  } finally {
    driver.computing.spent(fuel - budget.fuel);
  }
}

/** @throws NotReady of a large one that was not parsed */
function plainInput(input: string, parsed: ParsedText | undefined): Json {
  if (parsed) return parsed.plain;
  if (input.length >= LARGE_TEXT) throw new NotReady(input);
  return parseJson(input);
}

/** Whether a start asks something of the input, which may be large. */
function asksOfInput({ input, key, settings: { concurrencyKey } }: Workflow): boolean {
  return input !== undefined || key !== undefined || concurrencyKey !== undefined;
}

function keyText(value: Plain): string {
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
  head: RunHead,
  key: string | undefined,
  eventsAfter: number,
): Omit<Run, 'input'> {
  const now = Date.now();
  const { told, ...trigger } = head.trigger;
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
    trigger: { time: new Date(now).toISOString(), ...trigger, ...told },
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
