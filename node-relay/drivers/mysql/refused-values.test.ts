/** A value that no server is sent costs its call, and not the connection. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { failureOf } from '../contract.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: MysqlClient;
beforeAll(async () => {
  database = await TestDatabase.create();
  client = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

async function connectionId(): Promise<unknown> {
  return (await run(client, sql('SELECT CONNECTION_ID() AS id, ? AS a', [1]), 'write')).rows;
}

describe.each<{ value: Json; path: string }>([
  { value: { $date: { toString: null } }, path: 'params.0.$date' },
  { value: { $date: ['', { toString: null }] }, path: 'params.0.$date' },
  { value: { $date: ['2024-01-01T00:00:00Z'] }, path: 'params.0.$date' },
  { value: { $bytes: { toString: null } }, path: 'params.0.$bytes' },
  { value: '\ud800', path: 'params.0' },
])('$value', ({ value, path }) => {
  test('is refused by name, and the connection serves the next call', async () => {
    const before = await connectionId();
    expect(await failureOf(run(client, sql('SELECT ? AS a', [value]), 'write'))).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ path }],
    });
    expect(await connectionId()).toEqual(before);
  });
});
