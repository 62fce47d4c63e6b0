/** `/read` at Neon can change nothing: every attack as a superuser, with the database compared before and after. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresRequest } from '../kinds/postgres/index.ts';
import { failureOf } from '../node-relay/drivers/contract.ts';
import {
  ATTACK_FILE,
  AttackState,
  isEmpty,
  NO_SUCH_FUNCTION,
} from '../node-relay/drivers/postgres/test/attack-state.ts';
import { ATTACKS, TRAPS } from '../node-relay/drivers/postgres/test/attacks.ts';
import { run, sql, TestDatabase } from '../node-relay/drivers/postgres/test/database.ts';
import { READS } from '../node-relay/drivers/postgres/test/reads.ts';
import { callOf } from '../node-relay/drivers/test/host.ts';
import type { Json } from '../proto/json.ts';
import { neon } from '../worker/drivers/edge/neon/index.ts';
import type { LateClient } from '../worker/drivers/edge/sql/late-client.ts';
import { openNetwork } from './stand-ins/edge-host.ts';
import { NeonStandIn } from './stand-ins/neon/server.ts';

let database: TestDatabase;
let standIn: NeonStandIn;
let state: AttackState;
let session: LateClient<PostgresRequest>;

beforeAll(async () => {
  database = await TestDatabase.create(TRAPS);
  state = await AttackState.of(database);
  standIn = await NeonStandIn.start(database.url);
  session = open();
});
afterAll(async () => {
  await standIn?.stop();
  await database?.drop();
});

function open(settings: { [name: string]: Json } = {}): LateClient<PostgresRequest> {
  return neon.open({ connection: { url: standIn.url(database.url) }, settings }, openNetwork);
}

/** The ways in which a text can reach the database on a read. */
const WAYS: { way: string; send: (query: string) => Promise<unknown> | undefined }[] = [
  { way: 'query', send: (query) => session.run(sql(query), callOf('read')) },
  {
    way: 'query_typed',
    send: (query) => session.run(sql(query, [], { type: 'query_typed' }), callOf('read')),
  },
  {
    way: 'simple_read_only',
    send: (query) => session.run(sql(query, [], { type: 'simple_read_only' }), callOf('read')),
  },
  {
    way: 'query_read_only on a write',
    send: (query) => session.run(sql(query, [], { type: 'query_read_only' }), callOf('write')),
  },
  {
    way: 'query_read_only in a transaction',
    send: (query) =>
      session.transact([sql(query, [], { type: 'query_read_only' })], callOf('write')),
  },
];

test.each(WAYS)('the attack corpus changes nothing by way of $way', async ({ way, send }) => {
  rmSync(ATTACK_FILE, { force: true });
  const before = await state.read();
  const passed: string[] = [];
  for (const attack of ATTACKS) {
    const failure = await failureOf(Promise.resolve(send(attack))).catch(() => undefined);
    const { code, details = [] } = (failure ?? {}) as {
      code?: string;
      details?: { code?: string }[];
    };
    const missing = details[0]?.code === NO_SUCH_FUNCTION;
    // Not what the server says: none of an attack is sent to it.
    const refused = code === 'BAD_REQUEST' || code === 'NOT_SUPPORTED';
    if (!missing && !refused && !(way === 'simple_read_only' && isEmpty(attack)))
      passed.push(attack);
  }
  expect(passed).toEqual([]);
  expect(await state.read()).toEqual(before);
});

test.each(READS)('lets a read pass: %s', async (query) => {
  expect(await run(session, sql(query), 'read')).toMatchObject({ row_count: expect.any(Number) });
});

describe('behind the guard', () => {
  test('the transaction itself is read-only, by its header and by its settings', async () => {
    const lax = open({ allow_functions: true });
    const failure = await failureOf(
      lax.run(sql('SELECT bite_row(i) FROM (INSERT INTO items VALUES (9)) i'), callOf('read')),
    );
    expect(failure).toMatchObject({ code: 'REQUEST_FAILED' });
    await database.outside.query(
      "CREATE FUNCTION writes() RETURNS int LANGUAGE sql VOLATILE AS 'INSERT INTO items VALUES (99) RETURNING 1'",
    );
    expect(await failureOf(lax.run(sql('SELECT writes()'), callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ source: 'postgres', code: '25006' }],
    });
    const { headers, body } = standIn.seen.at(-1) ?? { headers: {}, body: { queries: [] } };
    expect(headers['neon-batch-read-only']).toBe('true');
    expect(JSON.stringify(body)).toContain('"transaction_read_only","on"');
  });

  test('an endpoint that does not keep the header cannot write either', async () => {
    const lax = open({ allow_functions: true });
    standIn.ignoresReadOnly = true;
    const failure = await failureOf(lax.run(sql('SELECT writes()'), callOf('read')));
    standIn.ignoresReadOnly = false;
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ code: '25006' }] });
  });

  test('allow_functions never lifts what is refused of the server', async () => {
    const lax = open({ allow_functions: true });
    expect(
      await failureOf(lax.run(sql("SELECT nextval('counter')"), callOf('read'))),
    ).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ rule: 'read_function' }],
    });
  });
});
