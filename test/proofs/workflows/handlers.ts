/** Random error handlers: retries, fallbacks, routes, escalations, by default and by id. Spec: workflows.md §4. */
import type { Maker } from './generate.ts';
import {
  type Definition,
  listOf,
  type Written,
  type WrittenHandler,
  type WrittenRetry,
} from './written.ts';

const NOTHING = { ids: [], loops: [], hasError: true };

/** Gives a definition an `errorHandler`, more often than not. */
export function addHandlers(maker: Maker, definition: Definition, isGraph: boolean): void {
  const { choices } = maker;
  const tops = definition.actions.map(({ id }) => id);
  const byDefault = choices.chance(0.6) ? handler(maker, isGraph ? [] : tops.slice(1)) : undefined;
  const named = definition.actions.flatMap((top, index) => {
    const later = isGraph ? [] : tops.slice(index + 1);
    const chosen = allOf(top).filter(() => choices.chance(0.3));
    return chosen.map((found) => [found.action.id, handlerById(maker, found, later)] as const);
  });
  const actions = Object.fromEntries(named);
  const hasNamed = Object.keys(actions).length > 0;
  if (!byDefault && !hasNamed) return;
  definition.errorHandler = {
    ...(byDefault ? { default: byDefault } : {}),
    ...(hasNamed ? { actions } : {}),
  };
}

/** What is under an action's id. */
function handlerById(maker: Maker, { isUndo }: Found, later: readonly string[]): WrittenHandler {
  if (isUndo) return { retry: retryOf(maker) };
  const own = handler(maker, later);
  return maker.choices.chance(0.2) ? { ...own, retry: null } : own;
}

/** @param targets where a route may lead */
function handler(maker: Maker, targets: readonly string[]): WrittenHandler {
  const { choices } = maker;
  const made: WrittenHandler = {};
  if (choices.chance(0.6)) made.retry = retryOf(maker);
  if (!maker.isFull && choices.chance(0.25)) {
    const isWait = choices.chance(0.2);
    const id = maker.id();
    made.fallback = isWait
      ? { id, type: 'wait', mode: 'duration', duration: maker.duration(10) }
      : maker.call(id, NOTHING, choices.pick(['template', 'endpoint']));
  }
  const target = choices.pickAny(targets);
  if (target !== undefined && choices.chance(0.25)) made.action = target;
  if (choices.chance(0.25)) made.escalation = escalationOf(maker);
  return made;
}

function escalationOf(maker: Maker): NonNullable<WrittenHandler['escalation']> {
  const { choices } = maker;
  const threshold = choices.chance(0.5) ? { threshold: choices.pick([1, 2, 3]) } : {};
  const notification = { text: '$.error.code' };
  if (maker.isFull || choices.chance(0.6)) return { ...threshold, notification };
  const id = maker.id();
  return {
    ...threshold,
    incident: { id, type: 'template', template: 't', input: { v: '$.error.code' } },
  };
}

function retryOf({ choices }: Maker): WrittenRetry {
  const codes = () =>
    choices
      .shuffled([
        'CONNECTION_FAILED',
        'TRANSIENT',
        '*',
        'OUTCOME_UNKNOWN',
        'TIMED_OUT',
        'FORBIDDEN',
        'TASK_REJECTED',
      ])
      .slice(0, 2);
  const rate = choices.pick(['backoffRate', 'multiplier'] as const);
  const named = choices.pick(['retryableErrors', 'retryOnErrors'] as const);
  return {
    maxAttempts: choices.pick([1, 2, 3, 4]),
    ...(choices.chance(0.7)
      ? { initialInterval: Number((choices.next() * 5 + 0.1).toFixed(3)) }
      : {}),
    ...(choices.chance(0.5) ? { [rate]: choices.pick([1, 1.5, 3]) } : {}),
    ...(choices.chance(0.3) ? { maxInterval: 7.003 } : {}),
    ...(choices.chance(0.3) ? { jitter: true } : {}),
    ...(choices.chance(0.4) ? { [named]: codes() } : {}),
  };
}

interface Found {
  readonly action: Written;
  readonly isUndo: boolean;
}

/** An action and all inside it. */
function allOf(action: Written, isUndo = false): Found[] {
  const inside = [
    ...(action.branches ?? []).flatMap((branch) => [...listOf(branch)]),
    ...(action.action ? listOf(action.action) : []),
    ...Object.values(action.selection?.options ?? {}),
  ];
  const undo = action.compensation ? allOf(action.compensation, true) : [];
  return [{ action, isUndo }, ...inside.flatMap((each) => allOf(each, isUndo)), ...undo];
}
