/** A host for drivers under test: real sockets to anywhere, the relay's own pool. */
import type { BackendClient, Call, ConnectionUse, Mode, Target } from '../../../proto/driver.ts';
import type { Json } from '../../../proto/json.ts';
import { parseAllowList } from '../../allow-list.ts';
import { SlottedPool } from '../../connection-pool.ts';
import { Dialer } from '../../dial.ts';
import { Seals } from '../../seals.ts';
import { Slots } from '../../slots.ts';
import type { Driver, Host } from '../driver.ts';

const SEALS = new Seals([{ d: 'a2V5IG9mIGEgbm9kZSBpbiB0ZXN0cw' }]);

/** How many connections hosts of tests have. */
export const connectionsOf = new WeakMap<Host, number>();

/** A host whose pools together have `connections` slots, 4 by default. */
export function testHost(connections = 4): Host {
  const made = hostOf(connections);
  connectionsOf.set(made, connections);
  return made;
}

function hostOf(connections: number): Host {
  const slots = new Slots();
  slots.caps = { total: connections, production: connections, development: 0 };
  const dialer = new Dialer({
    allow: parseAllowList('*'),
    setting: 'RELAY_ALLOW',
    ownPort: () => undefined,
    gateway: undefined,
  });
  return {
    dial: (host, port, signal) => dialer.dial(host, port, signal),
    vet: (host, port, signal) => dialer.vet(host, port, signal),
    pool: (maker) => new SlottedPool(slots, 'production', maker),
    hold: () => slots.hold('production'),
    seal: (clear, bound) => SEALS.seal(clear, bound),
    unseal: (sealed, bound) => SEALS.unseal(sealed, bound),
  };
}

/** What a target is made from in a test. */
interface Opening {
  readonly connection: Json;
  readonly mode: Mode;
  readonly settings?: { readonly [member: string]: Json };
  readonly use?: ConnectionUse | undefined;
  readonly host?: Host;
}

/** Opens a session, on a host of its own unless one is given. */
export function openClient<Request, Made extends BackendClient<Request>>(
  driver: Driver<Request, Made>,
  { connection, mode, settings = {}, use, host = testHost() }: Opening,
): Promise<Made> {
  const envelope = { connection, settings, use };
  const target: Target = { envelope, poolKey: `test:1:${mode}`, mode };
  return driver.open(target, host);
}

/** A call with room and time, except for what is given. */
export function callOf(mode: Mode, bounds: Partial<Call> = {}): Call {
  return {
    mode,
    signal: AbortSignal.timeout(240_000),
    resultMaxBytes: 10_485_760,
    numbersAsStrings: false,
    inPieces: undefined,
    ...bounds,
  };
}

/** Bytes of a result as their JSON value. */
export function jsonOf(result: Uint8Array): unknown {
  return JSON.parse(Buffer.from(result).toString());
}

/** Reads lines to their end. */
export async function toTheEnd(lines: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of lines);
}
