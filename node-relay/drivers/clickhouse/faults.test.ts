/** Lost connections, deadlines and errors: what callers are told, and what goes on at the server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
const SLOW = 'SELECT count() FROM numbers(1000000000000)';
const reason = new GatewayError('TIMED_OUT', 'The deadline passed');

beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a');
});
afterAll(() => database.drop());

/** Statements of that comment that run on the server now. */
async function running(mark: string): Promise<number> {
  const query = `SELECT count() FROM system.processes WHERE query LIKE '%${mark}%' AND query NOT LIKE '%system.processes%'`;
  return Number((await database.outside(query))[0]?.[0]);
}

describe('a call that is stopped', () => {
  test.each(['read', 'stream'] as const)('ends the statement on the server: %s', async (way) => {
    const session = await database.open('read', {}, 1);
    const stopping = new AbortController();
    const call = callOf('read', { signal: stopping.signal });
    const request = sql(`${SLOW} /* mark-${way} */`);
    const drain = async () => {
      for await (const _ of session.stream(request, call));
    };
    const failure = failureOf(way === 'read' ? session.run(request, call) : drain());
    await expect.poll(() => running(`mark-${way}`)).toBe(1);
    stopping.abort(reason);
    expect(await failure).toBe(reason);
    await expect.poll(() => running(`mark-${way}`)).toBe(0);
    expect((await run(session, sql('SELECT 1 AS a'), 'read')).rows).toEqual([{ a: 1 }]);
  });

  test('is of unknown outcome where it may have written, and is stopped', async () => {
    const session = await database.open('write', {}, 1);
    const request = sql('INSERT INTO t SELECT number FROM numbers(100000000000) /* mark-write */');
    const stopping = new AbortController();
    const failure = failureOf(session.run(request, callOf('write', { signal: stopping.signal })));
    await expect.poll(() => running('mark-write')).toBe(1);
    stopping.abort(reason);
    expect(await failure).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await expect.poll(() => running('mark-write')).toBe(0);
  });

  test('a stream that is left early ends the statement', async () => {
    const session = await database.open('read', {}, 1);
    const request = sql('SELECT number FROM numbers(1000000000000) /* mark-left */');
    for await (const piece of session.stream(request, callOf('read'))) {
      if (piece.length > 0) break;
    }
    await expect.poll(() => running('mark-left')).toBe(0);
  });
});

describe('a connection that the server drops', () => {
  test('while idle, is replaced without the caller noticing', async () => {
    const session = await database.open('read', {}, 1);
    await run(session, sql('SELECT 1'), 'read');
    database.dropConnections();
    expect((await run(session, sql('SELECT 2 AS a'), 'read')).rows).toEqual([{ a: 2 }]);
    database.dropConnections();
    await expect.poll(() => database.connections).toBe(0);
    expect((await run(session, sql('SELECT 3 AS a'), 'read')).rows).toEqual([{ a: 3 }]);
  });

  test.each([
    ['read', 'CONNECTION_FAILED', SLOW],
    [
      'write',
      'OUTCOME_UNKNOWN',
      // The server sleeps no longer than three seconds for a block.
      'INSERT INTO t SELECT sleepEachRow(2) FROM numbers(10) SETTINGS max_block_size = 1',
    ],
    ['write', 'CONNECTION_FAILED', SLOW],
  ] as const)('under a %s, tells %s: %s', async (mode, code, query) => {
    // Without a look-up ahead: a read on a connection that has served before is sent again.
    const session = await database.open(mode, { allow_functions: true }, 1);
    const mark = `mark-dropped-${mode}-${code}`;
    const failure = failureOf(session.run(sql(`${query} /* ${mark} */`), callOf(mode)));
    await expect.poll(() => running(mark)).toBe(1);
    database.dropConnections();
    expect(await failure).toMatchObject({ code, details: [] });
    await database.outside(
      "KILL QUERY WHERE query NOT LIKE 'KILL%' AND current_database = currentDatabase() ASYNC",
    );
  });
});

describe('errors', () => {
  test('among rows end a stream, and are never rows', async () => {
    const session = await database.open('read', {}, 1);
    const request = sql(
      "SELECT number, throwIf(number = 400000, 'broke at 10.1.2.3:9000') AS x FROM numbers(1000000)",
    );
    let text = '';
    const drain = async () => {
      for await (const piece of session.stream(request, callOf('read'))) {
        text += Buffer.from(piece).toString();
      }
    };
    expect(await failureOf(drain())).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [
        { source: 'clickhouse', code: '395', message: expect.stringContaining('broke at address') },
      ],
    });
    const lines = text.split('\n').filter(Boolean);
    expect(lines.filter((line) => !/^\{"number":\d+,"x":0\}$/.test(line))).toEqual([]);
    expect((await run(session, sql('SELECT 1 AS a'), 'read')).rows).toEqual([{ a: 1 }]);
  });

  test('carry number and words of the server, and none of its machine', async () => {
    const session = await database.open('read');
    const told = async (query: string, settings = {}) =>
      failureOf(session.run(sql(query, {}, { settings }), callOf('read')));
    expect(await told('SELECT nope')).toMatchObject({
      details: [{ code: '47', message: expect.stringMatching(/^Unknown expression .*nope/) }],
    });
    expect(await told('SELECT 1 +')).toMatchObject({
      details: [
        {
          code: '62',
          message: expect.stringMatching(/^Syntax error: failed at position 11 .*AT TIME ZONE$/s),
        },
      ],
    });
    expect(await told(SLOW, { max_execution_time: 1 })).toMatchObject({
      code: 'TIMED_OUT',
      details: [{ code: '159' }],
    });
    expect(await told('SELECT * FROM numbers(100)', { max_rows_to_read: 10 })).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: '158' }],
    });
    const { details } = (await told('SELECT nope')) as GatewayError;
    expect(JSON.stringify(details)).not.toMatch(/version|DB::|Stack|127\.0\.0\.1/);
  });

  test('a result over the limit is refused before it is whole', async () => {
    const session = await database.open('read', {}, 1);
    const started = performance.now();
    const request = sql("SELECT repeat('x', 1000) FROM numbers(1000000000)");
    const failure = failureOf(session.run(request, callOf('read', { resultMaxBytes: 100_000 })));
    expect(await failure).toMatchObject({ code: 'RESULT_TOO_LARGE' });
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});
