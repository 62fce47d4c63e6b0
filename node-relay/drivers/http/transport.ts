/** The relay's line to servers: kept-alive connections to the configured origin, others for where redirects lead. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Header } from '../../../kinds/http/headers.ts';
import {
  type HttpTransport,
  type Incoming,
  NotSent,
  type Outgoing,
} from '../../../kinds/http/transport.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { ConnectionMaker, ConnectionPool, Host } from '../driver.ts';
import { Gone } from '../one-socket.ts';
import { watchedPool } from '../watched-pool.ts';
import { Connection } from './connection.ts';

/** What a connection is used for: one request until its reply was read. */
interface Use {
  readonly connection: Connection;
  /** The reply was read to its end. */
  done(): void;
  /** Anything else became of it. */
  spoilt(): void;
}

/** Of one endpoint. */
export class RelayTransport implements HttpTransport {
  readonly #origin: string;
  readonly #host: Host;
  readonly #pool: ConnectionPool<Connection>;

  constructor(base: URL, host: Host) {
    this.#origin = base.origin;
    this.#host = host;
    const maker: ConnectionMaker<Connection> = {
      open: (signal) => Connection.open(host, base, signal),
      close: (connection) => connection.cut(),
    };
    this.#pool = watchedPool(host, maker, (connection) => connection);
  }

  async send(request: Outgoing, signal: AbortSignal): Promise<Incoming> {
    for (;;) {
      const use = await this.#use(request.url, signal);
      try {
        return await exchange(use, request, signal);
      } catch (thrown) {
        use.spoilt();
        // Of one that was idle: nothing was sent on it.
        if (!(thrown instanceof Gone) || signal.aborted) throw failureOf(thrown, signal);
      }
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Whatever fails here, nothing was sent. */
  async #use(url: URL, signal: AbortSignal): Promise<Use> {
    try {
      const pool = this.#pool;
      const held = await pool.acquire(signal);
      held.inUse = true;
      if (url.origin !== this.#origin) return await this.#abroad(url, held, signal);
      const done = (): void => {
        held.inUse = false;
        if (held.lost) pool.discard(held);
        else pool.release(held);
      };
      return { connection: held, done, spoilt: () => pool.discard(held) };
    } catch (thrown) {
      throw thrown instanceof GatewayError ? new NotSent(thrown) : thrown;
    }
  }

  /** Another origin's connection serves one request, in the place of one to our own: so the caps hold for both. */
  async #abroad(url: URL, held: Connection, signal: AbortSignal): Promise<Use> {
    const giveBack = (): void => {
      held.inUse = false;
      if (held.lost) this.#pool.discard(held);
      else this.#pool.release(held);
    };
    try {
      const connection = await Connection.open(this.#host, url, signal);
      const end = (): void => {
        connection.cut();
        giveBack();
      };
      return { connection, done: end, spoilt: end };
    } catch (thrown) {
      giveBack();
      throw thrown;
    }
  }
}

async function exchange(use: Use, request: Outgoing, signal: AbortSignal): Promise<Incoming> {
  const cut = (): void => use.connection.cut();
  if (signal.aborted) cut();
  signal.addEventListener('abort', cut, { once: true });
  try {
    const reply = await use.connection.exchange(request);
    const hasBody =
      request.method !== 'HEAD' && reply.statusCode !== 204 && reply.statusCode !== 304;
    const { body, isDecoded } = hasBody ? decoded(reply) : { body: reply, isDecoded: false };
    return {
      status: reply.statusCode ?? 0,
      headers: headersOf(reply),
      body: piecesOf({ reply, body, use, signal, cut }),
      isDecoded,
    };
  } catch (thrown) {
    signal.removeEventListener('abort', cut);
    throw thrown;
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Header[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    (rawHeaders[2 * index] ?? '').toLowerCase(),
    headerText(rawHeaders[2 * index + 1] ?? ''),
  ]);
}

/** A value's bytes, which arrive as a character each: UTF-8 where they are that. */
function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}

/** What the server was asked not to do and did, undone. */
function decoded(reply: IncomingMessage): { body: Readable; isDecoded: boolean } {
  const encoding = reply.headers['content-encoding']?.trim().toLowerCase();
  const isGzip = encoding === 'gzip' || encoding === 'x-gzip';
  const undo = isGzip ? createUnzip() : encoding === 'br' ? createBrotliDecompress() : undefined;
  if (undo === undefined) return { body: reply, isDecoded: false };
  pipeline(reply, undo, () => {});
  return { body: undo, isDecoded: true };
}

/** A reply whose body is read. */
interface OpenReply {
  readonly reply: IncomingMessage;
  readonly body: Readable;
  readonly use: Use;
  readonly signal: AbortSignal;
  cut(): void;
}

/** The connection goes back when the reply was read to its end, and ends when it was left. */
async function* piecesOf({ reply, body, use, signal, cut }: OpenReply): AsyncGenerator<Uint8Array> {
  let isWhole = false;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) yield piece;
    isWhole = reply.complete && !signal.aborted;
    if (!isWhole) throw new Error('The connection was closed');
  } catch (thrown) {
    throw failureOf(thrown, signal);
  } finally {
    signal.removeEventListener('abort', cut);
    if (isWhole) use.done();
    else use.spoilt();
  }
}

/** The request may have arrived. */
function failureOf(thrown: unknown, signal: AbortSignal): GatewayError {
  if (thrown instanceof NotSent) return thrown;
  if (signal.aborted) {
    const told = 'The deadline passed before the backend answered';
    return new GatewayError('TIMED_OUT', told, { cause: thrown });
  }
  return new GatewayError('CONNECTION_FAILED', 'The connection to the backend failed', {
    cause: thrown,
  });
}
