/** What the suite of every driver needs to know of this one. */
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { CHANGE_OPERATIONS } from '../../../proto/changes.ts';
import type { DriverContract } from '../contract.ts';
import type { ChangedCase } from '../contract-changes.ts';
import { WITHOUT_URL } from '../contract-connections.ts';
import { mongo } from './index.ts';
import { entries, request, TestDatabase } from './test/database.ts';
import { TestProxy } from './test/proxy.ts';

let database: TestDatabase;
let proxy: TestProxy;
/** A command that nobody else sends, made slow by the server's own means for tests. */
const SLOW = 'hostInfo';

async function makeSlow(mode: 'alwaysOn' | 'off'): Promise<void> {
  const data = { failCommands: [SLOW], blockConnection: true, blockTimeMS: 30_000 };
  const failPoint = {
    configureFailPoint: 'failCommand',
    mode,
    ...(mode === 'off' ? {} : { data }),
  };
  await database.outside.db('admin').command(failPoint);
}

/** Numbers by key, whose changes are told. */
const changed: ChangedCase<MongoRequest> = {
  collections: [{ name: 'changed', operations: CHANGE_OPERATIONS }],
  set: (key, value) =>
    entries('replace_one', {
      collection: 'changed',
      filter: { _id: key },
      replacement: { n: value },
      options: { upsert: true },
    }),
  add: (from, count) =>
    entries('insert_many', {
      collection: 'changed',
      documents: Array.from({ length: count }, (_, at) => ({
        _id: from + at,
        n: from + at,
        pad: 'x'.repeat(500),
      })),
    }),
  read: (key) => entries('find_one', { collection: 'changed', filter: { _id: key } }),
  readText: (result) => /^\{"document":(.*)\}$/.exec(result)?.[1] ?? '',
  told: ({ after }) => {
    const { _id, n } = JSON.parse(Buffer.from(after ?? []).toString());
    return { key: _id, value: n };
  },
  keeps: true,
  longest: 20_000,
};

/** What the suite is run with. */
export const mongoContract: DriverContract<MongoRequest> = [
  'mongo',
  async () => {
    database = await TestDatabase.create();
    const documents = Array.from({ length: 1_000 }, (_, i) => ({ i, x: 'x'.repeat(90) }));
    await database.db.collection<{ i: number }>('rows').insertMany(documents);
    const heavy = documents.map(({ i }) => ({ i, x: 'x'.repeat(10_000) }));
    await database.db.collection<{ i: number }>('heavy').insertMany(heavy);
    await database.db.collection<{ _id: string }>('entries').insertOne({ _id: 'taken' });
    await makeSlow('alwaysOn');
    proxy = await TestProxy.to(database.url);
    const wrong = new URL(proxy.url);
    wrong.password = 'not-the-password';
    return {
      driver: mongo,
      connections: {
        right: { url: proxy.url },
        wrongPassword: { url: wrong.href },
        password: wrong.username && new URL(database.url).password,
      },
      invalid: [
        ...WITHOUT_URL,
        { connection: { url: 'mysql://u:p@host/db' }, message: /mongodb:\/\// },
        { connection: { url: 'mongodb://host/db?tlsCAFile=/etc/ca' }, message: /tlsCAFile/ },
        {
          connection: { url: 'mongodb://host/?authMechanism=MONGODB-AWS' },
          message: /authMechanism/,
        },
      ],
      add: (name) => entries('insert_one', { document: { name } }),
      count: (name) => entries('count_documents', { filter: { name } }),
      counted: (result) => (result as { value: number }).value,
      slow: request({ type: 'run_command', database: 'admin', command: { [SLOW]: 1 } }),
      refused: { request: entries('find', { filter: { x: { $nothing: 1 } } }), code: '2' },
      conflict: { request: entries('insert_one', { document: { _id: 'taken' } }), code: '11000' },
      table: { namespace: database.name, name: 'entries', type: 'collection' },
      events: {
        watch: request({ type: 'watch', collection: 'watched' }),
        cause: request({ type: 'insert_one', collection: 'watched', document: { _id: 'one' } }),
        event: { operationType: 'insert', documentKey: { _id: 'one' } },
      },
      once: {
        place: 'causeway_once',
        big: (name) => ({
          operations: [
            entries('insert_one', { document: { name } }),
            request({ type: 'find', collection: 'rows', options: { limit: 1_000 } }),
          ],
        }),
        failing: (name) => ({
          operations: [
            entries('insert_one', { document: { name } }),
            entries('insert_one', { document: { _id: 'taken' } }),
          ],
        }),
      },
      changed,
      dropIdle: async () => proxy.cut(),
      longest: 10_000,
      rows: (count) =>
        request({
          type: 'aggregate',
          collection: 'rows',
          pipeline: count <= 1_000 ? [{ $limit: count }] : severalTimes(count),
        }),
      heavyRows: (count) =>
        request({ type: 'aggregate', collection: 'heavy', pipeline: severalTimes(count) }),
      backendConnections: async () => proxy.connections,
    };
  },
  async () => {
    await makeSlow('off');
    proxy.close();
    await database.drop();
  },
  {
    warnings: 'nothing about a credential is known to deserve one',
    state: 'requests hold nothing on their connection',
    prepare: 'its transactions end with the session that began them',
    running:
      'the server of these tests tells what it runs, and goes on with it when told to end it',
  },
];

/** Each of the thousand rows as often as is needed. */
function severalTimes(count: number): object[] {
  return [
    { $set: { n: { $range: [0, Math.ceil(count / 1_000)] } } },
    { $unwind: '$n' },
    { $limit: count },
  ];
}
