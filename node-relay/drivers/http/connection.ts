/** One kept-alive connection to a server: one request after another. */
import { type IncomingMessage, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Outgoing } from '../../../kinds/http/transport.ts';
import type { Host } from '../driver.ts';
import { replyTo } from '../http-reply.ts';
import { Gone, OneSocket } from '../one-socket.ts';
import { openSocket } from '../tls-socket.ts';

/** Milliseconds until a connection is open. Spec silent. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Bytes of a reply's head. Spec silent. */
const HEAD_MAX = 64 * 1024;

/** An open connection to one origin. */
export class Connection {
  /** A call has it; else the pool does. */
  inUse = true;
  /** It has served a request before. */
  reused = false;
  /** Called once when the server or we close it. */
  onLost: (() => void) | undefined;
  readonly #socket: Socket;
  readonly #agent: OneSocket;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#agent = new OneSocket(socket);
    socket.once('close', () => this.onLost?.());
  }

  /** @throws GatewayError CONNECTION_FAILED, ADDRESS_REFUSED, the signal's reason */
  static async open(host: Host, url: URL, signal: AbortSignal): Promise<Connection> {
    const tls = url.protocol === 'https:';
    const server = {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (tls ? 443 : 80) : Number(url.port),
      tls,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    };
    return new Connection(await openSocket(host, server, signal, ['http/1.1']));
  }

  get lost(): boolean {
    return this.#socket.destroyed || !this.#socket.writable;
  }

  /**
   * Answers the reply when its head has arrived, its body still to be read.
   * @throws Gone, any other Error when the request may have arrived
   */
  async exchange({ method, url, headers, body }: Outgoing): Promise<IncomingMessage> {
    if (this.lost) throw new Gone('The connection is closed');
    const sending = startRequest({
      agent: this.#agent,
      method,
      path: url.pathname + url.search,
      headers: {
        ...Object.fromEntries(headers),
        host: url.host,
        ...lengthOf(method, body),
      },
      maxHeaderSize: HEAD_MAX,
    });
    sending.end(body);
    return replyTo(sending);
  }

  /** Ends it without a word. */
  cut(): void {
    this.inUse = true;
    this.#agent.destroy();
    this.#socket.destroy();
  }
}

/** RFC 9110, section 8.6: a method that may have a body reports that it has none. */
function lengthOf(method: string, body: Uint8Array | undefined): Record<string, number> {
  if (body !== undefined) return { 'content-length': body.byteLength };
  return ['POST', 'PUT', 'PATCH'].includes(method) ? { 'content-length': 0 } : {};
}
