/** Connections through something in between: cut at the worst moment, or a pooler. */
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE items (name text)');
});
afterAll(() => database.drop());

describe('a connection that is cut', () => {
  /** Passes bytes on to the server until it is told to cut. */
  async function proxied(
    onClient: (data: Buffer, cut: () => void) => void,
  ): Promise<{ url: string; server: Server }> {
    const to = new URL(database.url);
    const port = Number(to.port);
    const server = createServer((client) => {
      const upstream = connect(port, to.hostname);
      const cut = () => {
        client.destroy();
        upstream.end();
      };
      client.on('error', () => {}).on('close', () => upstream.end());
      upstream.on('error', () => {}).on('close', () => client.destroy());
      client.on('data', (data) => {
        upstream.write(data);
        onClient(data, cut);
      });
      upstream.on('data', (data) => client.write(data));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    to.port = String(typeof address === 'object' ? address?.port : 0);
    return { url: to.href, server };
  }

  test.each([
    {
      what: 'a write that commits by itself',
      request: sql("INSERT INTO items VALUES ('cut')"),
      code: 'OUTCOME_UNKNOWN',
    },
    { what: 'the commit of a transaction', request: undefined, code: 'OUTCOME_UNKNOWN' },
    {
      what: 'a write whose rows were not read yet',
      request: sql("INSERT INTO items VALUES ('cut-rows') RETURNING name"),
      code: 'CONNECTION_FAILED',
    },
  ])('after $what was sent: $code', async ({ request, code }) => {
    const marker = request ? "VALUES ('cut" : 'COMMIT';
    const { url, server } = await proxied((data, cut) => {
      // Behind a pooler the server is asked first what the statement calls.
      if (data.includes(marker) && !data.includes('BEGIN ATOMIC')) cut();
    });
    const session = await database.open('write', { connections: 1 }, url);
    const running = request
      ? session.run(request, callOf('write'))
      : session.transact([sql("INSERT INTO items VALUES ('t')")], callOf('write'));
    expect(await failureOf(running)).toMatchObject({ code });
    server.close();
  });

  test('a pooler that takes no startup options is served with settings by statement', async () => {
    let refused = 0;
    const to = new URL(database.url);
    const port = Number(to.port);
    const server = createServer((client) => {
      client.on('error', () => {});
      client.once('data', (first) => {
        // SSLRequest is answered with no, the startup message is looked at.
        if (first.length === 8) {
          client.write('N');
          client.once('data', (startup) => pass(startup));
        } else pass(first);
      });
      const pass = (startup: Buffer) => {
        if (startup.includes('options\0')) {
          refused += 1;
          const body = Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter: options\0\0');
          const head = Buffer.from([0x45, 0, 0, 0, 0]);
          head.writeInt32BE(body.length + 4, 1);
          client.end(Buffer.concat([head, body]));
          return;
        }
        const upstream = connect(port, to.hostname);
        upstream.on('error', () => {}).write(startup);
        client.pipe(upstream).pipe(client);
      };
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    to.port = String(typeof address === 'object' ? address?.port : 0);
    await database.outside.query(`ALTER DATABASE ${database.name} SET DateStyle = 'German'`);
    const read = await database.open('read', { connections: 1 }, to.href);
    const query =
      "SELECT '2024-01-02T03:04:05Z'::timestamptz AS t, current_setting('transaction_read_only') AS ro";
    expect((await run(read, sql(query), 'read')).rows).toEqual([
      { t: '2024-01-02T03:04:05Z', ro: 'on' },
    ]);
    const write = await database.open('write', { connections: 1 }, to.href);
    const inserted = await run(
      write,
      sql("INSERT INTO items VALUES ('pooled') RETURNING '2024-01-02T03:04:05Z'::timestamptz AS t"),
      'write',
    );
    expect(inserted.rows).toEqual([{ t: '2024-01-02T03:04:05Z' }]);
    expect(refused).toBe(2);
    await database.outside.query(`ALTER DATABASE ${database.name} RESET DateStyle`);
    await Promise.all([read.close(), write.close()]);
    server.close();
  });
});
