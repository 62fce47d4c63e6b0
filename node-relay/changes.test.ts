/** Changes through the relay over a real socket, called by the stock Connect client. */
import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Changes, ChangesRequest } from '../proto/changes.ts';
import type { BackendClient } from '../proto/driver.ts';
import {
  ENDPOINT,
  failureOf,
  startTestRelay,
  type TestRelay,
  targetOf,
  utf8Of,
} from './test/relay.ts';

const SLOT = `causeway_${ENDPOINT.replaceAll('-', '')}`;
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** What the driver was asked. */
const asked: unknown[] = [];
const changes: BackendClient & Changes = {
  run: async () => new Uint8Array(),
  ping: async () => 1,
  async close() {},
  async prepareChanges(request: ChangesRequest) {
    asked.push(['prepare', request]);
    return { position: '0/1', mark: 'm' };
  },
  async *changes(request, position) {
    asked.push(['changes', request, position]);
    yield { changes: [], faults: [], position: '0/1' };
    yield {
      changes: [
        {
          ...{
            id: 'i',
            collection: 'public.a',
            watched: ['a'],
            operation: 'update',
            time: 't',
            mark: 'm',
          },
          ...{ key: bytes({ id: 1 }), before: bytes({ id: 1 }), keyOnly: true },
          ...{ after: bytes({ id: 1, n: 2 }), absent: ['large'] },
        },
        {
          ...{
            id: 'j',
            collection: 'public.a',
            watched: ['a'],
            operation: 'delete',
            time: 't',
            mark: 'n',
          },
          ...{ key: bytes({ id: 1 }), before: bytes({ id: 1, n: 2 }) },
        },
      ],
      faults: [{ watched: 'b', message: 'There is no table b' }],
      position: '0/2',
    };
  },
  acknowledgeChanges(slot, position) {
    asked.push(['acknowledge', slot, position]);
    return true;
  },
  async dropChanges(slot) {
    asked.push(['drop', slot]);
    return false;
  },
  changesLag: async () => ({ bytes: 2 ** 40, whole: true }),
};

let node: TestRelay;
let target: ReturnType<typeof targetOf>;
beforeAll(async () => {
  node = await startTestRelay({ driver: { open: async () => changes } });
  target = targetOf('write', { sealedConnection: node.sealed });
});
afterAll(() => node.relay.drain());

const a = { name: 'a', operations: [] };

describe('Changes', () => {
  test('tells batches as the driver does', async () => {
    const told = [];
    const collections = [a, { name: 'b', operations: ['delete', 'insert'] }];
    for await (const batch of node.client.changes({ target, collections, position: '0/0' })) {
      told.push({
        position: batch.position,
        faults: batch.faults.map(({ watched, message }) => [watched, message]),
        changes: batch.changes.map(({ key, before, after, ...change }) => ({
          ...{
            operation: change.operation,
            keyOnly: change.keyOnly,
            absent: change.absent,
            mark: change.mark,
          },
          ...{ key: utf8Of(key), before: utf8Of(before), after: utf8Of(after) },
        })),
      });
    }
    expect(told).toEqual([
      { position: '0/1', faults: [], changes: [] },
      {
        position: '0/2',
        faults: [['b', 'There is no table b']],
        changes: [
          {
            ...{ operation: 'update', keyOnly: true, absent: ['large'], mark: 'm' },
            ...{ key: '{"id":1}', before: '{"id":1}', after: '{"id":1,"n":2}' },
          },
          {
            ...{ operation: 'delete', keyOnly: false, absent: [], mark: 'n' },
            ...{ key: '{"id":1}', before: '{"id":1,"n":2}', after: '' },
          },
        ],
      },
    ]);
    expect(asked.at(-1)).toEqual([
      'changes',
      {
        slot: SLOT,
        collections: [
          { name: 'a', operations: ['insert', 'update', 'delete'] },
          { name: 'b', operations: ['insert', 'delete'] },
        ],
      },
      '0/0',
    ]);
  });

  test('prepares, acknowledges, drops and tells of its lag by the endpoint', async () => {
    const prepared = await node.client.prepareChanges({ target, collections: [a] });
    expect([prepared.position, prepared.mark]).toEqual(['0/1', 'm']);
    expect((await node.client.acknowledgeChanges({ target, position: '0/2' })).told).toBe(true);
    expect((await node.client.dropChanges({ target })).found).toBe(false);
    const { bytes: kept, whole } = await node.client.changesLag({ target });
    expect([kept, whole]).toEqual([2n ** 40n, true]);
    expect(asked.slice(-2)).toEqual([
      ['acknowledge', SLOT, '0/2'],
      ['drop', SLOT],
    ]);
  });

  test.each([
    ['no collections', [], 'collections: must be 1 to 1000'],
    ['one without a name', [{ name: '', operations: [] }], 'collections[0]: has no name'],
    [
      'an operation that is none',
      [{ name: 'a', operations: ['truncate'] }],
      'collections[0]: names an operation that is not known',
    ],
  ])('refuses %s', async (_, collections, message) => {
    expect(await failureOf(node.client.prepareChanges({ target, collections }))).toMatchObject({
      connect: Code.InvalidArgument,
      message,
      code: 'BAD_REQUEST',
    });
  });

  test('is for writes alone, and not there for kinds without', async () => {
    const read = targetOf('read', { sealedConnection: node.sealed });
    expect(await failureOf(node.client.dropChanges({ target: read }))).toMatchObject({
      message: 'target.mode: must be write',
    });
    const other = await startTestRelay();
    const lacking = targetOf('write', { sealedConnection: other.sealed });
    expect(await failureOf(other.client.dropChanges({ target: lacking }))).toMatchObject({
      code: 'NOT_SUPPORTED',
      message: 'Endpoints of this kind do not have changes to tell',
    });
    await other.relay.drain();
  });
});
