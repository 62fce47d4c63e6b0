/** What a request that the runtime's `fetch` could not carry out stands for. */
import { GatewayError } from '../../../proto/errors.ts';
import { Lost } from './driver.ts';

/**
 * What the runtime's failure of a request, or of reading its reply, stands for. It says nothing
 * but whether a connection was made: a name that does not resolve, TLS that fails and an address
 * that the network refuses look alike; so do a refused connection and a lost one, except for those
 * that `demandPresent` saw before.
 */
export function networkFailure(cause: unknown, signal: AbortSignal): GatewayError {
  if (cause instanceof GatewayError && !signal.aborted) return cause;
  if (signal.aborted)
    return new Lost('TIMED_OUT', 'The deadline passed before the backend answered', { cause });
  // A guess, only for the message: it proves nothing about what was sent.
  const isHidden = cause instanceof Error && cause.message.startsWith('internal error');
  const message = isHidden
    ? 'The backend cannot be reached: its name, its certificate or its address is not as it must be'
    : 'The connection to the backend failed';
  return new Lost('CONNECTION_FAILED', message, { cause });
}
