/** Values and rows that are too large: refused before they are kept; and large values of requests, kept no longer than they are needed. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Call } from '../../../proto/driver.ts';
import type { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { fieldOrRowTooLarge } from '../field-limit.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

const MIB = 1024 * 1024;
/** Far below what the server sends, and far above what a process wavers by. */
const GROWTH_MAX = 100 * MIB;

let database: TestDatabase;
let session: PostgresClient;
beforeAll(async () => {
  database = await TestDatabase.create();
  session = await database.open('read');
});
afterAll(() => database.drop());

/** What a stream came to. */
async function streamed(query: string) {
  let bytes = 0;
  const ended = (async () => {
    if (!session.stream) throw new Error('no stream');
    for await (const piece of session.stream(sql(query), callOf('read'))) bytes += piece.length;
  })();
  const failure = await ended.catch((thrown: unknown) => thrown);
  return { bytes, failure };
}

/** Not the whole process: compiling the parser takes half a gigabyte for a second. */
function kept(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What work answers, and the most that was kept meanwhile. */
async function growth<Value>(work: () => Promise<Value>): Promise<[Value, number]> {
  const before = kept();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, kept());
  }, 5);
  try {
    return [await work(), most - before];
  } finally {
    clearInterval(timer);
  }
}

const failed = (request: PostgresRequest, bounds: Partial<Call> = {}) =>
  session.run(request, callOf('read', bounds)).catch((thrown: unknown) => thrown);

/** A text of so many mebibytes. */
const wide = (mebibytes: number) => `repeat('x', ${mebibytes * MIB})`;

describe('what is too large', () => {
  test('a row is refused without being kept, and the next call is served', async () => {
    const [failure, grown] = await growth(() => failed(sql(`SELECT ${wide(300)} AS v`)));
    expect(failure).toMatchObject({ code: 'RESULT_TOO_LARGE' });
    expect((failure as GatewayError).message).toContain('larger than 10485760 bytes');
    expect(grown).toBeLessThan(GROWTH_MAX);
    expect((await run(session, sql('SELECT 1 AS n'), 'read')).rows).toEqual([{ n: 1 }]);
  });

  test('a piece of COPY is refused, as many of them are', async () => {
    for (const query of [
      `COPY (SELECT ${wide(400)}) TO STDOUT`,
      `COPY (SELECT ${wide(1)} FROM generate_series(1, 40)) TO STDOUT`,
    ]) {
      const [failure, grown] = await growth(() => failed({ type: 'copy_out', query }));
      expect(failure).toMatchObject({ code: 'RESULT_TOO_LARGE' });
      expect(grown).toBeLessThan(GROWTH_MAX);
    }
  });

  test('a value of a stream is refused by its name, after the rows before it', async () => {
    const query = `SELECT n, 'ab' AS small, CASE WHEN n = 3 THEN ${wide(65)} END AS big FROM generate_series(1, 4) n`;
    const { bytes, failure } = await streamed(query);
    expect(failure).toEqual(fieldOrRowTooLarge('big'));
    expect(bytes).toBe(2 * '{"n":1,"small":"ab","big":null}\n'.length);
  });

  test('a row of a stream whose values are too large together is refused', async () => {
    const { failure } = await streamed(`SELECT ${wide(40)} AS one, ${wide(40)} AS other`);
    expect(failure).toEqual(fieldOrRowTooLarge(undefined));
  });

  test('a value of a stream just below passes', async () => {
    const { bytes, failure } = await streamed(`SELECT ${wide(63)} AS v`);
    expect(failure).toBeUndefined();
    expect(bytes).toBe('{"v":""}\n'.length + 63 * MIB);
  });

  test('a write whose answer is too large is undone', async () => {
    const write = await database.open('write');
    await write.run(
      sql('CREATE TABLE kept (v text)', undefined, { type: 'execute' }),
      callOf('write'),
    );
    const query = `INSERT INTO kept VALUES ('a') RETURNING ${wide(100)} AS v`;
    const failure = await write.run(sql(query), callOf('write')).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'RESULT_TOO_LARGE' });
    expect((await run(write, sql('SELECT count(*)::int AS n FROM kept'), 'write')).rows).toEqual([
      { n: 0 },
    ]);
  });
});

test('parameters of a large request are written in pieces, and arrive as they are', async () => {
  const values = Array.from({ length: 20_000 }, (_, at) => ({ at, text: `é${at}` }));
  let pauses = 0;
  const inPieces = async <Result>(pieces: Pieces<Result>): Promise<Result> => {
    for (;;) {
      const piece = pieces.next();
      if (piece.done) return piece.value;
      pauses += 1;
    }
  };
  const request = sql('SELECT $1::jsonb AS back', [values]);
  const result = await session.run(request, callOf('read', { inPieces }));
  expect(JSON.parse(new TextDecoder().decode(result)).rows).toEqual([{ back: values }]);
  expect(pauses).toBeGreaterThan(5);
});

describe('while a large request waits for the server', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const inPieces = async <Result>(pieces: Pieces<Result>): Promise<Result> => whole(pieces);

  test.each<[string, (value: Json) => PostgresRequest]>([
    ['query', (value) => sql('SELECT $1::jsonb AS back, pg_sleep(0.5)::text AS s', [value])],
    [
      'query_typed',
      (value) =>
        sql('SELECT $1 AS back, pg_sleep(0.5)::text AS s', [[value, 'jsonb']], {
          type: 'query_typed',
        }),
    ],
  ])('nothing refers to the values of %s any more', async (_, requestOf) => {
    const values = [{ text: 'é', list: [1.5, null] }];
    const text = JSON.stringify(values);
    const isGone = Promise.withResolvers<boolean>();
    const sent = () => {
      const value = JSON.parse(text) as Json;
      const held = new WeakRef(value as object); // It is an array.
      const letGo = () =>
        setTimeout(() => {
          collect();
          isGone.resolve(held.deref() === undefined);
        }, 50);
      return session.run(requestOf(value), callOf('read', { inPieces, letGo }));
    };
    const answered = sent();
    expect(await isGone.promise).toBe(true);
    expect(JSON.parse(new TextDecoder().decode(await answered)).rows).toEqual([
      { back: values, s: '' },
    ]);
  });
});
