/** Failures of actions: what was thrown as one, and which of them are tried again. Spec: workflows.md §4. */
import { ERRORS, GatewayError, isErrorCode } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { Fault } from '../../language/expressions/index.ts';
import type { Action, Retry } from '../definition/tree.ts';
import type { Failure } from './journal.ts';

/** An action fails because of itself: thrown inside the engine, and caught there. */
export class ActionFault extends Error {
  readonly failure: Omit<Failure, 'action'>;

  constructor(code: string, message: string, details?: Json) {
    super(message);
    this.failure = { code, message, ...(details === undefined ? {} : { details }) };
  }
}

/** Codes that are not tried again unless they are named. */
const FINAL = new Set([
  'OUTCOME_UNKNOWN',
  'CANCELLED',
  'INVALID_INPUT',
  'NO_OPTION',
  'EXPRESSION_FAILED',
  'TASK_REJECTED',
]);
/** Statuses that say that the same would be refused again. */
const FINAL_STATUSES = new Set<number>([400, 401, 403, 404, 413, 415, 501]);
/** What `TRANSIENT` stands for, besides what depends on the failure's details. */
const TRANSIENT = new Set([
  'CONNECTION_FAILED',
  'NODE_UNAVAILABLE',
  'POOL_EXHAUSTED',
  'RATE_LIMITED',
]);
const TRANSIENT_STATUSES = new Set<Json>([408, 425, 429, 502, 503, 504]);

/**
 * What an expression, a value or the action itself threw, as a failure.
 * @throws any other error: a fault of the gateway itself
 */
export function failureOf(thrown: unknown, action: string): Failure {
  if (thrown instanceof ActionFault) return { ...thrown.failure, action };
  if (thrown instanceof Fault) {
    const message = `${thrown.message} (line ${thrown.line}, column ${thrown.column})`;
    return { code: 'EXPRESSION_FAILED', message, action };
  }
  if (thrown instanceof GatewayError) {
    const { code, message } = thrown;
    const isInput = code === 'BAD_REQUEST';
    return { code: isInput ? 'INVALID_INPUT' : code, message, action };
  }
  throw thrown;
}

/** Whether an action that failed so is tried again, as far as its attempts go. */
export function isRetried(action: Action, { on }: Retry, failure: Failure): boolean {
  const { code } = failure;
  if (on === undefined) return !isFinal(action, failure);
  if (on.has(code)) return true;
  // A write that may have happened is not made again by a name that means it only among others.
  if (code === 'OUTCOME_UNKNOWN' || code === 'CANCELLED') return false;
  return on.has('*') || (on.has('TRANSIENT') && isTransient(action, failure));
}

function isFinal({ type }: Action, { code }: Failure): boolean {
  if (FINAL.has(code)) return true;
  if (code === 'TIMED_OUT') return type === 'wait' || type === 'humanTask';
  if (code === 'REQUEST_FAILED' || !isErrorCode(code)) return false;
  return FINAL_STATUSES.has(ERRORS[code].status);
}

function isTransient(action: Action, { code, details, transient }: Failure): boolean {
  if (transient || TRANSIENT.has(code)) return true;
  if (code === 'TIMED_OUT') return action.type === 'endpoint' && action.operation === 'read';
  if (code !== 'UPSTREAM_STATUS') return false;
  const status = typeof details === 'object' && details !== null && 'status' in details;
  return status && TRANSIENT_STATUSES.has((details as { status: Json }).status);
}

/**
 * Milliseconds until the next attempt.
 * @param failures how often it failed, from 1
 * @param random from 0 to 1
 */
export function delayOf(retry: Retry, failures: number, random: number, wantedMs = 0): number {
  const exact = Math.min(retry.maxMs, retry.initialMs * retry.rate ** (failures - 1));
  const delay = retry.jitter ? exact * (1 - random / 2) : exact;
  return Math.max(Math.round(delay), wantedMs);
}
