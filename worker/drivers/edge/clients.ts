/** Clients of the backends that the edge reaches by itself, kept by this isolate. */
import type { BackendClient, ConnectionEnvelope } from '../../../proto/driver.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { PublicContext } from '../../context.ts';
import type { EdgeDriver } from './driver.ts';
import { edgeHost } from './host.ts';

/** Most clients of an isolate, and the characters of their connections together. Spec silent. */
const OPEN_MAX = { clients: 2_000, characters: 8 * 1024 * 1024 };
/** Milliseconds after which an unused client is forgotten, as a relay's pool is. Spec silent. */
const IDLE_MAX_MS = 300_000;

interface Open {
  readonly client: BackendClient;
  readonly endpoint: string;
  readonly revision: number;
  readonly characters: number;
  usedAt: number;
}

/** By pool key. */
const open = new LruMap<string, Open>(OPEN_MAX.clients, {
  most: OPEN_MAX.characters,
  of: ({ characters }) => characters,
});

/** Which client is asked for. */
interface ClientName {
  /** Changes with the endpoint's configuration. */
  readonly poolKey: string;
  readonly endpoint: string;
  readonly revision: number;
}

/**
 * The client by its pool key; opened when this isolate does not have it.
 * @param connection opens the configuration, which is expensive
 * @throws GatewayError INVALID_CONFIGURATION
 */
export async function edgeClient(
  ctx: PublicContext,
  driver: EdgeDriver,
  { poolKey, endpoint, revision }: ClientName,
  connection: () => Promise<ConnectionEnvelope>,
): Promise<BackendClient> {
  const usedAt = ctx.now();
  const known = open.get(poolKey);
  if (known) {
    known.usedAt = usedAt;
    return known.client;
  }
  const envelope = await connection();
  const client = driver.open(envelope, edgeHost(ctx));
  const characters = JSON.stringify(envelope).length;
  open.deleteWhere((each) => usedAt - each.usedAt > IDLE_MAX_MS);
  open.set(poolKey, { client, endpoint, revision, characters, usedAt });
  return client;
}

/** Forgets an endpoint's sessions but those of `keepRevision`. */
export function forgetEdgeClients(endpoint: string, keepRevision: number): void {
  open.deleteWhere((each) => each.endpoint === endpoint && each.revision !== keepRevision);
}
