/** A worker with the tunnels of nodes and nothing else, for tests in the real edge runtime. */
import { DurableObject } from 'cloudflare:workers';
import { TUNNEL_PROTOCOL } from '../../../../proto/tunnel/frame.ts';
import { inLargeParts } from '../../../drivers/large-parts.ts';
import { NodeTunnels } from '../tunnels.ts';

interface Env {
  readonly NODE: DurableObjectNamespace;
}

/** Header that names a call, for `POST /leave/<name>` to end it as the gateway ends one whose client has left. */
const CALL = 'Test-Call';
const LEAVE = '/leave/';
/** Header that names the node, where there are several; each is of an organization of its own. */
const NODE_NAME = 'Test-Node';
/** Header of a call whose reply nobody reads. */
const UNREAD = 'Test-Unread';
const LOOK_MS = 5;
const left = new Set<string>();

/** Holds the tunnels. */
export class Node extends DurableObject<Env> {
  readonly #tunnels = new NodeTunnels({
    state: this.ctx,
    organization: this.ctx.id.name ?? '',
    changed() {},
  });

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

export default {
  async fetch(request, { NODE }) {
    const { url, method, headers, body } = request;
    const object = NODE.getByName(headers.get(NODE_NAME) ?? 'node');
    if (headers.get('Upgrade') === 'websocket') {
      const { webSocket } = await object.fetch(request);
      const named = { 'Sec-WebSocket-Protocol': TUNNEL_PROTOCOL };
      return new Response(null, { status: 101, webSocket, headers: named });
    }
    const { pathname } = new URL(url);
    if (pathname.startsWith(LEAVE)) {
      left.add(pathname.slice(LEAVE.length));
      return new Response();
    }
    const leaving = new AbortController();
    const looking = setInterval(() => {
      if (!left.delete(headers.get(CALL) ?? '')) return;
      clearInterval(looking);
      leaving.abort();
    }, LOOK_MS);
    const reply = await object.fetch(url, { method, headers, body, signal: leaving.signal });
    if (headers.has(UNREAD)) return unread(reply);
    // As the gateway does: what the runtime passes on by itself is deaf to the signal.
    return reply.body === null ? reply : new Response(inLargeParts(reply.body), reply);
  },
} satisfies ExportedHandler<Env>;

/** A reply that is there as long as its client, and of whose body nothing is read. */
function unread({ status, body }: Response): Response {
  const silent = new ReadableStream({
    pull: () => new Promise<void>(() => {}),
    cancel: (reason) => body?.cancel(reason),
  });
  return new Response(silent, { status });
}
