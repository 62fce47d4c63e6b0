/** `/read` at PlanetScale can change nothing: every attack with all rights, with the server compared before and after. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MysqlRequest } from '../kinds/mysql/index.ts';
import { failureOf } from '../node-relay/drivers/contract.ts';
import { ATTACK_FILE, stateOf } from '../node-relay/drivers/mysql/test/attack-state.ts';
import { ATTACKS, READS, TRAPS } from '../node-relay/drivers/mysql/test/attacks.ts';
import { run, sql, TestDatabase } from '../node-relay/drivers/mysql/test/database.ts';
import { callOf } from '../node-relay/drivers/test/host.ts';
import type { Json } from '../proto/json.ts';
import { planetscale } from '../worker/drivers/edge/planetscale/index.ts';
import type { LateClient } from '../worker/drivers/edge/sql/late-client.ts';
import { openNetwork } from './stand-ins/edge-host.ts';
import { PlanetScaleStandIn } from './stand-ins/planetscale/server.ts';

let database: TestDatabase;
let standIn: PlanetScaleStandIn;
let session: LateClient<MysqlRequest>;

beforeAll(async () => {
  database = await TestDatabase.create();
  for (const trap of TRAPS) await database.outside.query(trap);
  standIn = await PlanetScaleStandIn.start(database.url);
  session = open();
});
afterAll(async () => {
  await standIn?.stop();
  await database?.drop();
});

function open(settings: { [name: string]: Json } = {}): LateClient<MysqlRequest> {
  return planetscale.open({ connection: { url: standIn.url }, settings }, openNetwork);
}

/** The ways in which a text can reach the server on a read. */
const WAYS: { way: string; send: (query: string) => Promise<unknown> | undefined }[] = [
  { way: 'query', send: (query) => session.run(sql(query), callOf('read')) },
  { way: 'named parameters', send: (query) => session.run(sql(query, {}), callOf('read')) },
  {
    way: 'simple_read_only',
    send: (query) =>
      session.run(sql(query, undefined, { type: 'simple_read_only' }), callOf('read')),
  },
  {
    way: 'query_read_only on a write',
    send: (query) =>
      session.run(sql(query, undefined, { type: 'query_read_only' }), callOf('write')),
  },
  {
    way: 'query_read_only in a transaction',
    send: (query) =>
      session.transact([sql(query, undefined, { type: 'query_read_only' })], callOf('write')),
  },
];

test.each(WAYS)('the attack corpus changes nothing by way of $way', async ({ send }) => {
  rmSync(ATTACK_FILE, { force: true });
  const before = await stateOf(database);
  const passed: string[] = [];
  for (const { query } of ATTACKS) {
    const failure = await failureOf(Promise.resolve(send(query))).catch(() => undefined);
    const { code = '' } = (failure ?? {}) as { code?: string };
    // Not what the server says: none of an attack is sent to it.
    if (!/^(?:BAD_REQUEST|NOT_SUPPORTED)$/.test(code)) passed.push(`${query}: ${failure}`);
  }
  expect(passed).toEqual([]);
  expect(await stateOf(database)).toEqual(before);
});

test.each(READS)('lets a read pass: %s', async (query) => {
  expect(await run(session, sql(query), 'read')).toMatchObject({ row_count: expect.any(Number) });
});

describe('behind the guard', () => {
  test('a read is a transaction that is read-only', async () => {
    await run(session, sql('SELECT id FROM items'), 'read');
    standIn.seen.length = 0;
    await run(session, sql('SELECT id FROM items'), 'read');
    expect(standIn.seen).toEqual(['START TRANSACTION READ ONLY', 'SELECT id FROM items', 'COMMIT']);
  });

  test('an allowed function cannot write', async () => {
    const lax = open({ allow_functions: true });
    expect(await failureOf(lax.run(sql("SELECT bite('y')"), callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ source: 'mysql', code: '1792' }],
    });
    expect(await database.look('SELECT what FROM trace')).toEqual([]);
  });

  test('allow_functions never lifts what is refused of the server', async () => {
    const lax = open({ allow_functions: true });
    expect(await failureOf(lax.run(sql("SELECT get_lock('a', 0)"), callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ rule: 'read_function', function: 'get_lock' }],
    });
  });
});
