/** A closed-loop load generator over raw sockets: cheap enough to share two cores with what it measures. */
import { connect, type Socket } from 'node:net';
import { Replies } from './load/replies.ts';

/** What is sent, over and over. */
export interface Load {
  /** `POST` by default. */
  readonly method?: 'GET' | 'POST';
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The same for all connections, or one for each, by its number. */
  readonly body: string | ((connection: number) => string);
  readonly connections: number;
  readonly seconds: number;
  /** Requests that a connection sends in one write before it waits for their replies; default 1. */
  readonly batch?: number;
}

/** What came back. */
export interface Measured {
  /** Batches of replies per second; requests, where each is sent alone. */
  readonly throughput: number;
  /** Milliseconds from the last byte sent to the last byte received. */
  readonly p50: number;
  readonly p99: number;
  /** Batches of replies. */
  readonly replies: number;
  /** From the first request to the last reply: somewhat longer than was asked for. */
  readonly seconds: number;
}

/** Bytes that a connection reads at a time, into one buffer for good. */
const READ_BYTES = 64 * 1024;

/**
 * Keeps `connections` requests in flight for `seconds`. Connections are made before the time begins.
 * @throws Error at the first reply that is not 200, or when the server closes a connection
 */
export async function generateLoad(load: Load): Promise<Measured> {
  const latencies: number[] = [];
  const asking = await Promise.all(
    Array.from({ length: load.connections }, (_, connection) =>
      Asking.connected(load, connection, latencies),
    ),
  );
  const began = performance.now();
  const until = began + load.seconds * 1000;
  try {
    await Promise.all(asking.map((each) => each.until(until)));
  } finally {
    for (const each of asking) each.stop();
  }
  const seconds = (performance.now() - began) / 1000;
  const replies = latencies.length;
  latencies.sort((one, other) => one - other);
  const at = (share: number) => latencies[Math.floor(replies * share)] ?? Number.NaN;
  return { throughput: replies / seconds, p50: at(0.5), p99: at(0.99), replies, seconds };
}

function requestText({ method = 'POST', path, headers, body: given }: Load, at: number): string {
  const body = typeof given === 'string' ? given : given(at);
  const lines = Object.entries({
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** One connection; its request is made once, and its replies are counted where they are read. */
class Asking {
  readonly #socket: Socket;
  readonly #request: Buffer;
  readonly #batch: number;
  readonly #latencies: number[];
  readonly #replies = new Replies();
  readonly #connected = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #until = 0;
  #sent = 0;
  /** Replies of the batch that have not come yet. */
  #awaited = 0;

  private constructor(load: Load, connection: number, latencies: number[]) {
    this.#batch = load.batch ?? 1;
    this.#request = Buffer.from(requestText(load, connection).repeat(this.#batch));
    this.#latencies = latencies;
    const buffer = Buffer.alloc(READ_BYTES);
    const callback = (size: number): boolean => {
      this.#read(buffer.subarray(0, size));
      return true;
    };
    const address = { port: load.port, host: '127.0.0.1', noDelay: true };
    this.#socket = connect({ ...address, onread: { buffer, callback } });
    const failed = (reason: Error): void => {
      this.#connected.reject(reason);
      this.#ended.reject(reason);
    };
    this.#ended.promise.catch(() => {}); // The one that waits for it reports it.
    this.#socket.on('connect', this.#connected.resolve);
    this.#socket.on('error', failed);
    this.#socket.on('close', () => failed(new Error('The server closed the connection')));
  }

  static async connected(load: Load, connection: number, latencies: number[]): Promise<Asking> {
    const asking = new Asking(load, connection, latencies);
    await asking.#connected.promise;
    return asking;
  }

  /** Asks until that time of `performance.now()`, and waits for the last reply. */
  until(time: number): Promise<void> {
    this.#until = time;
    this.#ask(performance.now());
    return this.#ended.promise;
  }

  stop(): void {
    this.#socket.destroy();
  }

  #ask(now: number): void {
    this.#sent = now;
    this.#awaited = this.#batch;
    this.#socket.write(this.#request);
  }

  #read(bytes: Buffer): void {
    try {
      this.#awaited -= this.#replies.take(bytes);
    } catch (thrown) {
      this.#ended.reject(thrown);
      this.#socket.destroy();
      return;
    }
    if (this.#awaited > 0) return;
    if (this.#awaited < 0) {
      this.#ended.reject(new Error('More replies came than requests were sent'));
      this.#socket.destroy();
      return;
    }
    const now = performance.now();
    this.#latencies.push(now - this.#sent);
    if (now < this.#until) this.#ask(now);
    else this.#ended.resolve();
  }
}
