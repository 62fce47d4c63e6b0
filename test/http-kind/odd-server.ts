/** A server whose replies are bytes as they are here: what no library for servers would send. */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

/** A running server. */
export interface OddServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A reply, piece by piece; what is behind a number waits for so many milliseconds. */
type Pieces = readonly (string | Buffer | number | 'cut' | 'end')[];

const head = (lines: readonly string[], status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
const packed = (coding: string, bytes: Buffer): Pieces => [
  head([
    `Content-Encoding: ${coding}`,
    `Content-Length: ${bytes.length}`,
    'Content-Type: text/plain',
  ]),
  bytes,
];
const GZIP = gzipSync('packed');
const BROTLI_BOMB = brotliCompressSync(Buffer.alloc(64 * 1024 * 1024));

/** By path below `/v1`. */
const REPLIES: Readonly<Record<string, Pieces>> = {
  '/loud-gzip': packed('GZIP', GZIP),
  '/x-gzip': packed('x-gzip', GZIP),
  '/deflate': packed('deflate', deflateSync('packed')),
  '/twice': packed('gzip, gzip', gzipSync(GZIP)),
  '/cut-gzip': packed('gzip', GZIP.subarray(0, GZIP.length - 9)),
  '/no-gzip': packed('gzip', Buffer.from('plain as it is')),
  '/gzip-and-more': packed('gzip', Buffer.concat([GZIP, Buffer.from('more')])),
  '/bomb': packed('br', BROTLI_BOMB),
  '/hints': [
    head(['Link: </a>; rel=preload'], '103 Early Hints'),
    head([], '100 Continue'),
    head(['Content-Length: 2']),
    'ok',
  ],
  '/upgrade': [head(['Connection: upgrade', 'Upgrade: odd'], '101 Switching Protocols'), 'odd'],
  '/utf-8': [head(['X-Name: grüße', 'Content-Length: 0'])],
  '/half-chunk': [head(['Transfer-Encoding: chunked']), '5\r\nhel', 'cut'],
  '/no-last-chunk': [head(['Transfer-Encoding: chunked']), '5\r\nhello\r\n', 'end'],
  '/until-closed': [head(['Connection: close']), 'hello', 'end'],
  '/old': ['HTTP/1.0 200 OK\r\n\r\nhello', 'end'],
  '/no-content': [head([], '204 No Content')],
  '/not-modified': [head(['ETag: "a"', 'Content-Length: 5'], '304 Not Modified')],
  '/slow': [head(['Content-Length: 10']), 'a', 400, 'b', 400, 'c', 400, 'd', 400, 'e', 400],
  '/slow-head': ['HTTP/1.1 200 OK\r\nX-A: b\r\n', 3_000, 'Content-Length: 0\r\n\r\n'],
  '/no-http': ['SSH-2.0-OpenSSH_9.2\r\n', 'end'],
  '/two-lengths': [head(['Content-Length: 2', 'Content-Length: 5']), 'hello', 'end'],
  '/cookies': [
    head([
      'Set-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT',
      'Set-Cookie: b=2',
      'Content-Length: 0',
    ]),
  ],
};

/** Starts one on a free port of loopback. */
export async function startOddServer(): Promise<OddServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => open.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      const [, path = ''] = /^\S+ \/v1([^\s?]*)/.exec(bytes.toString('latin1')) ?? [];
      void write(socket, REPLIES[path] ?? [head(['Content-Length: 0'])]);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

async function write(socket: Socket, pieces: Pieces): Promise<void> {
  for (const piece of pieces) {
    if (piece === 'cut') socket.resetAndDestroy();
    else if (piece === 'end') socket.end();
    else if (typeof piece === 'number') await new Promise((resolve) => setTimeout(resolve, piece));
    else socket.write(piece);
  }
}
