/** Many callers over few connections of a real PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../test/servers/backends.ts';
import { drivers } from './drivers/index.ts';
import { query, seal, startTestRelay, type TestRelay, targetOf, utf8Of } from './test/relay.ts';

const CALLS = 200;
const CAP = 4;

describe('200 calls at a time over a pool of 4', () => {
  let database: FreshDatabase;
  let node: TestRelay;
  let watcher: pg.Client;
  beforeAll(async () => {
    database = await freshDatabase();
    node = await startTestRelay({ driver: drivers.postgres, env: { RELAY_ALLOW: '*' } });
    watcher = new pg.Client(database.url);
    await watcher.connect();
  });
  afterAll(async () => {
    await node?.relay.drain();
    await watcher?.end();
    await database?.drop();
  });

  async function connectionsSeen(): Promise<number> {
    const { rows } = await watcher.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    return rows[0]?.n ?? -1;
  }

  /** Most connections that the server saw while the calls ran, and what they answered. */
  async function run(modes: readonly ('read' | 'write')[]) {
    const connection = { url: database.url };
    const sealedConnection = await seal(node.keys.nodePublic, { connection });
    let watching = true;
    const watched = (async () => {
      let most = 0;
      while (watching) {
        most = Math.max(most, await connectionsSeen());
        await sleep(5);
      }
      return most;
    })();
    const call = async (n: number) => {
      const target = targetOf(modes[n % modes.length] ?? 'read', { sealedConnection, caps });
      const request = query('select $1::int as n from pg_sleep(0.005)', 'query', [n]);
      const { result } = await node.client.run({ target, request });
      return JSON.parse(utf8Of(result)).rows[0].n;
    };
    const answers = await Promise.all(Array.from({ length: CALLS }, (_, n) => call(n)));
    watching = false;
    // The last look is at connections that are idle, and stay.
    return { most: Math.max(await watched, await connectionsSeen()), answers };
  }
  const caps = { total: CAP };
  const all = Array.from({ length: CALLS }, (_, n) => n);

  test('all succeed, and the server never sees more than 4', async () => {
    expect(await run(['read'])).toEqual({ most: CAP, answers: all });
  });

  test('all succeed when reads and writes share them', async () => {
    const { answers } = await run(['read', 'read', 'write']);
    expect(answers).toEqual(all);
  });
});
