/** Promises of the PostgreSQL server that `npm start -- --demo` and tests run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startPostgres } from './postgres-server.ts';

test('starts again after it was killed, also where a session of before has not noticed yet', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-postgres-'));
  const options = { folder: join(folder, 'data'), password: 'a password of a test' };
  const first = await startPostgres(options);
  const client = new pg.Client(first.url);
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const session = rows[0]?.pid ?? 0;
  process.kill(session, 'SIGSTOP');
  process.kill(first.pid, 'SIGKILL');
  await first.ended;
  const again = startPostgres(options);
  await sleep(1_500);
  process.kill(session, 'SIGCONT');
  const second = await again;
  const other = new pg.Client(second.url);
  await other.connect();
  expect((await other.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await other.end();
  await second.stop();
  await client.end().catch(() => {});
  await rm(folder, { recursive: true, force: true });
});
