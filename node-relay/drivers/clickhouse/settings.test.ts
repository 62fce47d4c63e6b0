/** Connections that are taken, and those that are refused by name; TLS to servers of all sorts. */
import { createServer } from 'node:https';
import { afterEach, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { selfSigned } from '../test/certificate.ts';
import { callOf, openClient } from '../test/host.ts';
import { clickhouse } from './index.ts';
import { settingsOf } from './settings.ts';
import { sql } from './test/database.ts';

const DEFAULT = {
  host: 'h',
  port: 8123,
  tls: false,
  database: '',
  user: 'default',
  password: '',
  application: 'causeway',
  connectTimeoutMs: 10_000,
  serverSettings: {},
};

describe('a connection', () => {
  test.each([
    [{ url: 'clickhouse://h' }, {}],
    [
      { url: 'clickhouse://u:p%40s@h:9000/d' },
      { port: 9000, user: 'u', password: 'p@s', database: 'd' },
    ],
    [{ url: 'clickhouses://h' }, { port: 8443, tls: true }],
    [{ url: 'https://h/d' }, { port: 8443, tls: true, database: 'd' }],
    [{ url: 'http://h:80' }, { port: 80 }],
    [{ url: 'clickhouse://h?secure=true' }, { port: 8443, tls: true }],
    [
      { url: 'clickhouse://h?user=u&password=p&database=d' },
      { user: 'u', password: 'p', database: 'd' },
    ],
    [{ url: 'clickhouse://[::1]:1' }, { host: '::1', port: 1 }],
    [{ url: 'clickhouse://h?ch_max_threads=2' }, { serverSettings: { max_threads: '2' } }],
    [
      { url: 'clickhouse://a@h', auth: 'u:p:q' },
      { user: 'u', password: 'p:q' },
    ],
    [
      { host: 'h', tls: true, db: 'd', auth: { username: 'u', password: 'p' } },
      { port: 8443, tls: true, database: 'd', user: 'u', password: 'p' },
    ],
    [{ host: 'h', auth: 'None' }, {}],
  ])('%o is read', (connection, expected) => {
    expect(settingsOf(connection)).toEqual({ ...DEFAULT, ...expected });
  });

  test.each([
    [{ url: 'tcp://h' }, /begins with clickhouse/],
    [{ url: 'clickhouse://h?session_id=1' }, /session_id/],
    [{ url: 'clickhouse://h?ch_readonly=0' }, /ch_readonly/],
    [{ url: 'clickhouse://h?http_proxy=x' }, /http_proxy/],
    [{ url: 'http://h?secure=true' }, /contradicts/],
    [{ url: 'clickhouse://h/a/b' }, /path/],
    [{ url: 'clickhouse://a,b/d' }, /one host/],
    [{ url: 'clickhouse://h/%' }, /%/],
    [{ host: '/var/run/x' }, /one host/],
    [{ host: 'h', auth: { username: 'a:b', password: 'p' } }, /colon/],
  ])('%o is refused', (connection, message) => {
    expect(() => settingsOf(connection)).toThrow(message);
  });
});

describe('TLS', () => {
  let stop = () => {};
  afterEach(() => stop());

  test.each([
    [
      'is not trusted',
      { dnsName: 'localhost', years: 1 },
      "Unable to connect to database: the server's certificate is not trusted",
    ],
  ])(
    'a certificate that %s is refused before the password is sent',
    async (_, options, message) => {
      const { certificate: cert, key } = selfSigned(options);
      const asked: unknown[] = [];
      const server = createServer({ cert, key }, (request, reply) => {
        asked.push(request.headers);
        reply.end();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      stop = () => {
        server.closeAllConnections();
        server.close();
      };
      const { port } = server.address() as { port: number }; // It listens on a port.
      const connection = { url: `clickhouse://u:p@127.0.0.1:${port}?secure=true` };
      const session = await openClient(clickhouse, { connection, mode: 'read' });
      expect(await failureOf(session.run(sql('SELECT 1'), callOf('read')))).toMatchObject({
        code: 'CONNECTION_FAILED',
        message,
      });
      expect(asked).toEqual([]);
      await session.close();
    },
  );

  test('to a server that is not ClickHouse, or a redirect, is told and not followed', async () => {
    const { createServer: plain } = await import('node:http');
    const server = plain((_, reply) => {
      reply.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end('elsewhere');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stop = () => {
      server.closeAllConnections();
      server.close();
    };
    const { port } = server.address() as { port: number }; // It listens on a port.
    const connection = { url: `clickhouse://u:p@127.0.0.1:${port}` };
    const session = await openClient(clickhouse, { connection, mode: 'read' });
    expect(await failureOf(session.run(sql('SELECT 1'), callOf('read')))).toMatchObject({
      code: 'CONNECTION_FAILED',
      details: [],
    });
    await session.close();
  });
});
