/** A server that takes connections and never answers what asks for TLS, by every kind. */
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { drivers } from './index.ts';
import { callOf, openClient } from './test/host.ts';

/** Milliseconds: what a connection may take, and some for a machine that has much to do. */
const ANSWERED_MS = 13_000;

let server: Server;
let port: number;
const sockets = new Set<Socket>();

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port; // It listens on a port.
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const UNANSWERED = {
  code: 'CONNECTION_FAILED',
  message:
    'Unable to connect to database: the server did not answer the TLS handshake in time: it may not speak TLS on this port',
};

/** With the usual time for a connection, and with a short one where the URL can say it. */
const CONNECTIONS: readonly { kind: keyof typeof drivers; url: string; [member: string]: Json }[] =
  [
    { kind: 'postgres', url: 'postgres://user:secret@HOST/db?sslmode=require' },
    {
      kind: 'postgres',
      url: 'postgres://user:secret@HOST/db?sslmode=verify-full&connect_timeout=2',
    },
    { kind: 'mysql', url: 'mysql://user:secret@HOST/db?ssl-mode=REQUIRED' },
    { kind: 'mongo', url: 'mongodb://user:secret@HOST/db?tls=true&directConnection=true' },
    { kind: 'mongo', url: 'mongodb://user:secret@HOST/db?tls=true&connectTimeoutMS=2000' },
    { kind: 'cassandra', url: 'cassandra://user:secret@HOST/keyspace?tls=true' },
    { kind: 'clickhouse', url: 'https://user:secret@HOST/db' },
    { kind: 'redis', url: 'rediss://user:secret@HOST/0' },
    { kind: 'redis', url: 'rediss://user:secret@HOST/0?dial_timeout=2s' },
    { kind: 'redis', url: 'rediss://user:secret@HOST?cluster=true' },
    { kind: 'http', url: 'https://HOST/' },
    { kind: 'pinecone', url: 'https://HOST' },
  ];

describe('a server that never answers a TLS handshake', () => {
  test.concurrent.each(CONNECTIONS)('is told of in time: $url', async ({ kind, url, ...more }) => {
    const connection = { url: url.replace('HOST', `127.0.0.1:${port}`), ...more };
    const settings = kind === 'pinecone' ? { api_key: 'secret' } : {};
    const session = await openClient(drivers[kind], { connection, settings, mode: 'read' });
    const started = performance.now();
    const failure = await session.ping(callOf('read')).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject(UNANSWERED);
    expect(performance.now() - started).toBeLessThan(ANSWERED_MS);
    await session.close();
  });
});
