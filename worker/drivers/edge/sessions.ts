/** Sessions that this isolate has open to backends which the edge reaches by itself. */
import type { ConnectionEnvelope, Session } from '../../../proto/driver.ts';
import { Lru } from '../../cache.ts';
import type { PublicContext } from '../../context.ts';
import type { EdgeDriver } from './driver.ts';
import { edgeHost } from './host.ts';

/** Most sessions of an isolate, and the characters of their connections together. Spec silent. */
const OPEN_MAX = { sessions: 2_000, characters: 8 * 1024 * 1024 };
/** An unused session is forgotten after so many milliseconds, as a relay's pool is. Spec silent. */
const IDLE_MAX_MS = 300_000;

interface Open {
  readonly session: Session;
  readonly endpoint: string;
  readonly revision: number;
  readonly characters: number;
  usedAt: number;
}

/** By pool key. */
const open = new Lru<Open>(OPEN_MAX.sessions, {
  most: OPEN_MAX.characters,
  of: ({ characters }) => characters,
});

/** Which session is asked for. */
export interface SessionName {
  /** Changes with the endpoint's configuration. */
  readonly poolKey: string;
  readonly endpoint: string;
  readonly revision: number;
}

/**
 * The session by its pool key; opened when this isolate does not have it.
 * @param connection opens the configuration, which is expensive
 * @throws GatewayError INVALID_CONFIGURATION
 */
export async function edgeSession(
  ctx: PublicContext,
  driver: EdgeDriver,
  { poolKey, endpoint, revision }: SessionName,
  connection: () => Promise<ConnectionEnvelope>,
): Promise<Session> {
  const usedAt = ctx.now();
  const known = open.get(poolKey);
  if (known) {
    known.usedAt = usedAt;
    return known.session;
  }
  const envelope = await connection();
  const session = driver.open(envelope, edgeHost(ctx));
  const characters = JSON.stringify(envelope).length;
  open.deleteWhere((each) => usedAt - each.usedAt > IDLE_MAX_MS);
  open.set(poolKey, { session, endpoint, revision, characters, usedAt });
  return session;
}

/** Forgets an endpoint's sessions but those of `keepRevision`. */
export function forgetEdgeSessions(endpoint: string, keepRevision: number): void {
  open.deleteWhere((each) => each.endpoint === endpoint && each.revision !== keepRevision);
}
