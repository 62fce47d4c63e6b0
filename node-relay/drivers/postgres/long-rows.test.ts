/** Rows that take long to write are written in pieces, in their order, while the server is held back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Call } from '../../../proto/driver.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

const MIB = 1024 * 1024;
/** Elements of 200,000 integers are 400 kB. */
const ARRAY = 'ARRAY(SELECT 1 FROM generate_series(1, 200000))';
const TEXTS = `ARRAY(SELECT CASE WHEN n % 3 = 0 THEN NULL ELSE '"' || n END FROM generate_series(1, 60000) n)`;
const ROWS = `SELECT n, CASE n WHEN 2 THEN ${ARRAY}::text[] WHEN 4 THEN ${TEXTS} ELSE '{a}' END AS v FROM generate_series(1, 6) n`;

let database: TestDatabase;
let session: PostgresClient;
beforeAll(async () => {
  database = await TestDatabase.create(`CREATE TYPE mood AS ENUM ('good')`);
  session = await database.open('read', { connections: 1 });
});
afterAll(() => database.drop());

/** Takes a turn of the loop for each piece, and counts them. */
function turns(waitMs = 0) {
  const seen = { pauses: 0 };
  const inTurn = async <Result>(pieces: Pieces<Result>): Promise<Result> => {
    await sleep(waitMs);
    for (;;) {
      const piece = pieces.next();
      if (piece.done) return piece.value;
      seen.pauses += 1;
      await sleep(0);
    }
  };
  return { seen, inTurn };
}

const answered = async (request: PostgresRequest, bounds: Partial<Call>) =>
  Buffer.from(await session.run(request, callOf('read', bounds))).toString();

/** What a stream told, and what it failed with. */
async function streamed(request: PostgresRequest, bounds: Partial<Call>, client = session) {
  const pieces: Uint8Array[] = [];
  const ended = (async () => {
    for await (const piece of client.stream(request, callOf('read', bounds))) pieces.push(piece);
  })();
  const failure = await ended.catch((thrown: unknown) => thrown);
  // Each piece is whole lines.
  expect(pieces.filter((piece) => piece.length > 0 && piece.at(-1) !== 10)).toEqual([]);
  return { text: Buffer.concat(pieces).toString(), failure };
}

const served = async () =>
  expect((await run(session, sql('SELECT 1 AS n'), 'read')).rows).toEqual([{ n: 1 }]);

test('a result with long arrays is the same, and others have the thread meanwhile', async () => {
  const { seen, inTurn } = turns();
  const result = await answered(sql(ROWS), { inTurn });
  expect(seen.pauses).toBeGreaterThan(60);
  expect(result).toBe(await answered(sql(ROWS), {}));
  const values = JSON.parse(result).rows.map(({ v }: { v: string[] }) => v.length);
  expect(values).toEqual([1, 200_000, 1, 60_000, 1, 1]);
});

test('a stream with long arrays is the same, and others have the thread meanwhile', async () => {
  const { seen, inTurn } = turns();
  const { text, failure } = await streamed(sql(ROWS), { inTurn });
  expect(failure).toBeUndefined();
  expect(seen.pauses).toBeGreaterThan(60);
  expect(text).toBe((await streamed(sql(ROWS), {})).text);
});

test('so are rows of types that were not known before', async () => {
  const { seen, inTurn } = turns();
  const query = `SELECT ARRAY(SELECT 'good'::mood FROM generate_series(1, 100000)) AS v
    UNION ALL SELECT '{good}' FROM generate_series(1, 30000)`;
  const result = await answered(sql(query), { inTurn });
  expect(seen.pauses).toBeGreaterThan(40);
  expect(result).toBe(await answered(sql(query), {}));
});

test('a change is kept whose answer is long, and undone where that is too large', async () => {
  const write = await database.open('write');
  await run(write, sql('CREATE TABLE long (v int[])', undefined, { type: 'execute' }), 'write');
  const { seen, inTurn } = turns();
  const insert = sql(`INSERT INTO long VALUES (${ARRAY}) RETURNING v`);
  const result = await write.run(insert, callOf('write', { inTurn }));
  expect(JSON.parse(Buffer.from(result).toString()).rows[0].v).toHaveLength(200_000);
  expect(seen.pauses).toBeGreaterThan(20);
  const tooLarge = write.run(insert, callOf('write', { inTurn, resultMaxBytes: 300_000 }));
  await expect(tooLarge).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
  const { rows } = await run(write, sql('SELECT count(*)::int AS n FROM long'), 'read');
  expect(rows).toEqual([{ n: 1 }]);
});

test('a change of a stream is not kept before its rows are lines', async () => {
  const write = await database.open('write');
  await run(write, sql('CREATE TABLE told (v int[])', undefined, { type: 'execute' }), 'write');
  const ending = new AbortController();
  const { inTurn } = turns(300);
  setTimeout(() => ending.abort(new Error('the deadline passed')), 150);
  const insert = sql(`INSERT INTO told VALUES (${ARRAY}) RETURNING v`);
  const told = await streamed(insert, { mode: 'write', inTurn, signal: ending.signal }, write);
  expect(String(told.failure)).toContain('the deadline passed');
  const { rows } = await run(write, sql('SELECT count(*)::int AS n FROM told'), 'read');
  expect(rows).toEqual([{ n: 0 }]);
});

test('the rows before a failure are told, of a stream', async () => {
  const { inTurn } = turns(50);
  const query = `SELECT n, ${ARRAY} AS v, 1 / (3 - n) AS q FROM generate_series(1, 4) n`;
  const { text, failure } = await streamed(sql(query), { inTurn });
  expect(failure).toMatchObject({ code: 'REQUEST_FAILED' });
  const lines = text.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).n)).toEqual([1, 2]);
  await served();
});

test.each<[string, (bounds: Partial<Call>) => Promise<unknown>]>([
  ['a result', (bounds) => answered(sql(ROWS), bounds).catch((thrown: unknown) => thrown)],
  ['a stream', async (bounds) => (await streamed(sql(ROWS), bounds)).failure],
])(
  '%s ends at its deadline while a row is written, and the next call is served',
  async (_, ask) => {
    const ending = new AbortController();
    const { inTurn } = turns(300);
    setTimeout(() => ending.abort(new Error('the deadline passed')), 150);
    expect(String(await ask({ inTurn, signal: ending.signal }))).toContain('the deadline passed');
    await served();
  },
);

test('while one is written no more rows are kept than had come', async () => {
  const query = `SELECT ${ARRAY}::text AS v, ${ARRAY} AS a UNION ALL
    SELECT repeat('x', ${MIB}), '{}' FROM generate_series(1, 200)`;
  const kept = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
  const before = kept();
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, kept() - before);
  }, 5);
  const { inTurn } = turns(1_000);
  const rows = session.stream(sql(query), callOf('read', { inTurn }));
  let bytes = 0;
  let whileHeld = 0;
  for await (const piece of rows) {
    if (bytes === 0) whileHeld = most;
    bytes += piece.length;
  }
  clearInterval(timer);
  expect(bytes).toBeGreaterThan(200 * MIB);
  expect(whileHeld).toBeLessThan(60 * MIB);
});
