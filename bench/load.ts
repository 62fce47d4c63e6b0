/** A closed-loop load generator over raw sockets: cheap enough to share two cores with what it measures. */
import { connect, type Socket } from 'node:net';

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
}

/**
 * Keeps `connections` requests in flight for `seconds`.
 * @throws Error at the first reply that is not 200
 */
export async function generateLoad(load: Load): Promise<Measured> {
  const batch = load.batch ?? 1;
  const latencies: number[] = [];
  const until = performance.now() + load.seconds * 1000;
  const workers = Array.from({ length: load.connections }, (_, connection) => {
    const request = requestText(load, connection).repeat(batch);
    return keepAsking(load.port, { request, batch }, until, latencies);
  });
  await Promise.all(workers);
  latencies.sort((one, other) => one - other);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { throughput: latencies.length / load.seconds, p50: at(0.5), p99: at(0.99) };
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

async function keepAsking(
  port: number,
  { request, batch }: { readonly request: string; readonly batch: number },
  until: number,
  latencies: number[],
): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const replies = repliesOf(socket);
  try {
    while (performance.now() < until) {
      const sent = performance.now();
      socket.write(request);
      for (let reply = 0; reply < batch; reply += 1) await replies.next();
      latencies.push(performance.now() - sent);
    }
  } finally {
    socket.destroy();
  }
}

/** Yields once per whole reply; knows bodies of a given length and chunked ones. */
async function* repliesOf(socket: Socket): AsyncGenerator<void> {
  let text = '';
  socket.setEncoding('latin1');
  for await (const piece of socket) {
    text += piece as string;
    for (let end = replyEnd(text); end > 0; end = replyEnd(text)) {
      if (!text.startsWith('HTTP/1.1 200')) throw new Error(`Not a 200: ${text.slice(0, 600)}`);
      text = text.slice(end);
      yield;
    }
  }
  throw new Error('The server closed the connection');
}

/** Where the first reply in `text` ends; 0 when it is not whole. */
function replyEnd(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head + 2));
  if (length) {
    const end = head + 4 + Number(length[1]);
    return text.length >= end ? end : 0;
  }
  const end = text.indexOf('0\r\n\r\n', head + 4);
  return end < 0 ? 0 : end + 5;
}
