/** Hostile servers that speak HTTP. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { httpFraming } from '../http-framing.ts';
import type { HostileKind, KindCall } from '../kind.ts';

const DOCUMENT = JSON.stringify({
  items: Array.from({ length: 40 }, (_, id) => ({ id, name: `item ${id}`, price: 1.1 * id })),
  big: '\u00e9'.repeat(50),
});
const JSON_TYPE = { 'Content-Type': 'application/json' };

const answer: RequestListener = (request, response) => {
  // The same each time.
  response.sendDate = false;
  switch (request.url) {
    case '/chunked':
      response.writeHead(200, JSON_TYPE);
      for (let at = 0; at < DOCUMENT.length; at += 300)
        response.write(DOCUMENT.slice(at, at + 300));
      return void response.end();
    case '/gzip':
      return void response
        .writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'gzip' })
        .end(gzipSync(DOCUMENT));
    case '/br':
      return void response
        .writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'br' })
        .end(brotliCompressSync(DOCUMENT));
    case '/away':
      return void response.writeHead(302, { Location: '/document' }).end('elsewhere');
    case '/created':
      request.resume();
      return void response.writeHead(201, { Location: '/created/1' }).end('{"id":1}');
    case '/missing':
      return void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('nothing here');
    default:
      return void response
        .writeHead(200, { ...JSON_TYPE, 'Content-Length': Buffer.byteLength(DOCUMENT) })
        .end(DOCUMENT);
  }
};

const get = (name: string, more: Partial<KindCall> = {}): KindCall => ({
  name,
  method: 'run',
  mode: 'read',
  request: { type: 'request', method: 'GET', path: name, retry: false },
  ...more,
});

export const kind: HostileKind = {
  kind: 'http',
  framing: httpFraming,
  calls: [
    get('document'),
    get('chunked'),
    get('gzip'),
    get('br'),
    get('away'),
    get('missing'),
    get('created', {
      mode: 'write',
      request: { type: 'request', method: 'POST', path: 'created', body: { a: 1 } },
    }),
  ],
  async start() {
    const server = createServer(answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port, // It listens on a port.
      connection: (host, port) => ({ url: `http://${host}:${port}/` }),
      async stop() {
        server.closeAllConnections();
        server.close();
      },
    };
  },
};
