/** An agent of Node's HTTP client with one connection, which was made elsewhere. */
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The connection was gone before anything of a request was sent on it. */
export class Gone extends Error {}

/**
 * Hands its one socket out; the agent keeps it between requests for as long as the server does.
 * When that has let it go, a request fails with `Gone`.
 */
export class OneSocket extends Agent {
  readonly #socket: Socket;
  #isOut = false;

  constructor(socket: Socket) {
    super({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
    this.#socket = socket;
  }

  override createConnection(
    _: unknown,
    told?: (failure: Error | null, socket: Duplex) => void,
  ): Socket | undefined {
    if (!this.#isOut && !this.#socket.destroyed) {
      this.#isOut = true;
      return this.#socket;
    }
    // Between two requests the agent has let it go, as the server asked.
    told?.(new Gone('The connection is closed'), this.#socket);
    return undefined;
  }
}
