/** Sums are written after replies, once, and wait for a storage that fails. */
import { env } from 'cloudflare:test';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import type { Context, Database } from '../context.ts';
import { Tally } from './tally.ts';

/** A database whose next batches fail with these errors. */
function failing(...errors: Error[]): Database {
  const db = drizzle(env.DB);
  const batch = db.batch.bind(db);
  const failFirst = (...statements: Parameters<typeof batch>): Promise<unknown> => {
    const error = errors.shift();
    return error ? Promise.reject(error) : batch(...statements);
  };
  db.batch = failFirst as typeof batch; // Generic in what it is given, as the original is.
  return db;
}

/** Counts on the database, and waits until what was counted is written or was refused. */
function counting(db: Database) {
  const written: number[] = [];
  const tally = new Tally<number>((of, sum) => {
    written.push(sum);
    return of.get(sql`SELECT 1`) as never; // Any statement will do.
  });
  const later: Promise<unknown>[] = [];
  let now = 0;
  // All that a tally uses of a context.
  const ctx = { db, now: () => now, afterReply: (work: Promise<unknown>) => later.push(work) };
  return {
    written,
    async count(key: string, by: number) {
      now += 10_000;
      tally.count(ctx as unknown as Context, key, (before = 0) => before + by);
      return (await Promise.allSettled(later.splice(0))).map(({ status }) => status);
    },
  };
}

test('what a full disk did not take is written with the next sums', async () => {
  const full = new Error('internal error; reference = abc');
  const { count, written } = counting(failing(full));
  expect(await count('a', 1)).toEqual(['fulfilled']);
  written.length = 0;
  expect(await count('a', 2)).toEqual(['fulfilled']);
  expect(written).toEqual([1, 2]);
  written.length = 0;
  await count('b', 3);
  expect(written).toEqual([3]);
});

test('what fails otherwise is not tried again', async () => {
  const { count, written } = counting(failing(new Error('D1_ERROR: no such table: t')));
  expect(await count('a', 1)).toEqual(['rejected']);
  written.length = 0;
  await count('a', 2);
  expect(written).toEqual([2]);
});
