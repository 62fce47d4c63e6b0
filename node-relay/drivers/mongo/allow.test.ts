/** `config.allow`: what requests may name, on each way into a real server. Spec: keys-and-doors.md §4. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRequest } from '../../../kinds/index.ts';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import type { JsonObject } from '../../../proto/json.ts';
import { callOf, openClient } from '../test/host.ts';
import { verdictOn } from '../test/verdict.ts';
import { type MongoBackend, mongo } from './index.ts';
import { TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: MongoBackend;

beforeAll(async () => {
  database = await TestDatabase.create();
  client = await openClient(mongo, {
    connection: { url: database.url },
    mode: 'write',
    settings: { allow: { collections: ['orders', 'items*', 'fs.files', 'fs.chunks'] } },
  });
  await client.run(
    request({ type: 'insert_one', collection: 'orders', document: { a: 1 } }),
    callOf('write'),
  );
});
afterAll(async () => {
  await client?.close();
  await database?.drop();
});

function request(members: JsonObject): MongoRequest {
  return parseRequest('mongo', members).request as unknown as MongoRequest; // Of the kind that was named.
}

const verdict = async (members: JsonObject) =>
  verdictOn(client.run(request(members), callOf('write')));

const aggregate = (...pipeline: JsonObject[]) => ({
  ...{ type: 'aggregate', collection: 'orders', pipeline },
});
const lookup = (from: string | JsonObject, pipeline: JsonObject[] = []) => ({
  $lookup: { from, pipeline, as: 'x' },
});

describe('a request', () => {
  test.each<JsonObject>([
    { type: 'ping' },
    { type: 'find', collection: 'orders' },
    { type: 'count_documents', collection: 'items_old' },
    { type: 'insert_many', collection: 'items', documents: [{ from: 'secret' }] },
    aggregate({ $match: { a: 1 } }, lookup('items', [lookup('items_old')])),
    aggregate({ $unionWith: 'items' }, { $unionWith: { coll: 'items', pipeline: [] } }),
    aggregate({ $facet: { a: [lookup('items')], b: [{ $count: 'n' }] } }),
    aggregate({ $merge: { into: 'items' } }),
    aggregate({ $out: 'items2' }),
    { type: 'run_command', command: { count: 'orders' } },
    { type: 'raw_command', command: '{"find": "items", "filter": {}}' },
    { type: 'database.gridfs_bucket.find' },
  ])('that names only what is open is taken: %j', async (members) => {
    expect(await verdict(members)).toBe('taken');
  });

  test.each<[JsonObject, string]>([
    [{ type: 'find', collection: 'secret' }, 'secret'],
    [{ type: 'find', collection: 'Orders' }, 'Orders'],
    [{ type: 'find', collection: 'items.old' }, 'items.old'],
    [{ type: 'find', collection: 'orders', database: 'other' }, 'other.orders'],
    [{ type: 'drop', collection: 'secret' }, 'secret'],
    [{ type: 'rename', collection: 'orders', name: 'secret' }, 'secret'],
    [aggregate(lookup('secret')), 'secret'],
    [aggregate(lookup({ db: 'other', coll: 'orders' })), 'other.orders'],
    [aggregate(lookup('items', [lookup('secret')])), 'secret'],
    [aggregate({ $facet: { a: [{ $facet: { b: [lookup('secret')] } }] } }), 'secret'],
    [aggregate({ $unionWith: 'secret' }), 'secret'],
    [aggregate({ $unionWith: { coll: 'items', pipeline: [{ $unionWith: 'secret' }] } }), 'secret'],
    [
      aggregate({
        $graphLookup: {
          from: 'secret',
          startWith: '$a',
          connectFromField: 'a',
          connectToField: 'a',
          as: 'x',
        },
      }),
      'secret',
    ],
    [aggregate({ $out: 'secret' }), 'secret'],
    [aggregate({ $out: { db: 'other', coll: 'orders' } }), 'other.orders'],
    [aggregate({ $merge: 'secret' }), 'secret'],
    [aggregate({ $merge: { into: 'orders', whenMatched: [lookup('secret')] } }), 'secret'],
    [aggregate({ $merge: { into: { db: 'other', coll: 'orders' } } }), 'other.orders'],
    [{ type: 'create_collection', name: 'secret' }, 'secret'],
    [{ type: 'create_collection', name: 'items9', options: { viewOn: 'secret' } }, 'secret'],
    [
      {
        type: 'create_collection',
        name: 'items9',
        options: { viewOn: 'orders', pipeline: [lookup('secret')] },
      },
      'secret',
    ],
    [
      {
        type: 'client.bulk_write',
        operations: [{ insert_one: { namespace: 'other.orders', document: {} } }],
      },
      'other.orders',
    ],
    [{ type: 'run_command', command: { find: 'secret' } }, 'secret'],
    [
      {
        type: 'run_command',
        command: { aggregate: 'orders', pipeline: [lookup('secret')], cursor: {} },
      },
      'secret',
    ],
    [{ type: 'run_command', command: { explain: { find: 'secret' } } }, 'secret'],
    [{ type: 'raw_command', command: '{"delete": "secret", "deletes": []}' }, 'secret'],
    [{ type: 'database.gridfs_bucket.find', bucket_name: 'other' }, 'other.files'],
  ])('that names more is refused: %j', async (members, name) => {
    expect(await verdict(members)).toBe(`allow ${name}`);
  });

  test.each<JsonObject>([
    { type: 'list_collections' },
    { type: 'list_databases' },
    { type: 'drop_database' },
    { type: 'database.aggregate', pipeline: [{ $currentOp: {} }] },
    { type: 'database.aggregate', pipeline: [{ $listSessions: {} }] },
    aggregate({ $lookup: { from: { $symbol: 'secret' }, pipeline: [], as: 'x' } }),
    aggregate({ $unionWith: { $symbol: 'secret' } }),
    aggregate({ $unionWith: { $result: '[0].document.n' } }),
    aggregate({ $lookup: { $result: '[0].document' } }),
    aggregate({ $lookup: { as: 'x' } }),
    aggregate({ $rankFusion: { input: { pipelines: { a: [lookup('secret')] } } } }),
    aggregate({ $match: { $where: 'true' } }),
    aggregate({ $project: { a: { $function: { body: 'f', args: [], lang: 'js' } } } }),
    { type: 'run_command', command: { listCollections: 1 } },
    { type: 'run_command', command: { mapReduce: 'orders', map: 'f', reduce: 'f', out: 'secret' } },
    { type: 'run_command', command: { renameCollection: 'a.orders', to: 'a.secret' } },
    { type: 'run_command', command: { find: { $symbol: 'secret' } } },
    { type: 'raw_command', command: '{"eval": "1"}' },
  ])('in a form that is not read is refused: %j', async (members) => {
    expect(await verdict(members)).toBe('allow_undecided');
  });
});

describe('each way in refuses', () => {
  const FORBIDDEN = { code: 'FORBIDDEN' };
  const bad = request({ type: 'find', collection: 'secret' });

  test('a stream, a transaction, a session, a share', async () => {
    const lines = client.stream(bad, callOf('read'))[Symbol.asyncIterator]();
    await expect(lines.next()).rejects.toMatchObject(FORBIDDEN);
    await expect(client.transact([bad], callOf('write'))).rejects.toMatchObject(FORBIDDEN);
    const lease = await client.lease(callOf('write'));
    await expect(lease.run(bad, callOf('write'))).rejects.toMatchObject(FORBIDDEN);
    await lease.close();
    const share = await client.join({ name: 'causeway_allow_1_1' } as never, callOf('write'));
    const operations = [{ request: bad, mode: 'write', place: 0 }];
    const asked = { operations, earlier: () => undefined, recoverable: false };
    await expect(share.perform(asked as never, callOf('write'))).rejects.toMatchObject(FORBIDDEN);
    await share.close();
  });

  test('events and changes', async () => {
    for (const members of [{ type: 'watch', collection: 'secret' }, { type: 'database.watch' }]) {
      const events = client
        .watch(request(members), callOf('read'), undefined)
        [Symbol.asyncIterator]();
      await expect(events.next()).rejects.toMatchObject(FORBIDDEN);
    }
    const collections = [{ name: 'secret', operations: ['insert' as const] }];
    await expect(
      client.prepareChanges({ slot: 'allow', collections }, callOf('write')),
    ).rejects.toMatchObject({ ...FORBIDDEN, details: [{ path: 'collections[0]' }] });
  });

  test('the schema tells the open part', async () => {
    const { tables } = await client.inspect({ limit: 500 }, callOf('read'));
    const names = tables.map(({ name }) => name);
    expect(names).toContain('orders');
    expect(names.filter((name) => !/^(?:orders|items|fs)/.test(name))).toEqual([]);
  });
});
