/** A server that says another state of its transaction than the statements left: no change of it counts as kept. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Mode } from '../../../proto/driver.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE items (name text)');
});
afterAll(() => database.drop());

/** ReadyForQuery with a state. */
const ready = (state: string) => Buffer.from(`Z\0\0\0\x05${state}`, 'latin1');

/** What the server is made to say instead of a state, from the bytes on that hold these words. */
interface Lie {
  readonly from: string;
  readonly was: string;
  readonly is: string;
}

/** A way to the server that lies. */
async function lyingServer({ from, was, is }: Lie) {
  const to = new URL(database.url);
  const port = Number(to.port);
  let open = 0;
  const server = createServer((client) => {
    const upstream = connect(port, to.hostname);
    let lies = false;
    open += 1;
    client
      .on('error', () => {})
      .on('data', (data) => {
        lies ||= data.includes(from);
        upstream.write(data);
      });
    client.on('close', () => {
      open -= 1;
      upstream.end();
    });
    upstream.on('error', () => {}).on('close', () => client.destroy());
    upstream.on('data', (data) => {
      const at = lies ? data.lastIndexOf(ready(was)) : -1;
      if (at !== -1) ready(is).copy(data, at);
      client.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  to.port = String((server.address() as AddressInfo).port); // It listens on a port.
  return {
    url: to.href,
    /** Once nobody is connected any more. */
    async left() {
      await expect.poll(() => open).toBe(0);
      server.close();
    },
  };
}

const INSERT = sql("INSERT INTO items VALUES ('a')");
type Work = (session: PostgresClient) => Promise<unknown>;

async function streamed(session: PostgresClient, request: PostgresRequest, mode: 'write') {
  for await (const piece of session.stream(request, callOf(mode))) void piece;
}

const WRITES: readonly (readonly [string, Work])[] = [
  ['a write', (session) => session.run(INSERT, callOf('write'))],
  [
    'a write that answers rows',
    (session) => session.run(sql("INSERT INTO items VALUES ('a') RETURNING name"), callOf('write')),
  ],
  [
    'a write whose rows stream',
    (session) => streamed(session, sql("INSERT INTO items VALUES ('a') RETURNING name"), 'write'),
  ],
  ['a write that streams', (session) => streamed(session, INSERT, 'write')],
  [
    'copy_in',
    (session) =>
      session.run(
        sql('COPY items FROM STDIN', [], { type: 'copy_in', value: 'a\n' }),
        callOf('write'),
      ),
  ],
];

/** How a call on a server that lies fails; its connection is ended. */
async function failureOn(lie: Lie, mode: Mode, work: Work): Promise<unknown> {
  const { url, left } = await lyingServer(lie);
  const session = await database.open(mode, { connections: 1 }, url);
  const failure = await failureOf(work(session));
  await left();
  return failure;
}

const transact: Work = async (session) => session.transact([INSERT], callOf('write'));

describe.each(['T', 'E'])('a server that says %s where it has no transaction', (is) => {
  test.each(WRITES)('after %s has not told how it ended', async (_, work) => {
    const failure = await failureOn({ from: 'items', was: 'I', is }, 'write', work);
    expect(failure).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  test('after COMMIT has not told how it ended', async () => {
    const failure = await failureOn({ from: 'COMMIT', was: 'I', is }, 'write', transact);
    expect(failure).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  test('after a read is not believed', async () => {
    const read: Work = (session) => session.run(sql('SELECT 1 AS a'), callOf('read'));
    const failure = await failureOn({ from: ' AS a', was: 'I', is }, 'read', read);
    expect(failure).toMatchObject({ code: 'CONNECTION_FAILED' });
  });

  test('at the login is not connected to', async () => {
    const read: Work = (session) => session.run(sql('SELECT 1 AS a'), callOf('read'));
    const failure = await failureOn({ from: 'causeway', was: 'I', is }, 'read', read);
    expect(failure).toMatchObject({ code: 'CONNECTION_FAILED' });
  });
});

test('a server that begins no transaction is asked for no change', async () => {
  await database.outside.query('TRUNCATE items');
  const failure = await failureOn({ from: 'BEGIN', was: 'T', is: 'I' }, 'write', transact);
  expect(failure).toMatchObject({ code: 'CONNECTION_FAILED' });
  expect((await database.outside.query('SELECT * FROM items')).rows).toEqual([]);
});
