/** Streams: whole, bounded in memory, left early, failing on the way. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { after, failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let read: MysqlClient;
let write: MysqlClient;
beforeAll(async () => {
  database =
    await TestDatabase.create(`CREATE TABLE digits (d int); INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);
    CREATE TABLE t (v int)`);
  read = await database.open('read', { connections: 1 });
  write = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

/** A million rows of about 100 bytes. */
const MILLION = sql(
  `SELECT a.d + 10 * b.d AS i, repeat('x', 90) AS x
   FROM digits a, digits b, digits c, digits d, digits e, digits f`,
);

function streamed(session: MysqlClient, request: MysqlRequest, call = callOf('read')) {
  const { stream } = session;
  if (!stream) throw new Error('no streams');
  return stream.call(session, request, call);
}

function lines(piece: Uint8Array): number {
  let count = 0;
  for (const byte of piece) if (byte === 10) count += 1;
  return count;
}

test('stops the server and frees the connection when left early', async () => {
  for await (const piece of streamed(read, MILLION)) if (piece.length > 0) break;
  expect((await run(read, sql('SELECT 1 AS a'), 'read')).rows).toEqual([{ a: 1 }]);
  const busy = () =>
    database.look(
      "SELECT count(*) AS n FROM information_schema.PROCESSLIST WHERE INFO LIKE '%digits f%' AND ID <> connection_id()",
    );
  await expect.poll(busy).toEqual([{ n: 0 }]);
});

test('ends at the deadline', async () => {
  const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
  const call = callOf('read', { signal: after(150, reason) });
  const drained = (async () => {
    for await (const _ of streamed(read, sql('SELECT d, sleep(0.1) FROM digits'), call));
  })();
  expect(await failureOf(drained)).toBe(reason);
});

test('refuses before the first piece what the server refuses', async () => {
  const first = streamed(read, sql('SELECT * FROM missing'))[Symbol.asyncIterator]().next();
  expect(await failureOf(first)).toMatchObject({
    code: 'REQUEST_FAILED',
    details: [{ code: '1146' }],
  });
});

test('keeps a change that answers rows when all have arrived, and undoes it when left', async () => {
  const insert = sql(
    'INSERT INTO t SELECT a.d FROM digits a, digits b, digits c, digits d RETURNING v, repeat("x", 900)',
  );
  for await (const piece of streamed(write, insert, callOf('write'))) if (piece.length > 0) break;
  await expect.poll(() => database.look('SELECT count(*) AS n FROM t')).toEqual([{ n: 0 }]);
  let count = 0;
  for await (const piece of streamed(write, insert, callOf('write'))) count += lines(piece);
  expect(count).toBe(10_000);
  expect(await database.look('SELECT count(*) AS n FROM t')).toEqual([{ n: 10_000 }]);
});
