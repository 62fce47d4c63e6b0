/** Real servers for tests: shared by the run, prepared for what tests need. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { backend, freshDatabase } from './backends.ts';

async function ask(url: string, query: string) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(query)).rows;
  } finally {
    await client.end();
  }
}

test('one PostgreSQL serves the whole run', async () => {
  expect(await backend('postgres')).toEqual(await backend('postgres'));
});

test('its process is known, so that tests can stop and continue it', async () => {
  const { url, pid = 0 } = await backend('postgres');
  if (process.env.TEST_POSTGRES_URL) return expect(pid).toBe(0);
  process.kill(pid, 0);
  expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('it takes prepared transactions and logical replication', async () => {
  const { url } = await backend('postgres');
  const settings = await ask(
    url,
    "SELECT name, setting FROM pg_settings WHERE name IN ('max_prepared_transactions', 'wal_level') ORDER BY name",
  );
  expect(settings).toEqual([
    { name: 'max_prepared_transactions', setting: '20' },
    { name: 'wal_level', setting: 'logical' },
  ]);
});

test('a fresh database is empty, alone, and gone when dropped', async () => {
  const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
  await ask(one.url, 'CREATE TABLE only_here ()');
  const tables = "SELECT relname FROM pg_class WHERE relname = 'only_here'";
  expect(await ask(one.url, tables)).toEqual([{ relname: 'only_here' }]);
  expect(await ask(other.url, tables)).toEqual([]);
  await Promise.all([one.drop(), other.drop()]);
  await expect(ask(one.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
});
