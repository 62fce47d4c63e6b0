/** What a caller is told when the connection under a call was lost. */
import type { Mode } from '../../proto/driver.ts';
import { GatewayError, outcomeUnknown } from '../../proto/errors.ts';

/** The connection ended, with or without a word of the server. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** What the server sent breaks its own protocol: nothing that comes after can be believed. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Whether a failure is, or results from, a reply that cannot be read. */
export function isUnreadable(failure: unknown): boolean {
  if (!(failure instanceof Error)) return false;
  return failure instanceof Unreadable || isUnreadable(failure.cause);
}

/** Where the loss of a connection left a call. */
export interface Circumstances {
  readonly mode: Mode;
  /** A change was sent to be kept and its end is not known. */
  readonly uncertain: boolean;
  readonly signal: AbortSignal;
  /** Of what the call has sent a part may be kept by now. */
  readonly mayKeep?: boolean;
}

/** A statement that was stopped, and of which a part may be kept. @param isLate because of its call's deadline */
export function stoppedInside(cause: unknown, isLate: boolean): GatewayError {
  if (isLate) return outcomeUnknown(cause, true);
  const message = 'The database stopped the request: a part of it may have taken effect';
  return new GatewayError('OUTCOME_UNKNOWN', message, { cause });
}

/** Contract §2: lost, timed out or outcome unknown. */
export function fromLoss(
  cause: unknown,
  { mode, uncertain, signal, mayKeep = false }: Circumstances,
): unknown {
  if (mode === 'write' && (uncertain || mayKeep)) {
    return outcomeUnknown(cause, signal.aborted);
  }
  if (signal.aborted) return signal.reason;
  const what = isUnreadable(cause)
    ? 'The database sent a reply that cannot be read'
    : 'The connection to the database was lost';
  const message = mode === 'write' ? `${what}; nothing was changed` : what;
  return new GatewayError('CONNECTION_FAILED', message, { cause });
}
