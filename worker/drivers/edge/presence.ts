/**
 * Whether a server is there, looked at before a write is sent: the runtime's own failures are the
 * same words for a refused connection, where nothing was sent, and for a lost one.
 */
import { GatewayError } from '../../../proto/errors.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { timedOut } from '../deadline.ts';

/** What opens connections. */
type Connects = Pick<Fetcher, 'connect'>;

/** How long a server that answered is taken to be there, in milliseconds. Spec silent. */
const THERE_MS = 5_000;
/** Most servers that an isolate remembers. Spec silent. */
const SERVERS_MAX = 2_000;

/** When each answered last, by origin. */
const answeredAt = new LruMap<string, number>(SERVERS_MAX);

/** Remembers that a server answered. */
export function sawAnswer({ origin }: URL, now: number): void {
  answeredAt.set(origin, now);
}

/** Remembers that it did not. */
export function sawLoss({ origin }: URL): void {
  answeredAt.delete(origin);
}

/**
 * Opens a connection and closes it, unless the server answered lately: whatever fails here, nothing
 * was sent.
 * @throws GatewayError CONNECTION_FAILED, TIMED_OUT
 */
export async function demandPresent(
  network: Connects,
  url: URL,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const at = answeredAt.get(url.origin);
  if (at !== undefined && now - at < THERE_MS) return;
  // It would tell a listener that comes now nothing.
  if (signal.aborted) throw timedOut();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(timedOut());
  signal.addEventListener('abort', leave, { once: true });
  const socket = network.connect({ hostname: url.hostname, port: portOf(url) });
  // The waiting caller sees why it does not open.
  socket.closed.catch(() => {});
  try {
    await Promise.race([socket.opened, aborted]);
  } catch (cause) {
    throw cause instanceof GatewayError ? cause : absent(cause);
  } finally {
    signal.removeEventListener('abort', leave);
    socket.close().catch(() => {});
  }
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function absent(cause: unknown): GatewayError {
  const message =
    'The backend cannot be reached: its name does not resolve, its address may not be connected to, or it refuses connections';
  return new GatewayError('CONNECTION_FAILED', message, { cause });
}
