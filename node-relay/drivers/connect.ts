/** Connects to a server: within its time, and by the way that worked before. */
import { GatewayError } from '../../proto/errors.ts';

/** How a server was last reached, so that the next connection begins with that. */
export interface Route<Encryption> {
  encryption?: Encryption;
}

/**
 * Connects within a time.
 * @param failure maps an error that is neither the signal's nor the timeout to the caller's
 * @throws GatewayError the signal's reason, CONNECTION_FAILED after `timeoutMs` milliseconds, what `failure` answers
 */
export async function connectWithin<Connection>(
  timeoutMs: number,
  signal: AbortSignal,
  connect: (limited: AbortSignal) => Promise<Connection>,
  failure: (cause: unknown) => GatewayError,
): Promise<Connection> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await connect(limited);
  } catch (cause) {
    signal.throwIfAborted();
    // One that says what the time ran out for says more.
    if (limited.aborted && !(cause instanceof GatewayError && cause !== limited.reason)) {
      throw new GatewayError('CONNECTION_FAILED', 'The server did not answer in time', { cause });
    }
    throw failure(cause);
  }
}

/**
 * Tries the way that worked before, or else each in its order.
 * @param mayDiffer whether another way may come through where one failed with this error
 */
export async function connectByRoute<Encryption, Connection>(
  route: Route<Encryption>,
  encryptions: readonly Encryption[],
  signal: AbortSignal,
  logIn: (encryption: Encryption) => Promise<Connection>,
  mayDiffer: (error: unknown) => boolean,
): Promise<Connection> {
  const ways = route.encryption === undefined ? encryptions : [route.encryption];
  for (const [index, encryption] of ways.entries()) {
    try {
      const connection = await logIn(encryption);
      route.encryption = encryption;
      return connection;
    } catch (error) {
      if (index < ways.length - 1 && mayDiffer(error) && !signal.aborted) continue;
      // What worked before may have been turned off since.
      delete route.encryption;
      throw error;
    }
  }
  throw new Error('no way to connect');
}
