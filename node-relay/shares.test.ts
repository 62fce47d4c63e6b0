/** Shares of transactions over the relay's RPC, on a real PostgreSQL. */
import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareName, transactionPrefix } from './drivers/contract-shares.ts';
import { drivers } from './drivers/index.ts';
import { TestDatabase } from './drivers/postgres/test/database.ts';
import { failureOf, seal, startTestRelay, type TestRelay, targetOf, utf8Of } from './test/relay.ts';

let node: TestRelay;
let database: TestDatabase;
let sealedConnection: string;
beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE t (name text)');
  node = await startTestRelay({ driver: drivers.postgres, env: { RELAY_ALLOW: '*' } });
  sealedConnection = await seal(node.keys.nodePublic, { connection: { url: database.url } });
});
afterAll(async () => {
  await node.relay.drain();
  await database.drop();
});

const target = (mode: 'read' | 'write' = 'write') => targetOf(mode, { sealedConnection });
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const add = (name: unknown) => ({
  type: 'query',
  query: 'INSERT INTO t VALUES ($1) RETURNING name',
  params: [name],
});
const count = (name: string) => ({
  type: 'query',
  query: 'SELECT count(*)::int AS n FROM t WHERE name = $1',
  params: [name],
});
const shareOf = (operations: readonly object[], more: object = {}) => ({
  operations: bytes(operations),
  ...more,
});
async function counted(name: string): Promise<unknown> {
  const request = bytes(count(name));
  const { result } = await node.client.run({ target: target(), request });
  return JSON.parse(utf8Of(result)).rows[0].n;
}
const jsonOf = (performed: { results: Uint8Array } | undefined): unknown =>
  JSON.parse(utf8Of(performed?.results ?? new Uint8Array()));

describe('a share in one call', () => {
  test('is prepared, found by its prefix, and committed by its name', async () => {
    const name = shareName();
    const prepared = await node.client.prepare({
      target: target(),
      transactionId: name,
      isolation: 'serializable',
      share: shareOf([add({ $result: '[1].x' }), count(name)], {
        places: [4, 6],
        reads: [6],
        earlier: bytes({ 1: { x: name } }),
      }),
    });
    expect(jsonOf(prepared.performed)).toMatchObject([{ rows: [{ name }] }, { rows: [{ n: 1 }] }]);
    expect(prepared).toMatchObject({ prepared: true, recovery: expect.stringMatching(/^\d+$/) });
    const prefix = name.slice(0, 'causeway_'.length + 23);
    const { shares } = await node.client.recover({ target: target(), prefix });
    expect(shares).toMatchObject([{ transactionId: name, owner: 'postgres' }]);
    const { recovery } = prepared;
    const ending = { target: target(), transactionId: name, recovery };
    const ends = [await node.client.commit(ending), await node.client.commit(ending)];
    expect(ends).toMatchObject([
      { found: true, status: 'committed' },
      { found: false, status: 'committed' },
    ]);
    expect(await counted(name)).toBe(1);
  });

  test('names a failed operation by its place, in its request or at the server', async () => {
    const share = (operation: object) => shareOf([add('x'), operation], { places: [3, 5] });
    for (const operation of [{ type: 'nothing' }, { type: 'query', query: 'SELECT 1/0' }]) {
      const failed = node.client.prepare({
        target: target(),
        transactionId: shareName(),
        share: share(operation),
      });
      const { details } = await failureOf(failed);
      expect((details as { operation?: number }[]).at(-1)).toMatchObject({ operation: 5 });
    }
    expect(await counted('x')).toBe(0);
  });
});

describe('a share step by step', () => {
  test('goes on in its lease, and is prepared with its last operations', async () => {
    const name = shareName();
    const begun = await node.client.begin({
      target: target(),
      transactionId: name,
      share: shareOf([count(name)]),
    });
    expect(begun.performed?.onlyRead).toBe(true);
    const { sessionId } = begun;
    const gone = await node.client.continue({
      target: target(),
      sessionId,
      share: shareOf([add(name)], { places: [1], recoverable: true }),
    });
    expect(gone.performed).toMatchObject({
      onlyRead: false,
      recovery: expect.stringMatching(/^\d/),
    });
    const kept = await node.client.continue({ target: target(), sessionId });
    expect(jsonOf(kept.performed)).toEqual([]);
    const last = shareOf([add(name)], { places: [2] });
    const prepare = { target: target(), transactionId: name, sessionId, share: last };
    expect(await node.client.prepare(prepare)).toMatchObject({ prepared: true });
    const rollback = { target: target(), transactionId: name };
    expect(await node.client.rollback(rollback)).toMatchObject({
      found: true,
      status: 'rolled_back',
    });
    const over = node.client.continue({ target: target(), sessionId, share: last });
    expect((await failureOf(over)).code).toBe('SESSION_NOT_FOUND');
    expect(await counted(name)).toBe(0);
  });

  test('commits in one phase, which its number tells later', async () => {
    const name = shareName();
    const { sessionId, performed } = await node.client.begin({
      target: target(),
      transactionId: name,
      onePhase: true,
      share: shareOf([add(name)], { recoverable: true }),
    });
    const { recovery = '' } = performed ?? {};
    expect(await node.client.settle({ target: target(), recovery })).toMatchObject({
      status: 'open',
    });
    expect(await node.client.commit({ target: target(), sessionId })).toMatchObject({
      found: true,
      status: 'committed',
    });
    expect(await node.client.settle({ target: target(), recovery })).toMatchObject({
      status: 'committed',
    });
    expect(await counted(name)).toBe(1);
  });

  test('is undone at once when an operation fails, and by its lease', async () => {
    const begin = (name: string) =>
      node.client.begin({ target: target(), transactionId: name, share: shareOf([add(name)]) });
    const [failing, left] = [shareName(), shareName()];
    const one = await begin(failing);
    const wrong = shareOf([{ type: 'query', query: 'SELECT 1/0' }]);
    const { sessionId } = one;
    await failureOf(node.client.continue({ target: target(), sessionId, share: wrong }));
    const { rows } = await database.outside.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE state LIKE 'idle in%' AND application_name LIKE 'causeway_%'",
    );
    expect(rows[0].n).toBe(0);
    const other = await begin(left);
    const rollback = { target: target(), sessionId: other.sessionId };
    expect(await node.client.rollback(rollback)).toMatchObject({ status: 'rolled_back' });
    expect(await node.client.rollback(rollback)).toMatchObject({ found: false, status: 'unknown' });
    expect([await counted(failing), await counted(left)]).toEqual([0, 0]);
  });

  test('of mode read takes no write', async () => {
    const name = shareName();
    const failed = node.client.begin({
      target: target('read'),
      transactionId: name,
      share: shareOf([add(name)]),
    });
    expect((await failureOf(failed)).code).toBe('BAD_REQUEST');
    const begun = await node.client.begin({
      target: target('read'),
      transactionId: name,
      isolation: 'repeatable read',
      share: shareOf([count(name)]),
    });
    const { sessionId } = begun;
    expect(jsonOf(begun.performed)).toMatchObject([{ rows: [{ n: 0 }] }]);
    expect(await node.client.commit({ target: target('read'), sessionId })).toMatchObject({
      status: 'committed',
    });
  });

  test('is no session of a client, and a session is no share', async () => {
    const begun = await node.client.begin({ target: target(), transactionId: shareName() });
    const { sessionId } = begun;
    const request = bytes(count('x'));
    const run = node.client.run({ target: target(), sessionId, request });
    expect((await failureOf(run)).code).toBe('SESSION_NOT_FOUND');
    await node.client.rollback({ target: target(), sessionId });
    const session = await node.client.openSession({ target: target() });
    const goOn = node.client.continue({ target: target(), sessionId: session.sessionId });
    expect((await failureOf(goOn)).code).toBe('SESSION_NOT_FOUND');
  });
});

describe('the other methods', () => {
  test('Lacks tells what the backend can', async () => {
    expect(await node.client.lacks({ target: target() })).toMatchObject({ lacks: [], joins: true });
  });

  test('Waits tells nothing where nobody waits', async () => {
    const prefix = transactionPrefix();
    expect(await node.client.waits({ target: target(), prefix })).toMatchObject({
      shown: true,
      waits: [],
    });
  });

  test.each([
    ['a name that is not ours', { transactionId: 'x' }],
    ['a name that ends its text', { transactionId: `${shareName()}'` }],
    ['two names', { transactionId: shareName(), sessionId: 'y' }],
    ['none', {}],
  ])('Commit refuses %s', async (_, names) => {
    const failure = await failureOf(node.client.commit({ target: target(), ...names }));
    expect(failure).toMatchObject({ connect: Code.InvalidArgument, code: 'BAD_REQUEST' });
  });

  test.each(['', 'causeway_', '%', `${shareName()}`])(
    'Recover refuses the prefix "%s"',
    async (prefix) => {
      const failure = await failureOf(node.client.recover({ target: target(), prefix }));
      expect(failure.code).toBe('BAD_REQUEST');
    },
  );

  test('Begin refuses a level that is none', async () => {
    const begin = { target: target(), transactionId: shareName(), isolation: 'chaos' };
    expect(await failureOf(node.client.begin(begin))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'isolation: is none of read committed, repeatable read, serializable',
    });
  });
});
