/** The state of the triggers of a workflow, and what one would make of a sample. Spec: workflows.md §5. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { hintFor } from '../../../proto/near-name.ts';
import { truncated } from '../../../proto/truncate.ts';
import type { Context } from '../../context.ts';
import { changeStatesOf } from '../../data-changes/tell.ts';
import { patternOf } from '../../events/pattern.ts';
import { costly, inPieces } from '../../limits/heavy-work.ts';
import type { JsonBytes } from '../../outcome.ts';
import { isoTime } from '../../shapes/iso-time.ts';
import { versionNotFound, type Workflow } from '../access.ts';
import type { Workflow as Definition } from '../definition/tree.ts';
import type { Trigger } from '../definition/trigger-tree.ts';
import { inputFaults } from '../runs/asked-of-input.ts';
import { loadDefinition } from '../runs/source.ts';
import { inputOf } from '../triggers/input.ts';
import { budgetOf } from '../triggers/start.ts';
import type { TriggerState } from '../triggers/state.ts';
import { written } from './show.ts';
import { invalid } from './start.ts';
import { selectLastCall } from './store.ts';

/** What reports the state of triggers of a type, for a workflow by its UUID. */
type Teller = (ctx: Context, workflow: string) => Promise<readonly TriggerState[]>;

/** By type, the objects that own them; of those that nobody owns, what is known of their runs. */
const TELLERS: Readonly<Record<Trigger['type'], readonly Teller[]>> = {
  api: [deliveryStates, callStates],
  webhook: [deliveryStates],
  event: [
    ({ env, caller }, workflow) =>
      env.ORGANIZATION_EVENTS.getByName(caller.orgUuid).triggerStates(workflow),
  ],
  schedule: [
    ({ env, caller }, workflow) =>
      env.WORKFLOW_SCHEDULES.getByName(caller.orgUuid).scheduleStates(workflow),
  ],
  dataChange: [({ env, caller }, workflow) => changeStatesOf(env, caller.orgUuid, workflow)],
};

function deliveryStates({ env, caller }: Context, workflow: string) {
  return env.WEBHOOK_DELIVERIES.getByName(caller.orgUuid).stateOf(workflow);
}

/** Starts by callers are of no trigger; they are told for the first one that takes them. */
async function callStates({ db, caller }: Context, workflow: string): Promise<TriggerState[]> {
  const [row] = await selectLastCall(db, caller.orgUuid, workflow);
  const last = row?.last ?? undefined;
  return last === undefined ? [] : [{ index: CALLS, state: 'active', last }];
}

/** Stands for the index of a trigger that callers use. */
const CALLS = -1;

/** Every trigger of the version in force. @throws GatewayError WORKFLOW_NOT_FOUND when that is gone since it was looked up */
export async function listTriggers(ctx: Context, workflow: Workflow): Promise<Json> {
  const { triggers } = await definitionOf(ctx, workflow);
  const tellers = new Set(triggers.flatMap(({ type }) => TELLERS[type]));
  const known = await Promise.all([...tellers].map((tell) => tell(ctx, workflow.row.uuid)));
  const states = new Map(known.flat().map((each) => [each.index, each]));
  return {
    triggers: triggers.map((trigger) => {
      const isCalled = trigger.type === 'api' && trigger.required;
      const state = states.get(isCalled ? CALLS : trigger.index);
      return toldOf(trigger, state, workflow.row.status === 'paused');
    }),
  };
}

function toldOf(
  { index, type }: Trigger,
  { state = 'active', last, next, error }: Partial<TriggerState> = {},
  isPaused: boolean,
): JsonObject {
  return {
    index,
    type,
    state: isPaused ? 'paused' : state,
    ...(last === undefined ? {} : { last: isoTime(last) }),
    ...(next === undefined || isPaused ? {} : { next: isoTime(next) }),
    ...(error === undefined ? {} : { error: { ...error } }),
  };
}

/**
 * What filter and mapping make of a sample, and what is wrong with that; nothing starts.
 * @throws GatewayError NOT_FOUND, BAD_REQUEST, WORKFLOW_NOT_FOUND when the version is gone since it was looked up
 */
export async function testTrigger(
  ctx: Context,
  workflow: Workflow,
  named: string,
  sample: JsonObject,
): Promise<JsonBytes> {
  const definition = await definitionOf(ctx, workflow);
  const trigger = definition.triggers.find(({ index }) => String(index) === named);
  if (!trigger) {
    throw new GatewayError('NOT_FOUND', `Workflow ${workflow.row.id} has no trigger ${named}`);
  }
  if (trigger.type === 'webhook') checkDelivery(sample);
  if (!fits(trigger, sample)) return written({ matches: false, faults: [] });
  const root = trigger.type === 'webhook' ? deliveryOf(sample) : sample;
  const made = await costly(ctx, () => inputOf(trigger, root, budgetOf(ctx.env)));
  const { matches, input, faults } = made;
  const wrong = input === undefined ? [] : await inPieces(ctx, inputFaults(definition, input));
  const all = [...faults, ...wrong].map(({ path, message }) => ({ path, message }));
  return written({ matches, ...(input === undefined ? {} : { input }), faults: all });
}

/** Whether the trigger listens to such a thing at all; what the sample leaves out is as it should be. */
function fits(trigger: Trigger, sample: JsonObject): boolean {
  if (trigger.type === 'event') {
    const { source, event } = sample;
    return (
      (source === undefined || source === trigger.source) &&
      (event === undefined || (typeof event === 'string' && patternOf(trigger.event)(event)))
    );
  }
  if (trigger.type !== 'dataChange') return true;
  const { operation } = sample;
  return operation === undefined || [...trigger.operations].some((each) => each === operation);
}

/** @throws GatewayError BAD_REQUEST for members that a delivery does not have: the body alone is no sample of it */
function checkDelivery(sample: JsonObject): void {
  const names = Object.keys(sample);
  const faults = names
    .filter((name) => !DELIVERY.includes(name))
    .slice(0, FAULTS_MAX)
    .map((name) => {
      const shown = truncated(name, NAME_SHOWN);
      const hint = hintFor(shown, DELIVERY, { isTaken: (each) => names.includes(each) });
      return { path: shown, message: `is no member of a delivery; ${hint}` };
    });
  if (faults.length > 0) throw invalid(faults);
}

const DELIVERY = ['body', 'headers', 'query'];
/** Wrong names that are told, and characters of one. Spec silent. */
const FAULTS_MAX = 100;
const NAME_SHOWN = 100;

/** A delivery as it would come: with all its members, and headers in lower case. */
function deliveryOf({ body = null, headers = {}, query = {} }: JsonObject): JsonObject {
  const all = isJsonObject(headers) ? Object.entries(headers) : [];
  const lower = all.map(([name, value]) => [name.toLowerCase(), value] as const);
  return { body, headers: Object.fromEntries(lower), query };
}

/** The version in force. */
async function definitionOf({ db, caller }: Context, { row }: Workflow): Promise<Definition> {
  const definition = await loadDefinition(db, caller.orgUuid, row);
  if (!definition) throw versionNotFound(row.id, row.version);
  return definition;
}
