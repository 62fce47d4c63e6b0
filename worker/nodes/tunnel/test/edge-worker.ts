/** A worker with the tunnels of one node and nothing else, for tests in the real edge runtime. */
import { DurableObject } from 'cloudflare:workers';
import { NodeTunnels } from '../tunnels.ts';

interface Env {
  readonly NODE: DurableObjectNamespace;
}

/** Header of a request that is given up after so many milliseconds, as the gateway gives up a call. */
const LEAVE_MS = 'Test-Leave-Ms';

/** Holds the tunnels. */
export class Node extends DurableObject<Env> {
  readonly #tunnels = new NodeTunnels({ state: this.ctx, changed() {} });

  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get('Upgrade') !== 'websocket') return this.#tunnels.fetch(request);
    const instance = request.headers.get('Causeway-Instance') ?? '';
    return this.#tunnels.accept(instance);
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#tunnels.received(socket, message);
  }

  override webSocketClose(socket: WebSocket): void {
    this.#tunnels.closed(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#tunnels.closed(socket);
  }
}

export const handler: ExportedHandler<Env> = {
  fetch: (request, { NODE }) => {
    const object = NODE.getByName('node');
    const { url, method, headers, body } = request;
    if (headers.get('Upgrade') === 'websocket') return object.fetch(request);
    const leaving = new AbortController();
    const leaveMs = headers.get(LEAVE_MS);
    if (leaveMs !== null) setTimeout(() => leaving.abort(), Number(leaveMs));
    return object.fetch(url, { method, headers, body, signal: leaving.signal });
  },
};
export { handler as default };
