/** What happens when a rule fails. Contract §8, `onError`. */
import type { Json } from '../../../proto/json.ts';
import type { Execution } from './execution.ts';
import { cut, endOfRun, type Reason, reasonsOf } from './failure.ts';
import type { Members } from './report.ts';

const ACTIONS = ['default', 'skip', 'fail'] as const;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** An `onError` that was read. */
export interface OnError {
  readonly action: (typeof ACTIONS)[number];
  /** Of `default`. */
  readonly value: Json;
  readonly logLevel: string | undefined;
  readonly message: string | undefined;
}

/** Without `onError` a rule that fails ends the run with 400. */
export const FAILS: OnError = {
  action: 'fail',
  value: null,
  logLevel: undefined,
  message: undefined,
};

/** Reads `onError` of a rule; `FAILS` without one. @param hasTarget whether there is a place for a default */
export function onErrorOf(rule: Members, hasTarget: boolean): OnError {
  const members = rule.members('onError');
  if (members === undefined) return FAILS;
  members.refuseOthers(['action', 'value', 'logLevel', 'message'], 'onError');
  const action = oneOf(members, 'action', ACTIONS);
  if (!members.has('action')) members.fault('action', `is required: ${ACTIONS.join(', ')}`);
  if (action === 'default' && !members.has('value')) {
    members.fault('value', 'is required: what `default` puts');
  }
  if (action === 'default' && !hasTarget) {
    members.fault('action', 'cannot be default: there is no single target for its value');
  }
  if (action !== undefined && action !== 'default' && members.has('value')) {
    members.fault('value', 'is of the action default alone');
  }
  return {
    action: action ?? 'fail',
    value: members.get('value') ?? null,
    logLevel: oneOf(members, 'logLevel', LEVELS),
    message: members.text('message'),
  };
}

function oneOf<Word extends string>(
  members: Members,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = members.get(name);
  if (value === undefined) return undefined;
  const word = words.find((each) => each === value);
  return word ?? members.fault(name, `must be one of ${words.join(', ')}`);
}

/** What a rule leaves when it failed. */
type Decision = { readonly value: Json } | 'skip' | readonly Reason[];

/**
 * Decides what becomes of a rule that threw.
 * @throws what ends the whole run: budgets, and faults that are not of rules
 */
export function decide(onError: OnError, error: unknown): Decision {
  const end = endOfRun(error);
  if (end !== undefined) throw end;
  if (onError.action === 'default') return { value: onError.value };
  if (onError.action === 'skip') return 'skip';
  const reasons = reasonsOf(error);
  if (onError.message === undefined) return reasons;
  return [{ ...reasons[0], message: cut(onError.message), isAuthored: true }];
}

/** Words on which elements were at hand, for faults within loops. */
export function placed(reasons: readonly Reason[], x: Execution, level: number): readonly Reason[] {
  if (level === 0) return reasons;
  const where = x.trail.slice(0, level).join(', ');
  return reasons.map((each) =>
    each.isAuthored ? each : { ...each, message: `${each.message} (at element ${where})` },
  );
}
