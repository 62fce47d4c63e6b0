import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import type { TransactRequest } from '../../proto/gen/relay/v1/relay_pb.ts';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning, text, told } from '../test/running.ts';

const INSERT = { type: 'query', query: 'insert into t values ($1) returning id', params: [1] };

/** A relay that keeps what it is asked and how long it may take. */
function recording() {
  const seen: TransactRequest[] = [];
  const deadlines: (string | null)[] = [];
  return {
    seen,
    deadlines,
    transact(
      request: TransactRequest,
      { requestHeader }: { requestHeader: { get(name: string): string | null } },
    ) {
      seen.push(request);
      deadlines.push(requestHeader.get('Connect-Timeout-Ms'));
      return { result: bytes('[{"row_count":1},{"row_count":0}]') };
    },
  };
}

describe('a transaction', () => {
  test('goes to the relay as a whole, references untouched, and answers one result each', async () => {
    const relay = recording();
    const gateway = await startRunning(relay);
    const referring = { query: 'update t set a = $1', params: [{ $result: '[0].rows[0].id' }] };
    expect(
      await gateway.ask('/transaction?numbers=string', { operations: [INSERT, referring] }),
    ).toEqual({
      status: 200,
      body: { status: 'success', data: [{ row_count: 1 }, { row_count: 0 }] },
    });
    const { endpointUuid } = gateway;
    expect(relay.seen).toMatchObject([
      {
        target: { mode: 'write', poolKey: `${endpointUuid}:1:write:production` },
        numbersAsStrings: true,
        resultMaxBytes: 10_485_760n,
      },
    ]);
    expect(relay.seen.map(({ operations }) => JSON.parse(text(operations)))).toEqual([
      [INSERT, { type: 'query', ...referring }],
    ]);
  });

  test.each([
    ['30 seconds', {}, [INSERT], '30000'],
    ['what it says', { timeout_ms: 90 }, [{ ...INSERT, timeout_ms: 5000 }], '90'],
    [
      'what its operations say together',
      {},
      [
        { ...INSERT, timeout_ms: 40_000 },
        { ...INSERT, timeout_ms: 5_000 },
      ],
      '45000',
    ],
    [
      'five minutes at most',
      {},
      [
        { ...INSERT, timeout_ms: 290_000 },
        { ...INSERT, timeout_ms: 290_000 },
      ],
      '300000',
    ],
  ])('may take %s', async (_, members, operations, expected) => {
    const relay = recording();
    const gateway = await startRunning(relay);
    await gateway.ask('/transaction', { ...members, operations });
    expect(relay.deadlines).toEqual([expected]);
  });

  test.each([
    [
      'an operation without its statement',
      [INSERT, { type: 'query' }],
      'operations.1: query: is required',
      'operations.1.query',
    ],
    [
      'an operation that is none',
      [7],
      'operations.0: The body is a JSON object with `query`, such as {"query": "SELECT 1"}',
      'operations.0.body',
    ],
    ['no operation', [], 'operations: may not be empty', 'operations'],
  ])('is refused for %s, and nothing is sent', async (_, operations, message, path) => {
    const relay = recording();
    const gateway = await startRunning(relay);
    expect(await gateway.ask('/transaction', { operations })).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', message, [{ path, message: expect.any(String) }]),
    });
    expect(relay.seen).toEqual([]);
  });

  test('is refused in a session, which it would not run in', async () => {
    const relay = recording();
    const gateway = await startRunning(relay);
    const message = 'is not for transactions: they have a connection of their own';
    const headers = { 'X-Session-Id': 'any' };
    expect(await gateway.ask('/transaction', { operations: [INSERT] }, headers)).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', `X-Session-Id: ${message}`, [{ path: 'X-Session-Id', message }]),
    });
    expect(relay.seen).toEqual([]);
  });

  test('names the operation that failed as the relay does', async () => {
    const details = [{ source: 'postgres', code: '23505', message: 'duplicate key', operation: 1 }];
    const gateway = await startRunning({
      transact() {
        throw told(Code.AlreadyExists, 'CONSTRAINT_VIOLATED', 'A constraint is violated', details);
      },
    });
    expect(await gateway.ask('/transaction', { operations: [INSERT] })).toEqual({
      status: 409,
      body: failure('CONSTRAINT_VIOLATED', 'A constraint is violated', details),
    });
  });

  test('is 501 where the backend has none', async () => {
    const gateway = await startRunning({
      transact() {
        throw told(Code.Unimplemented, 'NOT_SUPPORTED', 'This kind has no transactions');
      },
    });
    expect(await gateway.ask('/transaction', { operations: [INSERT] })).toEqual({
      status: 501,
      body: failure('NOT_SUPPORTED', 'This kind has no transactions'),
    });
  });
});
