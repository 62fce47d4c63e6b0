/** What `allow_functions` names is called by reads, and writes in none of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import type { Mode } from '../../../proto/driver.ts';
import { failureOf } from '../contract.ts';
import { beginning, share, shareName } from '../contract-shares.ts';
import { callOf, toTheEnd } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: MysqlClient;
let reading: MysqlClient;
beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE t (v int);
    CREATE FUNCTION writes() RETURNS int BEGIN INSERT INTO t VALUES (1); RETURN 1; END;
    CREATE VIEW writing AS SELECT writes() AS v`);
  client = await database.open('write', { allow_functions: ['writes'] });
  reading = await database.open('read', { allow_functions: ['writes'] });
});
afterAll(() => database.drop());
beforeEach(() => database.outside.query('TRUNCATE TABLE t'));

const CALLS = 'SELECT writes() AS v';
const ONLY_READ = { type: 'query_read_only' } as const;
const READ = sql(CALLS, undefined, ONLY_READ);
const WRITE = sql('INSERT INTO t VALUES (2)');
const written = () => database.look('SELECT v FROM t');

/** Joins as a share that commits in one phase, or may be prepared. */
async function joined(onePhase: boolean, requests: readonly MysqlRequest[], mode: Mode) {
  const call = callOf('write');
  const begun = { ...beginning(shareName()), onePhase };
  const participant = await client.join(begun, call);
  try {
    await participant.perform(share(requests, { mode }), call);
    await participant.commit(call);
  } finally {
    await participant.close();
  }
}

const WAYS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['/read', () => reading.run(sql(CALLS), callOf('read'))],
  ['a stream of /read', () => toTheEnd(reading.stream(sql(CALLS), callOf('read')))],
  ['a type that reads', () => client.run(READ, callOf('write'))],
  ['a transaction', () => client.transact([READ], callOf('write'))],
  ['a transaction that writes too', () => client.transact([WRITE, READ], callOf('write'))],
  ['a share', () => joined(false, [sql(CALLS)], 'read')],
  ['a share of one phase', () => joined(true, [sql(CALLS)], 'read')],
  ['a share of a type that reads', () => joined(false, [READ], 'write')],
  ['a share by a view', () => joined(false, [sql('SELECT * FROM writing')], 'read')],
  [
    'a share that is prepared at once',
    () => client.prepare(beginning(shareName()), share([READ]), callOf('write')),
  ],
];

describe('a function that writes, called by', () => {
  test.each(WAYS)('%s writes nothing', async (_, send) => {
    const { code } = (await failureOf(send())) as { readonly code: string };
    // The server says so where a read-only transaction was begun on a connection that writes.
    expect(code).toMatch(/^(?:BAD_REQUEST|REQUEST_FAILED)$/);
    expect(await written()).toEqual([]);
  });
});

test('a refusal within a transaction says what to do', async () => {
  expect(await failureOf(client.transact([READ], callOf('write')))).toMatchObject({
    message: expect.stringMatching(/writes may write.*to \/read without a transaction.*execute/),
    details: [{ rule: 'read_user_function', operation: 0 }],
  });
});

test('as a write it is called in transactions, and counts as one', async () => {
  await client.transact([sql(CALLS, undefined, { type: 'execute' })], callOf('write'));
  const name = shareName();
  const call = callOf('write');
  const done = await client.prepare(beginning(name), share([sql(CALLS)]), call);
  expect(done).toMatchObject({ prepared: true, onlyRead: false });
  await client.rollback(name, '', call);
  expect(await written()).toEqual([{ v: 1 }]);
});
