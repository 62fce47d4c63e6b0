/** Starts of runs beside other organizations, and without. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { Context } from '../context.ts';
import { noteCaller } from './neighbours.ts';
import { admitCall, admitChild } from './starts.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts runs at once; answers how many were under way together at most. @param during is called in each */
async function mostTogether(orgUuid: string, count = 5, during = () => {}): Promise<number> {
  const { signal } = new AbortController();
  const of = { caller: { orgUuid }, address: 'test', signal } as unknown as Context; // All that is looked at.
  let [now, most] = [0, 0];
  const start = async () => {
    now += 1;
    most = Math.max(most, now);
    // Not a timer: on a busy machine it takes more than the 25 ms after which the next one begins.
    await Promise.resolve();
    during();
    now -= 1;
  };
  await Promise.all(Array.from({ length: count }, () => admitCall(of, start)));
  return most;
}

test('runs that callers do not wait for are started one after another where another organization calls, else at once', async () => {
  await pause(300);
  noteCaller('own');
  expect(await mostTogether('own')).toBe(5);
  noteCaller('other');
  expect(await mostTogether('own')).toBe(1);
});

test('none of many that are sent at once is refused', async () => {
  // Before each start: a timer would be late on a busy machine, and the owner alone for a moment.
  const beside = () => noteCaller('other');
  beside();
  expect(await mostTogether('own', 300, beside)).toBe(1);
});

test('one that waited for a start of another object goes on in its own', async () => {
  const start = (name: string) =>
    runInDurableObject(env.WORKFLOW_RUNS.getByName(name), (_runs, { storage: { sql } }) =>
      admitChild('own', async () => {
        await pause(10);
        return sql.exec<{ one: number }>('SELECT 1 AS one').one();
      }),
    );
  const all = Array.from({ length: 4 }, (_, at) => start(`starts-${at}`));
  expect(await Promise.all(all)).toEqual(all.map(() => ({ one: 1 })));
});
