/** A server for endpoints of kind `http`, that answers as its paths say and keeps what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** A request as it arrived. */
interface Seen {
  readonly method: string;
  readonly url: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A running server. */
export interface HttpServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Every request since the last look. */
  seen(): readonly Seen[];
  stop(): Promise<void>;
}

/** One request with its body. */
interface Asked extends Seen {
  readonly path: string;
  readonly query: URLSearchParams;
  /** How often this URL was asked for, this time included. */
  readonly times: number;
  readonly socket: Socket;
}

type Answer = (asked: Asked, response: ServerResponse) => void;

const json = (response: ServerResponse, text: string, status = 200): void =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);

const BIG = '{"n": 12345678901234567890, "d": 0.10000000000000000555, "e": 1.0}';

/** By path below `/v1`. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  '/echo': ({ method, url, headers, body }, response) =>
    json(response, JSON.stringify({ method, url, headers, body })),
  '/digits': (_, response) => json(response, BIG),
  '/problem': (_, response) =>
    void response.writeHead(404, { 'Content-Type': 'application/problem+json' }).end('{"a":1}'),
  '/no-json': (_, response) => json(response, '{no'),
  '/text': (_, response) =>
    void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('grüße'),
  '/bytes': (_, response) =>
    void response
      .writeHead(200, { 'Content-Type': 'image/png' })
      .end(Buffer.from([0x89, 0x50, 0xff, 0])),
  '/nothing': (_, response) => void response.writeHead(204).end(),
  '/gzip': (_, response) =>
    void response
      .writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' })
      .end(gzipSync('packed')),
  '/brotli': (_, response) =>
    void response
      .writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'br' })
      .end(brotliCompressSync('packed')),
  '/cookies': (_, response) =>
    void response
      .writeHead(200, { 'Set-Cookie': ['a=1; Path=/', 'b=2'], 'X-Two': ['1', '2'] })
      .end(),
  '/large': ({ query }, response) => void response.end('x'.repeat(Number(query.get('bytes')))),
  '/bomb': (_, response) =>
    void response
      .writeHead(200, { 'Content-Encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(64 * 1024 * 1024))),
  '/status': ({ query }, response) => json(response, '{"said":"no"}', Number(query.get('status'))),
  // The first two times it is not there.
  '/flaky': ({ query, times }, response) => {
    if (times > 2) return json(response, `{"times":${times}}`);
    const retryAfter = query.get('retry_after');
    if (retryAfter !== null) response.setHeader('Retry-After', retryAfter);
    return json(response, '{}', Number(query.get('status') ?? '503'));
  },
  '/cut': ({ socket }) => void socket.destroy(),
  '/cut-once': ({ socket, times }, response) => {
    if (times === 1) socket.destroy();
    else json(response, `{"times":${times}}`);
  },
  '/half': ({ socket }, response) => {
    response.writeHead(200, { 'Content-Length': '100' }).write('half');
    setTimeout(() => socket.destroy(), 50);
  },
  '/hang': () => {},
  '/to': ({ query }, response) =>
    void response
      .writeHead(Number(query.get('status') ?? '302'), { Location: query.get('location') ?? '' })
      .end('gone'),
  '/round': (_, response) => void response.writeHead(302, { Location: '/v1/round' }).end(),
};

/** Starts one on a free port of loopback. */
export async function startHttpServer(): Promise<HttpServer> {
  let asked: Seen[] = [];
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const { method = '', url = '', headers, socket } = request;
      const seen = { method, url, headers, body };
      asked.push(seen);
      const times = (counts.get(url) ?? 0) + 1;
      counts.set(url, times);
      const { pathname: path, searchParams: query } = new URL(url, 'http://server.test');
      const answer = ANSWERS[path.replace(/^\/v1/, '')];
      if (answer) answer({ ...seen, path, query, times, socket }, response);
      else json(response, JSON.stringify({ path }), 404);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    seen() {
      const before = asked;
      asked = [];
      return before;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
