/** Shares that are prepared, or commit, in one message over the relay's RPC, on a real PostgreSQL. */
import { Code, ConnectError } from '@connectrpc/connect';
import { errorFromJson } from '@connectrpc/connect/protocol-connect';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BACKEND_US } from '../proto/driver.ts';
import { type CallFailure, ErrorDetailSchema } from '../proto/gen/relay/v1/relay_pb.ts';
import { shareName } from './drivers/contract-shares.ts';
import { drivers } from './drivers/index.ts';
import { TestDatabase } from './drivers/postgres/test/database.ts';
import { failureOf, seal, startTestRelay, type TestRelay, targetOf } from './test/relay.ts';

let node: TestRelay;
let database: TestDatabase;
let outside: pg.Client;
let sealedConnection: string;
beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE t (name text PRIMARY KEY)');
  outside = new pg.Client(database.url);
  await outside.connect();
});
beforeAll(async () => {
  node = await startTestRelay({ driver: drivers.postgres, env: { RELAY_ALLOW: '*' } });
  sealedConnection = await seal(node.keys.nodePublic, { connection: { url: database.url } });
});
afterAll(async () => {
  await node.relay.drain();
  await outside.end();
  await database.drop();
});

const target = () => targetOf('write', { sealedConnection });
const add = (name: string, transactionId: string, query = 'INSERT INTO t VALUES ($1)') => {
  const operations = JSON.stringify([{ type: 'query', query, params: [name] }]);
  const share = { operations: new TextEncoder().encode(operations) };
  return { request: { target: target(), transactionId, share } };
};
const prepared = async (...names: string[]) => {
  const sql = 'SELECT gid FROM pg_prepared_xacts WHERE gid = ANY ($1)';
  const { rows } = await outside.query<{ gid: string }>(sql, [names]);
  return rows.map(({ gid }) => gid).toSorted();
};
const undo = (...names: string[]) =>
  Promise.all(
    names.map((transactionId) => node.client.rollback({ target: target(), transactionId })),
  );

/** A failure as the gateway reads it. */
function toldBy(failure: CallFailure | undefined) {
  const given = JSON.parse(new TextDecoder().decode(failure?.error)) as Parameters<
    typeof errorFromJson
  >[0];
  const error = errorFromJson(given, failure?.headers, new ConnectError('none'));
  return { connect: error.code, code: error.findDetails(ErrorDetailSchema)[0]?.code };
}

describe('shares that are prepared together', () => {
  test('each have their own answer, and commit together, each by what was found', async () => {
    const names = [shareName(), shareName()];
    const calls = names.map((name) => add(name, name));
    const { replies } = await node.client.prepareTogether({ calls });
    const answers = replies.toSorted((one, other) => one.call - other.call);
    expect(answers).toMatchObject([
      { call: 0, response: { prepared: true, recovery: expect.stringMatching(/^\d+$/) } },
      { call: 1, response: { prepared: true } },
    ]);
    expect(await prepared(...names)).toEqual(names.toSorted());
    const ends = [...names, shareName()].map((transactionId) => ({
      request: { target: target(), transactionId, recovery: '' },
    }));
    const committed = await node.client.commitTogether({ calls: ends });
    expect(committed.replies.toSorted((one, other) => one.call - other.call)).toMatchObject([
      { call: 0, response: { found: true, status: 'committed' } },
      { call: 1, response: { found: true, status: 'committed' } },
      { call: 2, response: { found: false, status: 'unknown' } },
    ]);
    expect(await prepared(...names)).toEqual([]);
  });

  test('the first that fails comes first, and ends what waits for a lock', async () => {
    const [waiting, failing, locked] = [shareName(), shareName(), shareName()];
    await node.client.prepare(add(locked, locked).request);
    const began = performance.now();
    const { replies } = await node.client.prepareTogether(
      { calls: [add(locked, waiting), add('x', failing, 'SELECT $1::text, 1/0')] },
      { timeoutMs: 20_000 },
    );
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(replies.map(({ call, response }) => [call, response])).toEqual([
      [1, undefined],
      [0, undefined],
    ]);
    expect(replies.map(({ failure }) => toldBy(failure).code)).toEqual([
      'REQUEST_FAILED',
      'TIMED_OUT',
    ]);
    expect(await prepared(waiting, failing)).toEqual([]);
    await undo(locked);
  });

  test('one that is prepared already stays so when another fails later', async () => {
    const [quick, slow] = [shareName(), shareName()];
    const { replies } = await node.client.prepareTogether({
      calls: [add(quick, quick), add('x', slow, 'SELECT $1::text, pg_sleep(0.3), 1/0')],
    });
    expect(replies).toMatchObject([
      { call: 0, response: { prepared: true } },
      {
        call: 1,
        failure: { headers: { [BACKEND_US.toLowerCase()]: expect.stringMatching(/^\d+$/) } },
      },
    ]);
    expect(await prepared(quick, slow)).toEqual([quick]);
    await undo(quick);
  });

  test('are all undone when the client goes away', async () => {
    const names = [shareName(), shareName()];
    const client = new AbortController();
    const calls = names.map((name) => add(name, name, 'INSERT INTO t SELECT $1 FROM pg_sleep(30)'));
    const sent = node.client.prepareTogether({ calls }, { signal: client.signal });
    const working = async () => {
      const sql = 'SELECT 1 FROM pg_stat_activity WHERE application_name = ANY ($1)';
      return (await outside.query(sql, [names])).rows.length;
    };
    await expect.poll(working).toBe(2);
    client.abort();
    await expect(sent).rejects.toThrow();
    await expect.poll(working).toBe(0);
    expect(await prepared(...names)).toEqual([]);
  });
});

test('a pool that is not known here ends the whole message before anything is run', async () => {
  const name = shareName();
  const endpoint = '11111111-5f7e-4a9c-8f8e-0d9a4c1b2a3d';
  const unknown = { ...targetOf('write'), endpoint, poolKey: `${endpoint}:1:write:production` };
  const lacking = { request: { ...add('x', shareName()).request, target: unknown } };
  const sent = node.client.prepareTogether({ calls: [add(name, name), lacking] });
  expect(await failureOf(sent)).toMatchObject({
    connect: Code.FailedPrecondition,
    code: 'CONNECTION_UNKNOWN',
  });
  expect(await prepared(name)).toEqual([]);
});

test('a call without a request is refused by itself', async () => {
  const name = shareName();
  const { replies } = await node.client.prepareTogether({ calls: [{}, add(name, name)] });
  const [bad] = replies.filter(({ call }) => call === 0);
  expect(toldBy(bad?.failure)).toEqual({ connect: Code.InvalidArgument, code: 'BAD_REQUEST' });
  await undo(name);
});
