/** Starts a run for what came by itself: an event, a delivery, a tick, a change, or somebody without a token. Spec: workflows.md §5; contract §9. */
import type { Json, JsonObject } from '../../../proto/json.ts';
import { writtenText } from '../../../proto/written-json.ts';
import type { Bindings } from '../../context.ts';
import type { TriggerType } from '../../db/workflows.ts';
import { Budget } from '../../language/expressions/index.ts';
import { Meter } from '../../limits/meter.ts';
import { settingsOf } from '../../settings.ts';
import type { RunStatus } from '../engine/journal.ts';
import { digestNow } from '../runs/digest.ts';
import type { Order, WorkflowVersion } from '../runs/head.ts';
import { uuidOf } from '../runs/names.ts';
import type { Owner, Refusal, Started, StartFault } from '../runs/object.ts';
import { LARGE, pinned, textOfOrder } from '../runs/order.ts';
import { runsObject } from '../runs/reachable.ts';
import { recordStart } from '../runs/record-start.ts';
import { type Authored, authored } from './authored.ts';
import { inputOf } from './input.ts';

/** Runs that led to one another, the last of which fires no trigger. Spec: workflows.md §5, "Our own events". */
export const CHAIN_MAX = 16;

/** What came. */
export interface Occurrence {
  /** The version in force; the owner of the trigger knows that the workflow is active. */
  readonly workflow: WorkflowVersion;
  /** Of the trigger in its definition. */
  readonly index: number;
  readonly type: TriggerType;
  /** Our own receipt of it: the run's id follows from workflow, index and this, so that a repeat finds the run. */
  readonly id: string;
  /** What the run's record shows as the id of what started it, as far as that has 255 characters; left out it is `id`. */
  readonly name?: string;
  /** `$` of filter and mapping. */
  readonly root: Json;
  /** What `$.trigger` shows besides `type`, `id` and `time`: `{event: …}` and so on, without its body. */
  readonly told: JsonObject;
  /** Runs that led to it, the new one counted: 1, or one more than that of the run that caused it. */
  readonly chain: number;
  readonly requestId: string;
  readonly address: string;
  /** Whether the answer is to be that of the run's end, which is waited for as long as a caller's start waits. */
  readonly awaitsEnd?: boolean;
  /** Whether the owner of schedules is told when the run has ended. */
  readonly tellsEnd?: boolean;
}

/** What became of it. A fault is recorded as a failed run, except for a `webhook` or `api`, whose sender is told. */
export type Fired =
  | { readonly is: 'filtered' }
  | {
      readonly is: 'started' | 'known';
      readonly run: string;
      readonly status: RunStatus;
      /** As the object of the run answers it; only where its end was waited for and has come. */
      readonly record?: string;
    }
  | {
      readonly is: 'failed';
      readonly code: Refusal['code'];
      readonly faults: readonly StartFault[];
      /** Where it is recorded. */
      readonly run?: string;
    }
  /** It would be a run more than may lead to one another. */
  | { readonly is: 'too-deep' }
  /** The organization's storage is used up: nothing is recorded, and it may be tried again. */
  | { readonly is: 'no-room' }
  /** The workflow or the version is no more. */
  | { readonly is: 'gone' };

/** From where it is fired. */
export interface Firing {
  readonly env: Bindings;
  /** Lets work go on in the background. */
  later(work: Promise<unknown>): void;
}

/**
 * Evaluates filter and mapping when it is the organization's turn, and starts the run once; with the
 * rights of the author of the version. Usually this takes no trip to D1.
 * @throws what may be tried again: D1 or an object that cannot be reached; GatewayError SERVICE_UNAVAILABLE
 * of a `webhook` or `api`, where too much of the organization waits to be computed
 */
export async function fire(at: Firing, owner: Owner, occurrence: Occurrence): Promise<Fired> {
  const id = runIdOf(owner, occurrence);
  const { workflow, index, type, root } = occurrence;
  const by = await authored(at, owner, occurrence, id);
  const trigger = by?.workflow.triggers.find((each) => each.index === index);
  if (by === undefined || trigger?.type !== type) return { is: 'gone' };
  const isRecorded = type !== 'webhook' && type !== 'api';
  const budget = budgetOf(at.env);
  // What comes by itself comes again at once where it is refused: it waits instead.
  const meter = new Meter(by.ctx, budget);
  const made = await meter.compute(() => inputOf(trigger, root, budget), isRecorded);
  if (!made.matches && made.faults.length === 0) return { is: 'filtered' };
  if (occurrence.chain > CHAIN_MAX) return { is: 'too-deep' };
  const refusal = refusalOf(made);
  if (refusal && !isRecorded) return { is: 'failed', ...refusal };
  const order: Order = {
    ...owner,
    ...{ id, workflow, caller: by.caller, startedBy: by.username },
    ...(by.author ? { author: by.author } : {}),
    input: writtenText(made.input ?? null),
    trigger: { type, index, id: shownAs(occurrence), told: occurrence.told },
    depth: 1,
    chain: occurrence.chain,
    ...(await pinned(by.ctx, workflow)),
    requestId: occurrence.requestId,
    address: occurrence.address,
    isRecorded,
    ...(occurrence.tellsEnd ? { tellsEnd: true } : {}),
    ...(refusal ? { refusal } : {}),
  };
  const text = sendable(order);
  if (text === undefined) return { is: 'failed', ...TOO_LARGE };
  const object = runsObject(at.env, owner.orgUuid, id);
  const awaits = occurrence.awaitsEnd === true && refusal === undefined;
  return firedBy(by, order, await object.start(owner, text, awaits));
}

/** Characters of what a record and the index of runs show as the id of what started a run. Spec silent. */
const NAME_MAX = 255;

/** What came may have a name as long as a body: an index row has no room for that, and would hold back all that are written with it. */
function shownAs({ name, id }: Occurrence): string {
  return (name ?? id).slice(0, NAME_MAX).toWellFormed();
}

const TOO_LARGE: Refusal = { code: 'INVALID_INPUT', faults: [{ path: 'input', message: LARGE }] };

/** An order as its object takes it; one too large would fail for ever: its run is refused, or nothing is sent where that is not recorded. */
function sendable(order: Order): string | undefined {
  const text = textOfOrder(order);
  if (text !== undefined || !order.isRecorded) return text;
  return JSON.stringify({ ...order, input: 'null', refusal: TOO_LARGE });
}

function firedBy({ ctx }: Authored, order: Order, started: Started): Fired {
  if (started.is === 'no-version') return { is: 'gone' };
  if (started.is === 'no-room') return { is: 'no-room' };
  if (started.is === 'invalid')
    return { is: 'failed', code: 'INVALID_INPUT', faults: started.faults };
  const { run, status } = started;
  if (started.is === 'known') return { is: 'known', run, status };
  recordStart(ctx, order);
  const { record, refusal } = started;
  if (refusal) return { is: 'failed', run, ...refusal };
  return { is: 'started', run, status, ...(record === undefined ? {} : { record }) };
}

/** The run's id, whether it is there or not. */
export function runIdOf({ orgUuid }: Owner, { workflow, index, type, id }: Occurrence): string {
  const digest = digestNow(JSON.stringify(['trigger', orgUuid, workflow.uuid, type, index, id]));
  const pairs = digest.match(/../g) ?? [];
  return uuidOf(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
}

/** What one filter and one mapping may take together. */
export function budgetOf(env: Bindings): Budget {
  const { fuel, depth, output_bytes: outputBytes } = settingsOf(env).TEMPLATE_BUDGETS;
  return new Budget({ fuel, depth, outputBytes }, Date.now());
}

function refusalOf({ matches, faults }: ReturnType<typeof inputOf>): Refusal | undefined {
  if (faults.length === 0) return undefined;
  return { code: matches ? 'INVALID_INPUT' : 'EXPRESSION_FAILED', faults };
}
