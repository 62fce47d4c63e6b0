/** What holds on the server that npm brings holds on one of the year 2022 as well. */
import { describe, expect, test, vi } from 'vitest';
import { backend } from '../../../test/servers/backends.ts';
import { TestDatabase } from './test/database.ts';

// The tests below ask for the run's server by this name.
vi.stubEnv('TEST_POSTGRES_URL', (await backend('postgres-15')).url);

describe('PostgreSQL 15', async () => {
  test('is what the tests run against', async () => {
    const database = await TestDatabase.create();
    const { rows } = await database.outside.query('SHOW server_version');
    expect(rows[0].server_version).toMatch(/^15\./);
    await database.drop();
  });
  await import('./guard.test.ts');
  await import('./asked.test.ts');
  await import('./looked-up.test.ts');
  await import('./state.test.ts');
  await import('./reset.test.ts');
  await import('./encoding.test.ts');
  await import('./write.test.ts');
  await import('./types.test.ts');
  await import('./transact.test.ts');
  await import('./stream.test.ts');
  await import('./inspect.test.ts');
  await import('./settings.test.ts');
});
