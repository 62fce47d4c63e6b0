/** Hostile MongoDB servers. Source: MongoDB manual, "MongoDB Wire Protocol". */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BSON, GridFSBucket, MongoClient } from 'mongodb';
import { startMongo } from '../../../servers/mongo-server.ts';
import type { Framing, HostileKind, KindCall } from '../kind.ts';

const OP_MSG = 2013;
const HEAD_BYTES = 16;

/** Members of commands that are drawn again each time. */
const DRAWN = ['lsid', '$clusterTime', 'maxTimeMS', 'txnNumber', 'client'];

function messagesOf(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + bytes.readInt32LE(at);
    messages.push(bytes.subarray(at, end));
    at = end;
  }
  return messages;
}

const framing: Framing = {
  length: { at: 0, size: 4, order: 'LE' },
  messages: messagesOf,
  turnEnd(sent) {
    const length = sent.length < HEAD_BYTES ? 0 : sent.readInt32LE(0);
    return length > 0 && sent.length >= length ? length : 0;
  },
  keyOf(turn) {
    const opcode = turn.readInt32LE(12);
    // Before a login the command is behind the name of a collection and two numbers.
    const start = opcode === OP_MSG ? HEAD_BYTES + 5 : turn.indexOf(0, HEAD_BYTES + 4) + 9;
    const command = BSON.deserialize(turn.subarray(start, start + turn.readInt32LE(start)), {
      promoteValues: false,
    });
    for (const name of DRAWN) delete command[name];
    // A cursor has another number each time.
    if ('getMore' in command) command.getMore = 0;
    return `${opcode} ${BSON.EJSON.stringify(command)}`;
  },
  adapt: (reply, asked) =>
    reply.map((message) => {
      const own = Buffer.from(message);
      asked.copy(own, 8, 4, 8);
      return own;
    }),
};

const items = (name: string, type: string, members: object, more: Partial<KindCall> = {}) => ({
  name,
  method: 'run' as const,
  mode: 'read' as const,
  request: { type, collection: 'items', ...members },
  ...more,
});

/** A document of every type that is written otherwise. */
function item(n: number): object {
  return {
    _id: n,
    name: `item ${n}`,
    price: BSON.Decimal128.fromString(`${n}.25`),
    at: new Date(1_767_225_600_000 + n * 3_600_000),
    data: new BSON.Binary(Buffer.from([0, 255, n])),
    tags: ['a', `b ${n}`],
    big: BSON.Long.fromString('9007199254740993'),
    extra: { n, none: null, code: new BSON.Code('x', { n }), half: n / 2, yes: n % 2 === 0 },
    re: new BSON.BSONRegExp('^a', 'i'),
    ref: BSON.ObjectId.createFromTime(n),
  };
}

export const kind: HostileKind = {
  kind: 'mongo',
  framing,
  atOnce: 8,
  calls: [
    items('find', 'find', { filter: { _id: { $lte: 20 } }, options: { sort: { _id: 1 } } }),
    items('batches', 'find', { options: { sort: { _id: 1 }, batchSize: 7 } }),
    items('find_one', 'find_one', { filter: { _id: 3 } }),
    items('aggregate', 'aggregate', {
      pipeline: [{ $match: { _id: { $lt: 9 } } }, { $sort: { _id: 1 } }],
    }),
    items('count', 'count_documents', { filter: {} }),
    items('distinct', 'distinct', { field: 'tags', filter: {} }),
    {
      name: 'command',
      method: 'run',
      mode: 'read',
      request: { type: 'run_command', command: { count: 'items' } },
    },
    items('indexes', 'list_indexes', {}),
    items(
      'update',
      'update_one',
      { filter: { _id: 1 }, update: { $set: { name: 'item 1' } } },
      { mode: 'write' },
    ),
    items(
      'modify',
      'find_one_and_update',
      { filter: { _id: 2 }, update: { $set: { name: 'item 2' } } },
      { mode: 'write' },
    ),
    items('refused', 'find', { filter: { $nothing: 1 } }, { fails: 'REQUEST_FAILED' }),
    {
      name: 'file',
      method: 'run',
      mode: 'read',
      request: { type: 'database.gridfs_bucket.download', filename: 'file' },
    },
    items('rows', 'find', { options: { sort: { _id: 1 }, batchSize: 7 } }, { method: 'stream' }),
    items('all rows', 'aggregate', { pipeline: [{ $sort: { _id: 1 } }] }, { method: 'stream' }),
  ],
  async start() {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-hostile-mongo-'));
    const server = await startMongo({ folder: join(folder, 'data') });
    const client = await MongoClient.connect(server.url);
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await client
      .db(name)
      .collection('items')
      .insertMany(Array.from({ length: 30 }, (_, n) => item(n + 1)));
    const file = new GridFSBucket(client.db(name), { chunkSizeBytes: 1_000 }).openUploadStream(
      'file',
    );
    await new Promise<void>((resolve, reject) => {
      file.on('error', reject).on('finish', resolve).end(Buffer.alloc(3_500, 'x'));
    });
    await client.close();
    return {
      host: '127.0.0.1',
      port: server.port,
      connection: (host, port) => ({
        url: `mongodb://${host}:${port}/${name}?directConnection=true`,
      }),
      async stop() {
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
  faultOf({ request, method }, values) {
    if (method === 'stream') return values.every(isObject) ? undefined : 'a line is no document';
    const [value] = values;
    if (!isObject(value)) return 'no object';
    const isFind = /^(?:find|aggregate)$/.test(String((request as { type: string }).type));
    return isFind && !(Array.isArray(value.documents) && value.documents.every(isObject))
      ? 'no documents'
      : undefined;
  },
};

function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
