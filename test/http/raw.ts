/** Requests byte for byte, where `fetch` would not send them, and the replies to them. */
import { connect } from 'node:net';
import { checkedReply } from '../openapi/checked-fetch.ts';

/** One part of a request: text as Latin-1, bytes, or milliseconds of silence. */
export type Part = string | Buffer | number;

/** What came back on the connection. */
export interface Exchanged {
  /** Statuses of replies that announce another, such as 100. */
  readonly interim: readonly number[];
  /** The reply, held to the description; its body is read. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** How a request is sent. */
interface Sending {
  readonly method?: string;
  /** Below the origin. */
  readonly path: string;
  /** Lines of the head besides the first and `Host`. */
  readonly head?: readonly string[];
  readonly body?: readonly Part[];
  /** Says that nothing more comes, whatever the head said. */
  readonly halfClose?: boolean;
}

const SILENCE_MAX_MS = 30_000;

/**
 * Sends a request on a connection of its own, and reads until the other side closes.
 * @throws Error when nothing comes back; Undescribed when the description has no such reply
 */
export async function exchange(origin: string, sending: Sending): Promise<Exchanged> {
  const { method = 'GET', path, head = [], body = [], halfClose = false } = sending;
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: gateway.test', ...head, 'Connection: close'];
  const parts = [`${lines.join('\r\n')}\r\n\r\n`, ...body];
  let [interim, rest]: [number[], Buffer] = [[], await send(origin, parts, halfClose)];
  for (;;) {
    const at = rest.indexOf('\r\n\r\n');
    if (at < 0) throw new Error(`No reply, but ${JSON.stringify(rest.toString('latin1'))}`);
    const [first = '', ...fields] = rest.subarray(0, at).toString('latin1').split('\r\n');
    const status = Number(first.split(' ')[1]);
    rest = rest.subarray(at + 4);
    if (status < 200) {
      interim.push(status);
      continue;
    }
    const headers = new Headers(fields.map((field): [string, string] => split(field)));
    const text = (headers.get('Transfer-Encoding') === 'chunked' ? whole(rest) : rest).toString();
    await hold(new URL(path, origin).href, method, status, headers, text);
    return { interim, status, headers, text };
  }
}

/** The pieces of a chunked body, and its end. */
export function chunked(bytes: Buffer, size = 65_536): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < bytes.byteLength; at += size) {
    const piece = bytes.subarray(at, at + size);
    parts.push(`${piece.byteLength.toString(16)}\r\n`, piece, '\r\n');
  }
  return [...parts, '0\r\n\r\n'];
}

/** The body that came in pieces. */
function whole(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (!(size > 0)) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

function send(origin: string, parts: readonly Part[], halfClose: boolean): Promise<Buffer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const received: Buffer[] = [];
    socket.setTimeout(SILENCE_MAX_MS, () => socket.destroy(new Error('Silence')));
    socket.on('data', (piece) => received.push(piece));
    socket.on('end', () => {
      socket.destroy();
      resolve(Buffer.concat(received));
    });
    // Who refuses a body may close before all of it was sent.
    socket.on('error', (fault) =>
      received.length > 0 ? resolve(Buffer.concat(received)) : reject(fault),
    );
    socket.on('connect', () => void write(socket, parts, halfClose));
  });
}

async function write(
  socket: ReturnType<typeof connect>,
  parts: readonly Part[],
  halfClose: boolean,
): Promise<void> {
  for (const part of parts) {
    if (typeof part === 'number') await new Promise((resolve) => setTimeout(resolve, part));
    else if (!socket.destroyed) {
      await new Promise<void>((resolve) => {
        socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part, () =>
          resolve(),
        );
      });
    }
  }
  if (halfClose) socket.end();
}

function split(field: string): [string, string] {
  const colon = field.indexOf(':');
  return [field.slice(0, colon), field.slice(colon + 1).trim()];
}

async function hold(
  url: string,
  method: string,
  status: number,
  headers: Headers,
  text: string,
): Promise<void> {
  const body = status === 204 || status === 304 || method === 'HEAD' ? null : text;
  await (await checkedReply(url, method, new Response(body, { status, headers }))).text();
}
