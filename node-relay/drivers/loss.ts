/** What a caller is told when the connection under a call was lost. */
import type { Mode } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';

/** The connection ended, with or without a word of the server. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Where the loss of a connection left a call. */
export interface Circumstances {
  readonly mode: Mode;
  /** A change was sent to be kept and its end is not known. */
  readonly uncertain: boolean;
  readonly signal: AbortSignal;
}

/** Contract §2: lost, timed out or outcome unknown. */
export function fromLoss(cause: unknown, { mode, uncertain, signal }: Circumstances): unknown {
  if (mode === 'write' && uncertain) {
    return new GatewayError('OUTCOME_UNKNOWN', 'The connection was lost after the write was sent', {
      cause,
    });
  }
  if (signal.aborted) return signal.reason;
  const message =
    mode === 'write'
      ? 'The connection to the database was lost; nothing was changed'
      : 'The connection to the database was lost';
  return new GatewayError('CONNECTION_FAILED', message, { cause });
}
