/** The relay over a real socket, called by the stock Connect client. */
import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ENDPOINT,
  failureOf,
  makeKeys,
  query,
  seal,
  startTestRelay,
  type TestRelay,
  targetOf,
  utf8Of,
} from './test/relay.ts';

let node: TestRelay;
beforeAll(async () => {
  node = await startTestRelay();
});
afterAll(() => node.relay.drain());

/** A call's target, with its connection sealed. */
const sealed = (mode: 'read' | 'write', revision = 1) =>
  targetOf(mode, { revision, sealedConnection: node.sealed });

/** Waits until the sockets between hold all they can, and the backend is no longer read. */
async function standsStill(): Promise<void> {
  let before = -1;
  const still = (): boolean => {
    const same = node.seen.chunks === before;
    before = node.seen.chunks;
    return same;
  };
  await expect.poll(still, { interval: 50 }).toBe(true);
}

async function pieces<Piece>(stream: AsyncIterable<Piece>): Promise<Piece[]> {
  const all: Piece[] = [];
  for await (const piece of stream) all.push(piece);
  return all;
}

async function inFlight(): Promise<number> {
  const text = await (await fetch(`${node.baseUrl}/metrics`)).text();
  return Number(/^relay_calls_in_flight (\d+)$/m.exec(text)?.[1]);
}

describe('the connection of a pool', () => {
  test('is asked for once, and then known', async () => {
    const request = query('select 1');
    const call = (target: object) => node.client.run({ target, request });
    expect(await failureOf(call(targetOf('read', { revision: 40 })))).toEqual({
      connect: Code.FailedPrecondition,
      message: 'The connection of this pool is not known here',
      code: 'CONNECTION_UNKNOWN',
      details: [],
    });
    await call(sealed('read', 40));
    const { result, collectId } = await call(targetOf('read', { revision: 40 }));
    expect(collectId).toBe('');
    expect(JSON.parse(utf8Of(result))).toEqual({
      request: { type: 'query', query: 'select 1' },
      mode: 'read',
    });
  });

  test('is not looked for in a call for replies in a form that is not known', async () => {
    const call = node.client.run({
      target: targetOf('read', { revision: 42 }),
      request: query('select 1'),
      replyForm: 'resp9',
    });
    expect(await failureOf(call)).toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('is refused when it is sealed to another node', async () => {
    const other = await makeKeys();
    const target = targetOf('read', {
      revision: 41,
      sealedConnection: await seal(other.nodePublic),
    });
    expect(await failureOf(node.client.run({ target, request: query('select 1') }))).toEqual({
      connect: Code.Unavailable,
      message: 'The sealed connection cannot be opened with the key of this node',
      code: 'NODE_UNAVAILABLE',
      details: [],
    });
  });

  test('is forgotten when its session could not be opened', async () => {
    const sealedConnection = await seal(node.keys.nodePublic, { settings: { fails: true } });
    const target = targetOf('read', { revision: 42, sealedConnection });
    const failed = await failureOf(node.client.run({ target, request: query('select 1') }));
    expect(failed.code).toBe('INVALID_CONFIGURATION');
    await node.client.run({ target: sealed('read', 42), request: query('select 1') });
  });
});

describe('Run', () => {
  test.each([
    { name: 'no target', target: undefined, path: 'target' },
    { name: 'an unknown kind', target: { kind: 'oracle' }, path: 'target.kind' },
    { name: 'no mode', target: { mode: '' }, path: 'target.mode' },
    { name: 'no profile', target: { profile: 'test' }, path: 'target.profile' },
    { name: 'a read in a pool for writes', target: { mode: 'read' }, path: 'target.pool_key' },
    {
      name: "another endpoint's pool",
      target: { endpoint: ENDPOINT.replace('6', '7') },
      path: 'target.pool_key',
    },
  ])('refuses $name', async ({ target, path }) => {
    const call = node.client.run({
      request: query('select 1'),
      ...(target && { target: { ...sealed('write'), ...target } }),
    });
    expect(await failureOf(call)).toEqual({
      connect: Code.InvalidArgument,
      message: `${path}: is missing or wrong`,
      code: 'BAD_REQUEST',
      details: [{ path, message: 'is missing or wrong' }],
    });
  });

  test('refuses a type that writes in a read call', async () => {
    const request = query('delete from t', 'execute');
    expect(await failureOf(node.client.run({ target: sealed('read'), request }))).toMatchObject({
      connect: Code.InvalidArgument,
      message: 'type: execute writes',
      code: 'BAD_REQUEST',
    });
    await node.client.run({ target: sealed('write'), request });
  });

  test('refuses what is not JSON', async () => {
    const request = new TextEncoder().encode('{"type":');
    expect(await failureOf(node.client.run({ target: sealed('read'), request }))).toMatchObject({
      message: 'request: is not JSON',
      code: 'BAD_REQUEST',
    });
  });

  test("passes on the backend's own message in details", async () => {
    const failed = node.client.run({ target: sealed('read'), request: query('refuse') });
    expect(await failureOf(failed)).toEqual({
      connect: Code.InvalidArgument,
      message: 'The database refused it',
      code: 'REQUEST_FAILED',
      details: [{ source: 'postgres', code: '42601', message: 'syntax error', position: 1 }],
    });
  });

  test('tells nothing about a failure that was not foreseen', async () => {
    const failed = node.client.run({ target: sealed('read'), request: query('fail') });
    expect(await failureOf(failed)).toEqual({
      connect: Code.Internal,
      message: 'The node failed',
      code: 'INTERNAL',
      details: [],
    });
  });

  test('stops the backend when the deadline passes, and says so', async () => {
    node.seen.aborted.length = 0;
    const failed = node.client.run(
      { target: sealed('read'), request: query('hang') },
      { timeoutMs: 1_000 },
    );
    expect((await failureOf(failed)).connect).toBe(Code.DeadlineExceeded);
    await expect.poll(() => node.seen.aborted).toMatchObject([{ code: 'TIMED_OUT' }]);
  });

  test('stops the backend when the client goes away', async () => {
    node.seen.aborted.length = 0;
    const client = new AbortController();
    const failed = failureOf(
      node.client.run(
        { target: sealed('read'), request: query('hang') },
        { signal: client.signal },
      ),
    );
    await expect.poll(() => node.seen.running).toBe(1);
    client.abort();
    expect((await failed).connect).toBe(Code.Canceled);
    await expect
      .poll(() => node.seen.aborted)
      .toMatchObject([{ code: 'TIMED_OUT', message: 'The client went away' }]);
  });
});

describe('Collect', () => {
  test('hands over a result of more than 256 KiB, once', async () => {
    const request = query('big 300000');
    const { result, collectId } = await node.client.run({ target: sealed('read'), request });
    expect(result).toHaveLength(0);
    const chunks = (await pieces(node.client.collect({ collectId }))).map(({ chunk }) => chunk);
    expect(chunks.length).toBeGreaterThan(1);
    expect(utf8Of(Buffer.concat(chunks))).toBe(JSON.stringify('x'.repeat(300_000)));
    const again = failureOf(pieces(node.client.collect({ collectId })));
    expect(await again).toMatchObject({ connect: Code.NotFound, code: 'NOT_FOUND' });
  });
});

describe('RunStream', () => {
  test('answers rows as they come', async () => {
    const request = query('rows 3');
    const stream = node.client.runStream({ target: sealed('read'), request });
    const rows = (await pieces(stream)).map(({ chunk }) => utf8Of(chunk));
    expect(rows).toHaveLength(4);
    expect(rows.slice(1).map((row) => JSON.parse(row).row)).toEqual([0, 1, 2]);
  });

  test.each([
    { end: 'the client leaves', timeoutMs: 60_000, code: 'TIMED_OUT' },
    { end: 'the deadline passes', timeoutMs: 4_000, code: 'TIMED_OUT' },
  ])('does not read ahead of a client that does not read, and stops when $end', async (row) => {
    node.seen.chunks = 0;
    const client = new AbortController();
    const requestId = `request-${row.timeoutMs}`;
    const rows = node.client
      .runStream(
        { target: sealed('read', 50), request: query('rows 100000') },
        { signal: client.signal, timeoutMs: row.timeoutMs, headers: { 'X-Request-Id': requestId } },
      )
      [Symbol.asyncIterator]();
    await rows.next();
    await rows.next();
    await standsStill();
    expect(node.seen.chunks).toBeLessThan(20_000);
    expect(await inFlight()).toBe(1);
    if (row.end === 'the client leaves') client.abort();
    await expect.poll(inFlight).toBe(0);
    const line = node.lines
      .map((each) => JSON.parse(each))
      .find((each) => each.request_id === requestId);
    expect(line).toMatchObject({ method: 'RunStream', code: row.code });
    client.abort();
  });

  test('ends with the code of a failure after the first row', async () => {
    const failed = pieces(
      node.client.runStream({ target: sealed('read'), request: query('fail') }),
    );
    expect(await failureOf(failed)).toMatchObject({ code: 'INTERNAL', message: 'The node failed' });
  });
});

describe('Transact', () => {
  test('passes all operations to the backend', async () => {
    const operations = new TextEncoder().encode(
      JSON.stringify([{ query: 'a', type: 'execute' }, { query: 'b' }]),
    );
    const { result } = await node.client.transact({ target: sealed('write'), operations });
    expect(JSON.parse(utf8Of(result))).toEqual(['a', 'b']);
  });

  test('names the operation that is wrong', async () => {
    const operations = new TextEncoder().encode(JSON.stringify([{ query: 'a' }, { query: 5 }]));
    const failed = await failureOf(node.client.transact({ target: sealed('write'), operations }));
    expect(failed.code).toBe('BAD_REQUEST');
    expect(failed.details).toContainEqual({ operation: 1 });
  });
});

describe('Release', () => {
  test('closes the pools of other revisions and forgets their connections', async () => {
    const endpoint = '11111111-5f7e-4a9c-8f8e-0d9a4c1b2a3d';
    const at = (revision: number, sealedConnection = '') => ({
      target: targetOf('read', { endpoint, revision, sealedConnection }),
      request: query('select 1'),
    });
    await node.client.run(at(1, node.sealed));
    await node.client.run(at(2, node.sealed));
    expect((await node.client.release({ endpoint, keepRevision: 2n })).pools).toBe(1);
    expect((await failureOf(node.client.run(at(1)))).code).toBe('CONNECTION_UNKNOWN');
    await node.client.run(at(2));
    expect((await node.client.release({ endpoint })).pools).toBe(1);
    expect((await failureOf(node.client.run(at(2)))).code).toBe('CONNECTION_UNKNOWN');
  });
});

describe('the other methods', () => {
  test('Ping answers microseconds', async () => {
    expect((await node.client.ping({ target: sealed('read') })).latencyUs).toBe(1500n);
  });

  test('Status tells who the node is', async () => {
    const status = await node.client.status({});
    expect(status).toMatchObject({ node: node.relay.nodeId, version: '1.2.3', draining: false });
    expect(Math.abs(Number(status.startedMs) - Date.now())).toBeLessThan(60_000);
    expect(status.pools).toBeGreaterThan(0);
  });

  test('Prepare answers NOT_SUPPORTED where the kind cannot', async () => {
    const transactionId = `causeway_${'a'.repeat(22)}_${'b'.repeat(22)}_0`;
    const failed = node.client.prepare({ target: sealed('write'), transactionId });
    expect((await failureOf(failed)).code).toBe('NOT_SUPPORTED');
    const { joins, lacks } = await node.client.lacks({ target: sealed('write') });
    expect([joins, lacks.map(({ code }) => code)]).toEqual([false, ['kind']]);
  });
});
