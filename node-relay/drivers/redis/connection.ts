/** One connection to a server that speaks Redis' protocol: made, reset and ended within bounds. */
import { connectWithin } from '../connect.ts';
import type { Host } from '../driver.ts';
import { dialled, secured } from '../tls-socket.ts';
import { connectFailure, logIn, type Visit } from './login.ts';
import type { Address } from './settings.ts';
import { Wire } from './wire.ts';

/** Milliseconds that a reset may take; no caller waits for it. */
const RESET_MS = 5_000;

/** An open connection; `wire` speaks on it. */
export class Connection {
  readonly wire: Wire;
  readonly #visit: Visit;

  constructor(wire: Wire, visit: Visit) {
    this.wire = wire;
    this.#visit = visit;
  }

  /** Forgets all that its caller has set. Answers false when the connection cannot be used again. */
  async reset(): Promise<boolean> {
    const signal = AbortSignal.timeout(RESET_MS);
    try {
      // Servers before Redis 6.2 do not know it: then the connection is ended.
      await logIn(this.wire, this.#visit, signal, [{ type: 'reset', args: [] }]);
      return !this.wire.lost;
    } catch {
      return false;
    }
  }

  /** Ends it; a promise says when the server has let go of it. */
  close(): void | Promise<void> {
    if (this.wire.lost) return;
    if (this.wire.idle) return this.wire.end();
    this.wire.cut(new Error('closed'));
  }
}

/**
 * Connects and logs in.
 * @throws GatewayError CONNECTION_FAILED, ADDRESS_REFUSED, SERVICE_UNAVAILABLE, the signal's reason
 */
export function connect(
  host: Host,
  address: Address,
  visit: Visit,
  signal: AbortSignal,
): Promise<Connection> {
  const open = (limited: AbortSignal) =>
    dialled(host, address, limited, async (plain) => {
      const { trust } = visit;
      const socket = trust === undefined ? plain : await secured(plain, address.host, trust);
      const wire = new Wire(socket);
      await logIn(wire, visit, limited);
      return new Connection(wire, visit);
    });
  return connectWithin(visit.connectTimeoutMs, signal, open, connectFailure);
}
