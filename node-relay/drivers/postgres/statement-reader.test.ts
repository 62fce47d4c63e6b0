/** Large statements: read outside the loop that serves everybody, whatever they hold. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseText } from '../../../kinds/postgres/dialect/statement.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

const TICKS_MS = 20;

let database: TestDatabase;
let session: PostgresClient;
beforeAll(async () => {
  database = await TestDatabase.create();
  session = await database.open('read');
  // The thread is there, and the parser ready in it.
  await run(session, sql(`select ${list(5_000)} limit 1`), 'read');
});
afterAll(() => database.drop());

/** A statement's text that PostgreSQL's parser takes long for, and the server does not. */
function list(count: number): string {
  return `1 where 1 in (${Array.from({ length: count }, () => '1').join()})`;
}

/** How long work took, and how much of it the loop was held at once, in milliseconds. */
async function held(work: () => Promise<unknown>) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // It counts from one of its own ticks to the next.
  await sleep(TICKS_MS);
  const started = performance.now();
  await work();
  const took = performance.now() - started;
  await sleep(TICKS_MS);
  delay.disable();
  return { took, held: delay.max / 1e6 };
}

describe('a statement of 250,000 characters', () => {
  const LARGE = sql(`select ${list(125_000)}`);

  test('holds the loop for a part of its time', async () => {
    const seen = await held(async () => {
      expect(await run(session, LARGE, 'read')).toMatchObject({ rows: [{ '?column?': 1 }] });
    });
    // What the loop is held for where it parses the same by itself; another text, which nobody remembers.
    const here = [1, 2, 3].map((spaces) => {
      const started = performance.now();
      parseText(LARGE.query + ' '.repeat(spaces));
      return performance.now() - started;
    });
    expect(seen.held).toBeLessThan(Math.min(...here) / 2);
  });

  test('is streamed, and run in a transaction and on a lease', async () => {
    const call = callOf('write');
    const writing = await database.open('write');
    const pieces: Uint8Array[] = [];
    for await (const piece of writing.stream(LARGE, call)) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('{"?column?":1}\n');
    const done = await writing.transact([LARGE, LARGE], call);
    expect(JSON.parse(String(done))).toMatchObject([
      { rows: [{ '?column?': 1 }] },
      { rows: [{ '?column?': 1 }] },
    ]);
    const lease = await writing.lease(call);
    expect(JSON.parse(String(await lease?.run(LARGE, call)))).toMatchObject({
      rows: [{ '?column?': 1 }],
    });
    await lease?.close();
  });

  test('is judged as a short one is', async () => {
    const writes = sql(`with w as (insert into t values (1)) select ${list(125_000)}`);
    expect(await failureOf(session.run(writes, callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'INSERT is not taken on /read; send it to /write',
    });
    expect(await failureOf(session.run(sql(`select ${list(50_000)} )`), callOf('read')))).toEqual(
      expect.objectContaining({
        code: 'REQUEST_FAILED',
        details: [
          {
            source: 'postgres',
            code: '42601',
            message: 'syntax error at or near ")"',
            position: 100_023,
          },
        ],
      }),
    );
  });

  test('is not read for a caller who has left', async () => {
    const left = AbortSignal.abort(new Error('left'));
    const failure = await failureOf(session.run(LARGE, { ...callOf('read'), signal: left }));
    expect(failure).toEqual(new Error('left'));
  });

  test('is explained by what it explains', async () => {
    expect(await run(session, sql(`explain ${LARGE.query}`), 'read')).toMatchObject({
      rows: expect.arrayContaining([expect.anything()]),
    });
  });
});
