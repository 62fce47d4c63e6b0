/** What `POST /transactions` refuses, and whom. Spec: transactions.md §1, §5. */
import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { failure } from '../test/gateway.ts';
import { told } from '../test/running.ts';
import { op, start } from './test/started.ts';

describe('refusals', () => {
  test.each<[string, Json, number, Json]>([
    ['no operations', { operations: [] }, 400, 'BAD_REQUEST'],
    [
      '1,001 operations',
      { operations: Array.from({ length: 1001 }, () => op('e0', 'select 1')) },
      400,
      'BAD_REQUEST',
    ],
    ['an unknown member', { operations: [op('e0', 'select 1')], more: 1 }, 400, 'BAD_REQUEST'],
    [
      'an unknown level',
      { operations: [op('e0', 'select 1')], isolation: 'dirty' },
      400,
      'BAD_REQUEST',
    ],
    ['an unknown endpoint', { operations: [op('gone', 'select 1')] }, 404, 'ENDPOINT_NOT_FOUND'],
    [
      'a result of a later operation',
      { operations: [op('e0', 'select 1', { $result: '[1]' }), op('e1', 'select 1')] },
      400,
      'BAD_REQUEST',
    ],
    [
      'a request that is none',
      { operations: [{ endpoint: 'e0', queries: 1 }] },
      400,
      'BAD_REQUEST',
    ],
  ])('%s', async (_, body, status, code) => {
    const { gateway, relay } = await start();
    expect(await gateway.call('POST', '/transactions', body)).toMatchObject({
      status,
      body: { code },
    });
    expect(relay.calls).toEqual([]);
  });

  test.each<[string, object, object[], string]>([
    [
      'of an endpoint that is not there',
      op('gone', 'select 1'),
      [{ path: 'operations.1.endpoint', message: 'does not exist', operation: 1 }],
      'Endpoint gone does not exist',
    ],
    [
      'whose request is of no form of the kind',
      { endpoint: 'e1', queries: 1 },
      [{ path: 'operations.1.query', operation: 1 }, { operation: 1 }],
      'operations.1: ',
    ],
    [
      'that subscribes',
      { endpoint: 'e1', type: 'no-such-type', query: 'select 1' },
      [{ path: 'operations.1.type', operation: 1 }],
      'operations.1: ',
    ],
    [
      'that points to itself',
      op('e1', 'select $1, $2', 1, [{ $result: '[1].rows' }]),
      [
        {
          path: 'operations.1.params.1.0',
          message: 'points to an operation that does not come before',
          operation: 1,
        },
      ],
      'operations.1: The reference [1].rows points to an operation that does not come before',
    ],
  ])('name the operation %s', async (_, second, details, message) => {
    const { gateway, relay } = await start();
    const body = { operations: [op('e0', 'select 1'), second] };
    const reply = await gateway.call('POST', '/transactions', body as Json);
    expect(reply.body).toMatchObject({ details, message: expect.stringContaining(message) });
    expect(relay.calls).toEqual([]);
  });

  test('rights are asked on every endpoint', async () => {
    const { gateway, relay } = await start();
    const reader = await gateway.token(await gateway.addUser('Read'));
    const reads = { operations: [op('e0', 'select 1')] };
    expect(await gateway.call('POST', '/transactions', reads, reader)).toMatchObject({
      status: 200,
    });
    const writes = {
      operations: [op('e0', 'select 1'), { ...op('e1', 'update b'), type: 'execute' }],
    };
    expect(await gateway.call('POST', '/transactions', writes, reader)).toMatchObject({
      status: 403,
      body: {
        message: 'This operation needs Write access on endpoint e1',
        details: [{ operation: 1, needed: 'Write' }],
      },
    });
    const stranger = await gateway.token(await gateway.addUser(undefined));
    expect(await gateway.call('POST', '/transactions', reads, stranger)).toMatchObject({
      status: 403,
      body: { details: [{ operation: 0, needed: 'Read' }] },
    });
    expect(relay.calls).toEqual(['prepare 0']);
  });

  describe.each([
    ['read_statement', 'INSERT is not taken on /read; send it to /write', 'INSERT'],
    [
      'read_function',
      'Function f is not taken on /read; send the statement to /write',
      'Function f',
    ],
  ])('of a statement that is no read, by %s', (rule, message, what) => {
    /** A relay that says so of the second operation. */
    async function refusing() {
      const started = await start();
      const details = [{ rule, path: 'query', message, operation: 1 }];
      started.relay.before = (method, share) => {
        if (method === 'prepare' && share === '1')
          throw told(Code.InvalidArgument, 'BAD_REQUEST', message, details);
      };
      const body = { operations: [op('e0', 'select 1'), op('e1', 'insert into b')] };
      return { ...started, body: body as Json };
    }

    test('names the level that a caller lacks who may only read', async () => {
      const { gateway, body } = await refusing();
      const reader = await gateway.token(await gateway.addUser('Read'));
      const why = `${what} is not taken by a read; it needs Write access`;
      expect(await gateway.call('POST', '/transactions', body, reader)).toMatchObject({
        status: 403,
        body: {
          code: 'FORBIDDEN',
          message: 'This operation needs Write access on endpoint e1',
          details: [
            { needed: 'Write', level: 'Read', operation: 1, grant: { endpoint_id: 'e1' } },
            { rule, path: 'query', message: why, operation: 1 },
          ],
        },
      });
    });

    test('is told as it is to one who lacks nothing', async () => {
      const { gateway, body } = await refusing();
      expect(await gateway.call('POST', '/transactions', body)).toMatchObject({ status: 400 });
    });

    test('leaves the key free: with the level, the repeat runs', async () => {
      const { gateway, relay, body } = await refusing();
      const { username: subject, ...user } = await gateway.addUser('Read');
      const bearer = await gateway.token({ username: subject, ...user });
      const ask = async () => {
        const response = await gateway.send('/transactions', {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${bearer}`,
            'Content-Type': 'application/json',
            'Idempotency-Key': 'key-1',
          },
          body: JSON.stringify(body),
        });
        await response.body?.cancel();
        return response.status;
      };
      expect([await ask(), await ask()]).toEqual([403, 403]);
      const grant = { subject, access_level: 'Write', endpoint_id: 'e1' };
      await gateway.call('POST', '/iam/rbac/endpoints/subjects', grant);
      relay.before = () => {};
      expect(await ask()).toBe(200);
    });
  });

  test("another's transaction is not found; Admin sees all", async () => {
    const { gateway } = await start();
    const body = { operations: [op('e0', 'update a')] };
    const sent = (await gateway.call('POST', '/transactions', body)).body;
    const { transaction_id: id } = sent as { transaction_id: string };
    const writer = await gateway.token(await gateway.addUser('Write'));
    expect(await gateway.call('GET', `/transactions/${id}`, undefined, writer)).toEqual({
      status: 404,
      body: failure('TRANSACTION_NOT_FOUND', `Transaction ${id} does not exist`),
    });
    expect(await gateway.call('GET', '/transactions', undefined, writer)).toEqual({
      status: 200,
      body: { transactions: [] },
    });
    const admin = await gateway.token(await gateway.addUser('Admin'));
    expect(await gateway.call('GET', `/transactions/${id}`, undefined, admin)).toMatchObject({
      status: 200,
    });
  });
});
