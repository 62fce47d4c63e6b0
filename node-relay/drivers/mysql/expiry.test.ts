/** A session that nobody uses ends by itself, and MySQL has undone what it left open. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { LeaseRegistry, SESSION_IDLE_MAX_MS, SESSION_LIFE_MAX_MS } from '../../leases.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE t (v int)');
});
afterEach(() => void vi.useRealTimers());
afterAll(() => database.drop());

test.each([
  ['idle for 30 s', SESSION_IDLE_MAX_MS],
  ['as old as it may be', SESSION_LIFE_MAX_MS],
])('a session that is %s is rolled back', async (_, milliseconds) => {
  const write = await database.open('write', { connections: 1 });
  const faults: unknown[] = [];
  const sessions = new LeaseRegistry((cause) => faults.push(cause));
  const call = callOf('write');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { id } = await sessions.open({
    endpoint: 'e',
    poolKey: 'e:1:write:production',
    max: 1,
    start: async () => {
      const lease = await write.lease(call);
      if (!lease) throw new Error('no lease');
      return lease;
    },
    ended: () => {},
  });
  await sessions.run(id, 'e', sql('BEGIN'), call);
  await sessions.run(id, 'e', sql('INSERT INTO t VALUES (1)'), call);
  vi.advanceTimersByTime(milliseconds);
  vi.useRealTimers();
  expect(await failureOf(sessions.run(id, 'e', sql('SELECT 1'), call))).toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  // Free again, and nothing left.
  const counted = await write.run(sql('SELECT count(*) AS n FROM t'), callOf('write'));
  expect(Buffer.from(counted).toString()).toContain('"rows":[{"n":0}]');
  expect(faults).toEqual([]);
});
