/** The relay's way to an index: kept-alive connections of its own dialling, each with one request at a time. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { type Line, NotSent } from '../../../proto/kinds/pinecone/line.ts';
import type { Settings } from '../../../proto/kinds/pinecone/settings.ts';
import type { ConnectionPool, Host } from '../driver.ts';
import { openSocket } from '../tls-socket.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** A line over connections of the endpoint's pool. */
export function lineOf(host: Host, { origin }: Settings): Line {
  const { hostname, port, protocol } = new URL(origin);
  const tls = protocol === 'https:';
  const server = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (tls ? 443 : 80) : Number(port),
    tls,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  };
  const pool = host.pool<Connection>({
    async open(signal) {
      const connection = new Connection(await openSocket(host, server, signal, ['http/1.1']));
      // One that the server drops while idle must not be the next caller's.
      connection.onLost = () => {
        if (!connection.inUse) pool.discard(connection);
      };
      return connection;
    },
    close: (connection) => connection.close(),
  });
  return { send: (request, signal) => sendOn(pool, request, signal), close: () => pool.close() };
}

/** Hands the one socket out; the agent keeps it between requests for as long as the server does. */
class OneSocket extends Agent {
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

/** The connection was gone before anything of a request was sent on it. */
class Gone extends Error {}

class Connection {
  inUse = true;
  /** It has served a request before. */
  reused = false;
  onLost = () => {};
  readonly agent: Agent;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.agent = new OneSocket(socket);
    socket.once('close', () => this.onLost());
  }

  get lost(): boolean {
    return this.#socket.destroyed || !this.#socket.writable;
  }

  close(): void {
    this.inUse = true;
    this.agent.destroy();
    this.#socket.destroy();
  }
}

/** A connection that turns out dead is replaced: while nothing was sent on it. */
async function sendOn(
  pool: ConnectionPool<Connection>,
  request: Request,
  signal: AbortSignal,
): Promise<Response> {
  const body = request.method === 'GET' ? '' : await request.text();
  for (;;) {
    const connection = await acquired(pool, signal);
    try {
      return await exchange(pool, connection, request, { body, signal });
    } catch (cause) {
      pool.discard(connection);
      if (!(cause instanceof Gone) || signal.aborted) throw cause;
    }
  }
}

async function acquired(
  pool: ConnectionPool<Connection>,
  signal: AbortSignal,
): Promise<Connection> {
  try {
    const connection = await pool.acquire(signal);
    connection.inUse = true;
    return connection;
  } catch (thrown) {
    throw new NotSent(thrown);
  }
}

/** The reply when its head has arrived; the connection goes back when its body was read. */
async function exchange(
  pool: ConnectionPool<Connection>,
  connection: Connection,
  { url, method, headers }: Request,
  { body, signal }: { readonly body: string; readonly signal: AbortSignal },
): Promise<Response> {
  if (connection.lost) throw new Gone('The connection is closed');
  const { host, pathname, search } = new URL(url);
  const sending = startRequest({
    agent: connection.agent,
    method,
    path: pathname + search,
    headers: {
      ...Object.fromEntries(headers),
      host,
      ...(method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) }),
    },
    signal,
  });
  // Before the reply, `once` tells it; after it, the reply's body does.
  sending.on('error', () => {});
  sending.end(body);
  const [reply] = (await once(sending, 'response')) as [IncomingMessage]; // As node:http tells it.
  // Whoever reads the body meets its failures; nobody else is there to hear of them.
  reply.on('error', () => {});
  reply.once('close', () => {
    connection.inUse = false;
    if (reply.complete && !connection.lost) pool.release(connection);
    else pool.discard(connection);
  });
  return responseOf(reply);
}

/** Statuses whose replies have no body. RFC 9110 §15. */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

function responseOf(reply: IncomingMessage): Response {
  const status = reply.statusCode ?? 0;
  const headers = Object.entries(reply.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  if (WITHOUT_BODY.has(status)) {
    reply.resume();
    return new Response(null, { status: status === 101 ? 204 : status, headers });
  }
  // Node's own stream, which the types of its Response call by another name.
  return new Response(Readable.toWeb(reply) as ReadableStream<Uint8Array>, { status, headers });
}
