/** Whether a server answers at all: told apart from one that takes long. */
import { GatewayError } from '../../proto/errors.ts';

/** Milliseconds until a server has answered what it is tried with. Spec silent. */
const ANSWERED_MS = 10_000;

/**
 * A trial of a server: where no answer comes, the server is not there for us, whatever time its caller had.
 * @throws GatewayError CONNECTION_FAILED after ten seconds, and what `trial` throws
 */
export async function reached<Value>(
  { protocol }: URL,
  signal: AbortSignal,
  trial: (limited: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const late = AbortSignal.timeout(ANSWERED_MS);
  try {
    return await trial(AbortSignal.any([signal, late]));
  } catch (cause) {
    const isLate = late.aborted && !signal.aborted;
    const isTold = cause instanceof GatewayError && cause.code !== 'TIMED_OUT';
    if (!isLate || isTold) throw cause;
    const tls = protocol === 'https:' ? ': it may not speak TLS on this port' : '';
    throw new GatewayError('CONNECTION_FAILED', `The server did not answer in time${tls}`, {
      cause,
    });
  }
}
