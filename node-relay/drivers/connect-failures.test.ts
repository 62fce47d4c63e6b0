/** Whatever keeps a driver from its backend is told in the same words' form, without address or credential. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { drivers } from './index.ts';
import { selfSigned } from './test/certificate.ts';
import { callOf, openClient } from './test/host.ts';

type Kind = keyof typeof drivers;

const CREDENTIALS = ['name-of-user', 'secret-of-user', 'wrong.invalid', '127.0.0.1', '::1'];
const LOGIN = 'name-of-user:secret-of-user@';

const SPEAKS_HTTP: readonly Kind[] = ['clickhouse', 'http', 'pinecone'];

/** How each kind writes an address, and that it is to be reached by TLS. */
const WRITTEN: Readonly<Record<Kind, (at: string, tls: boolean) => string>> = {
  postgres: (at, tls) => `postgresql://${LOGIN}${at}/db${tls ? '?sslmode=verify-full' : ''}`,
  mysql: (at, tls) => `mysql://${LOGIN}${at}/db${tls ? '?ssl-mode=VERIFY_IDENTITY' : ''}`,
  mongo: (at, tls) => `mongodb://${LOGIN}${at}/db${tls ? '?tls=true' : ''}`,
  cassandra: (at, tls) => `cassandra://${LOGIN}${at}/db${tls ? '?tls=true' : ''}`,
  clickhouse: (at, tls) => `clickhouse://${LOGIN}${at}/db${tls ? '?secure=true' : ''}`,
  redis: (at, tls) => `redis${tls ? 's' : ''}://${LOGIN}${at}/0`,
  http: (at, tls) => `http${tls ? 's' : ''}://${at}/`,
  pinecone: (at, tls) => `http${tls ? 's' : ''}://${at}/`,
};

/** What listens, by what it does to who connects. */
type Behaviour = (socket: Socket) => void;

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  'says nothing': (socket) => socket.resume(),
  closes: (socket) => socket.end(),
  resets: (socket) => socket.resetAndDestroy(),
  'closes after the first words': (socket) => socket.once('data', () => socket.end()),
  'says random words at once': (socket) => socket.end(randomBytes(300)),
  'answers with random words': (socket) => socket.on('data', () => socket.end(randomBytes(300))),
  'speaks another protocol': (socket) => socket.end('220 mail.example ESMTP\r\n'),
};

const servers: Server[] = [];
const sockets = new Set<Socket>();
const places = new Map<string, string>();

beforeAll(async () => {
  for (const [name, behaviour] of Object.entries(BEHAVIOURS)) {
    places.set(name, await listening(createServer(behaviour)));
  }
  const { certificate: cert, key } = selfSigned({ dnsName: 'elsewhere.test', years: 1 });
  places.set('has a certificate of its own', await listening(createTlsServer({ cert, key })));
  places.set('does not listen', '127.0.0.1:1');
  places.set('has no address', 'wrong.invalid:5000');
});

afterAll(() => {
  for (const server of servers) server.close();
  for (const socket of sockets) socket.destroy();
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`; // It listens on a port.
}

async function failureAt(kind: Kind, place: string, tls: boolean): Promise<unknown> {
  const at = places.get(place);
  if (at === undefined) throw new Error(`nothing ${place}`);
  const connection: Json = { url: WRITTEN[kind](at, tls) };
  const settings = kind === 'pinecone' ? { api_key: 'secret-of-user' } : {};
  const session = await openClient(drivers[kind], { connection, settings, mode: 'read' });
  try {
    return await session.ping(callOf('read', { signal: AbortSignal.timeout(30_000) }));
  } catch (thrown) {
    return thrown;
  } finally {
    await session.close();
  }
}

test('whatever keeps a driver from its backend is told so, without address or credential', async () => {
  const kinds = Object.keys(drivers) as Kind[]; // Its own keys.
  const cases = kinds.flatMap((kind) =>
    [...places.keys()].flatMap((place) =>
      [false, true]
        // Of a server that took a request in clear text, silence is its deadline's.
        .filter((tls) => tls || place !== 'says nothing' || !SPEAKS_HTTP.includes(kind))
        .map((tls) => ({ kind, place, tls })),
    ),
  );
  const order = fc.sample(fc.shuffledSubarray(cases, { minLength: cases.length }), 1)[0] ?? [];
  const told = await Promise.all(
    order.map(async ({ kind, place, tls }) => {
      const failure = await failureAt(kind, place, tls);
      const { code, message } = failure instanceof GatewayError ? failure : {};
      const isGood =
        code === 'CONNECTION_FAILED' &&
        /^Unable to connect to database: \S/.test(message ?? '') &&
        !CREDENTIALS.some((secret) => message?.includes(secret));
      return isGood ? [] : [`${kind}${tls ? ' by TLS' : ''}, that ${place}: ${String(failure)}`];
    }),
  );
  expect(told.flat()).toEqual([]);
  expect(order.length).toBe(kinds.length * 10 * 2 - SPEAKS_HTTP.length);
}, 60_000);
