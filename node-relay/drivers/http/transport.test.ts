/** The relay's line to servers: what it dials, keeps and gives back. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../../kinds/http/index.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { parseAllowList } from '../../allow-list.ts';
import { Dialer, type DialPolicy } from '../../dial.ts';
import type { Host } from '../driver.ts';
import { selfSigned } from '../test/certificate.ts';
import { callOf, openClient, testHost } from '../test/host.ts';
import { http } from './index.ts';

const running: Server[] = [];
afterEach(() => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a server; answers its port. */
async function serve(
  listener: RequestListener,
  address = '127.0.0.1',
  server?: Server,
): Promise<number> {
  const own = server ?? createServer(listener);
  running.push(own);
  own.listen(0, address);
  await once(own, 'listening');
  return (own.address() as AddressInfo).port; // It listens on a port.
}

const get = (members: Partial<HttpRequest> = {}): HttpRequest => ({
  type: 'request',
  method: 'GET',
  path: '',
  ...members,
});
const parsed = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no failure',
    (thrown: unknown) => thrown,
  );

/** A host that dials by a policy, and as many connections as `testHost`. */
function dialling(policy: Partial<DialPolicy>): Host {
  const dialer = new Dialer({
    allow: parseAllowList(''),
    setting: 'HTTP_ALLOW_PRIVATE',
    ownPort: () => undefined,
    gateway: undefined,
    ...policy,
  });
  return { ...testHost(), dial: (host, port, signal) => dialer.dial(host, port, signal) };
}

const open = (url: string, host = testHost(), mode: 'read' | 'write' = 'write') =>
  openClient(http, { connection: { url }, mode, host });

describe('a connection', () => {
  test('serves one request after another', async () => {
    const ports = new Set<number | undefined>();
    const port = await serve(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.end('{}');
    });
    const session = await open(`http://127.0.0.1:${port}`);
    for (let each = 0; each < 5; each += 1) await session.run(get(), callOf('read'));
    expect(ports.size).toBe(1);
    await session.close();
  });

  test('that the server closes after each reply is replaced, for POST too', async () => {
    let served = 0;
    const port = await serve((_, response) => {
      served += 1;
      response.writeHead(200, { Connection: 'close' }).end('{}');
    });
    const session = await open(`http://127.0.0.1:${port}`);
    for (let each = 0; each < 5; each += 1) {
      await session.run(get({ method: 'POST' }), callOf('write'));
    }
    expect(served).toBe(5);
  });

  test('is not more than the caps allow, with redirects elsewhere too', async () => {
    const busy = { now: 0, most: 0 };
    const slow: RequestListener = (_, response) => {
      busy.now += 1;
      busy.most = Math.max(busy.most, busy.now);
      setTimeout(() => {
        busy.now -= 1;
        response.end('{}');
      }, 100);
    };
    const elsewhere = await serve(slow);
    const port = await serve((request, response) => {
      if (request.url !== '/to') return slow(request, response);
      response.writeHead(302, { Location: `http://127.0.0.1:${elsewhere}/` }).end();
    });
    const session = await open(`http://127.0.0.1:${port}`, testHost(2));
    const paths = ['', '/to', '', '/to', '/to', '', '/to', ''];
    const replies = await Promise.all(
      paths.map((path) => session.run(get({ path }), callOf('read'))),
    );
    expect(replies.map((each) => parsed(each).status)).toEqual(paths.map(() => 200));
    expect(busy.most).toBe(2);
  });

  test('whose reply was left is not used again', async () => {
    const ports: (number | undefined)[] = [];
    const port = await serve(({ socket }, response) => {
      ports.push(socket.remotePort);
      response.end('x'.repeat(1_000_000));
    });
    const session = await open(`http://127.0.0.1:${port}`, testHost(1));
    for (let each = 0; each < 3; each += 1) {
      const failure = await failureOf(
        session.run(get(), callOf('read', { resultMaxBytes: 1_000 })),
      );
      expect(failure).toMatchObject({ code: 'RESULT_TOO_LARGE' });
    }
    expect(new Set(ports).size).toBe(3);
  });

  test('is over TLS only to a trusted certificate', async () => {
    const { certificate, key } = selfSigned({ dnsName: 'api.test', years: 1 });
    const server = createTlsServer({ cert: certificate, key }, (_, response) => response.end());
    const port = await serve(() => {}, '127.0.0.1', server);
    const session = await open(`https://127.0.0.1:${port}`);
    expect(await failureOf(session.ping(callOf('read')))).toMatchObject({
      code: 'CONNECTION_FAILED',
      message: "Unable to connect to database: the server's certificate is not trusted",
    });
  });

  test('to what speaks no HTTP fails', async () => {
    const server = createTcpServer((socket) => socket.end('+PONG\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // As above.
    const session = await open(`http://127.0.0.1:${port}`);
    const failure = await failureOf(session.run(get({ retry: false }), callOf('read')));
    expect(failure).toMatchObject({ code: 'CONNECTION_FAILED' });
    server.close();
  });
});

test('a write is sent again where nothing was sent before', async () => {
  let dials = 0;
  const port = await serve((_, response) => response.end('{}'));
  const host: Host = {
    ...testHost(),
    async dial(name, _port, signal) {
      dials += 1;
      if (dials < 3) throw new GatewayError('CONNECTION_FAILED', 'refused');
      return testHost().dial(name, port, signal);
    },
  };
  const session = await open('http://127.0.0.1:9', host);
  expect(parsed(await session.run(get({ method: 'POST' }), callOf('write')))).toMatchObject({
    status: 200,
  });
  expect(dials).toBe(3);
});

test('a write is not read, whatever asks for it', async () => {
  const session = await open('http://127.0.0.1:9', testHost(), 'read');
  expect(await failureOf(session.run(get({ method: 'DELETE' }), callOf('read')))).toMatchObject({
    code: 'BAD_REQUEST',
    details: [{ path: 'method', message: 'writes' }],
  });
});

describe('an address', () => {
  const REFUSED = { code: 'ADDRESS_REFUSED', details: [{ rule: 'address' }] };

  test('that a name has changed to since is refused', async () => {
    const port = await serve(
      (_, response) => response.writeHead(200, { Connection: 'close' }).end('{}'),
      '127.0.0.2',
    );
    const answers = ['127.0.0.2', '127.0.0.1', '169.254.169.254'];
    let asked = 0;
    const host = dialling({
      // Stands for a public address.
      allow: parseAllowList('127.0.0.2'),
      resolve: async () => [answers[Math.min(asked++, 2)] ?? ''],
    });
    const session = await open(`http://rebinding.test:${port}`, host);
    expect(parsed(await session.run(get(), callOf('read')))).toMatchObject({ status: 200 });
    for (let each = 0; each < 2; each += 1) {
      expect(await failureOf(session.run(get(), callOf('read')))).toMatchObject(REFUSED);
    }
  });

  test.each([
    'http://127.0.0.1:PORT/',
    'http://private.test:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://2130706433:PORT/',
    'http://0.0.0.0:PORT/',
    '//127.0.0.1:PORT/',
  ])('that a redirect leads to is refused where it is private: %s', async (location) => {
    const reached: unknown[] = [];
    const inside = await serve(({ url }, response) => {
      reached.push(url);
      response.end('secret');
    });
    const port = await serve((_, response) => {
      response.writeHead(302, { Location: location.replace('PORT', String(inside)) }).end();
    }, '127.0.0.2');
    const host = dialling({
      allow: parseAllowList('127.0.0.2'),
      resolve: async (name) => [name === 'public.test' ? '127.0.0.2' : '10.0.0.7'],
    });
    const session = await open(`http://public.test:${port}`, host);
    expect(await failureOf(session.run(get(), callOf('read')))).toMatchObject(REFUSED);
    expect(reached).toEqual([]);
  });
});

test('a client that leaves ends the request', async () => {
  let ended = (): void => {};
  const closed = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const leaving = new AbortController();
  const port = await serve((request) => {
    request.socket.once('close', ended);
    leaving.abort(new GatewayError('TIMED_OUT', 'The client went away'));
  });
  const session = await open(`http://127.0.0.1:${port}`);
  const call = callOf('read', { signal: leaving.signal });
  const failure = failureOf(session.run(get(), call));
  expect(await failure).toMatchObject({ code: 'TIMED_OUT' });
  await closed;
});

test('nothing from a caller splits a request', async () => {
  const seen: unknown[] = [];
  const port = await serve(({ url, headers }, response) => {
    seen.push([url, headers.host, headers['x-own']]);
    response.end();
  });
  const session = await open(`http://127.0.0.1:${port}`);
  const query = { 'a\r\nX: y': '\r\n\r\nGET / HTTP/1.1' };
  await session.run(get({ query, headers: { 'X-Own': 'a' } }), callOf('read'));
  expect(seen).toEqual([
    ['/?a%0D%0AX%3A+y=%0D%0A%0D%0AGET+%2F+HTTP%2F1.1', `127.0.0.1:${port}`, 'a'],
  ]);
});
