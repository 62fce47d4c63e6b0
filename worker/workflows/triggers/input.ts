/** The input that a trigger makes of what came: its filter and its mapping. Spec: workflows.md §5. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { type Budget, Fault } from '../../language/expressions/index.ts';
import type { Root } from '../definition/tree.ts';
import type { Trigger } from '../definition/trigger-tree.ts';
import { isTruthy } from '../engine/ending.ts';
import type { StartFault } from '../runs/object.ts';

/** What filter and mapping make. */
interface TriggerInput {
  /** Whether a run starts; false too where the filter throws. */
  readonly matches: boolean;
  /** Absent where nothing matches, and where something throws. */
  readonly input?: Json;
  /** What threw. Paths are those of the definition, as `trigger.0.filter`. */
  readonly faults: readonly StartFault[];
}

/**
 * Evaluates the filter and the mapping of a trigger; starts nothing.
 * @param root `$`: the event, delivery or change; of a schedule an object with `trigger`; of a start by anyone the input
 */
export function inputOf(trigger: Trigger, root: Json, budget: Budget): TriggerInput {
  const where = { at: 'trigger' };
  try {
    return made(trigger, root, budget, where);
  } catch (thrown) {
    return { matches: false, faults: [faultOf(thrown, where.at)] };
  }
}

function made(trigger: Trigger, root: Json, budget: Budget, where: { at: string }): TriggerInput {
  const scope = root as unknown as Root; // JSON is what expressions read.
  const { filter, value } = partsOf(trigger);
  where.at = filter?.where ?? where.at;
  if (filter && !isTruthy(filter.evaluate(scope, budget))) return { matches: false, faults: [] };
  if (!value) return { matches: true, input: inputWithout(trigger, root), faults: [] };
  where.at = value.where;
  const input = value.evaluate(scope, budget);
  if (input !== undefined) return { matches: true, input: input as Json, faults: [] }; // Plain is JSON.
  return { matches: true, faults: [{ path: value.where, message: 'has no value' }] };
}

function partsOf(trigger: Trigger) {
  if (trigger.type === 'api') return { filter: undefined, value: undefined };
  if (trigger.type === 'schedule') return { filter: undefined, value: trigger.input };
  return { filter: trigger.filter, value: trigger.mapping };
}

/** The input where no mapping makes it. */
function inputWithout({ type }: Trigger, root: Json): Json {
  if (type === 'schedule') return {};
  const member = { api: undefined, dataChange: undefined, event: 'data', webhook: 'body' }[type];
  if (member === undefined) return root;
  return (isJsonObject(root) ? root[member] : undefined) ?? null;
}

/** @throws what is no fault of the definition */
function faultOf(thrown: unknown, path: string): StartFault {
  if (thrown instanceof Fault) {
    const message = `${thrown.message} (line ${thrown.line}, column ${thrown.column})`;
    return { path, message };
  }
  if (thrown instanceof GatewayError) return { path, message: thrown.message };
  throw thrown;
}
