/** MongoDB through worker and relay, from an HTTP client to a real server of its protocol and back. */
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, sharedGateway } from './gateway.ts';
import { ask, newOrganization, type Organization, success } from './organization.ts';
import { backend } from './servers/backends.ts';

let gateway: Gateway;
let organization: Organization;
let endpoint: string;
let outside: MongoClient;
const database = `test_${randomUUID().replaceAll('-', '')}`;

beforeAll(async () => {
  const [shared, { url }] = await Promise.all([sharedGateway(), backend('mongo')]);
  gateway = shared;
  outside = await MongoClient.connect(url);
  organization = await newOrganization(gateway);
  endpoint = `mo-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url }, db_name: database, auth: 'None', content: 'JSON' };
  const body = { endpoint, kind: 'mongodb', config };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({
    status: 200,
    body: { data: { kind: 'Mongo' } },
  });
});
afterAll(async () => {
  await outside.db(database).dropDatabase();
  await outside.close();
});

const at = (path: string) => `/endpoints/${endpoint}/${path}`;
const read = (body: unknown, headers = {}) => organization.call('POST', at('read'), body, headers);
const write = (body: unknown, headers = {}) =>
  organization.call('POST', at('write'), body, headers);

/** The text of a reply's `data`. */
async function textOf(path: string, body: string): Promise<string> {
  const response = await organization.send('POST', at(path), body);
  return (await response.text()).replace(/^\{"status":"success","data":(.*)\}$/s, '$1');
}

describe('documents', () => {
  test('keep the order of their members, their digits and types, in and out', async () => {
    const document =
      '{"_id":7,"10":"b","2":"a","__proto__":{"1":1,"0":2},"whole":1.0,"big":{"$numberLong":"9007199254740993"},"price":{"$numberDecimal":"12345678901234567890.123456789"},"when":{"$date":"2026-01-05T09:30:00Z"}}';
    const sent = document.replace('{"$numberLong":"9007199254740993"}', '9007199254740993');
    const insert = `{"type":"insert_one","collection":"kept","document":${sent}}`;
    expect(await textOf('write', insert)).toBe('{"inserted_id":7}');
    const find = '{"request":{"kind":"Mongo","type":"FIND","collection":"kept"}}';
    expect(await textOf('read', find)).toBe(`{"documents":[${document}]}`);
    const found = await outside
      .db(database)
      .collection('kept')
      .findOne({}, { promoteValues: false });
    expect(found).toMatchObject({ _id: { _bsontype: 'Int32' }, whole: { _bsontype: 'Double' } });
  });

  test('are canonical when that is asked for', async () => {
    await write({ type: 'insert_one', collection: 'forms', document: { _id: 1, n: 2.5 } });
    const body = '{"type":"find_one","collection":"forms","filter":{"_id":1}}';
    expect(await textOf('read?ejson=canonical', body)).toBe(
      '{"document":{"_id":{"$numberInt":"1"},"n":{"$numberDouble":"2.5"}}}',
    );
  });

  test('come as lines', async () => {
    const documents = Array.from({ length: 500 }, (_, _id) => ({ _id }));
    await write({ type: 'insert_many', collection: 'lines', documents });
    const response = await organization.send(
      'POST',
      at('read'),
      { type: 'find', collection: 'lines', options: { sort: { _id: 1 }, batch_size: 100 } },
      { headers: { Accept: 'application/x-ndjson' } },
    );
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(documents);
  });

  test('with a member twice are refused', async () => {
    const twice = '{"type":"insert_one","collection":"kept","document":{"a":1,"a":2}}';
    expect(await organization.call('POST', at('write'), twice)).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', message: 'body: the member "a" is there twice' },
    });
  });
});

describe('a read', () => {
  test.each([
    [{ type: 'insert_one', collection: 'x', document: {} }],
    [{ type: 'aggregate', collection: 'x', pipeline: [{ $out: 'y' }] }],
    [{ type: 'find', collection: 'x', filter: { $where: '1' } }],
    [{ type: 'run_command', command: { drop: 'x' } }],
  ])('refuses %j', async (body) => {
    expect(await read(body)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });

  test("tells the server's own code", async () => {
    const body = { type: 'find', collection: 'x', filter: { a: { $nothing: 1 } } };
    expect(await read(body)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_FAILED', details: [{ source: 'mongo', code: '2' }] },
    });
  });
});

test('a duplicate is a conflict', async () => {
  const insert = { type: 'insert_one', collection: 'once', document: { _id: 1 } };
  expect(await write(insert)).toEqual(success({ inserted_id: 1 }));
  expect(await write(insert)).toMatchObject({
    status: 409,
    body: { code: 'CONSTRAINT_VIOLATED', details: [{ source: 'mongo', code: '11000' }] },
  });
});

test('a transaction is all or nothing, and hands results on', async () => {
  const add = (document: object) => ({ type: 'insert_one', collection: 'books', document });
  const transact = (...operations: object[]) =>
    organization.call('POST', at('transaction'), { operations });
  await write({ type: 'create_collection', name: 'books' });
  expect(
    await transact(add({ _id: 1 }), add({ of: { $result: '[0].inserted_id' }, _id: 2 })),
  ).toEqual(success([{ inserted_id: 1 }, { inserted_id: 2 }]));
  expect(await transact(add({ _id: 3 }), add({ _id: 1 }))).toMatchObject({
    status: 409,
    body: { details: [{ code: '11000', operation: 1 }] },
  });
  const found = { type: 'find', collection: 'books', options: { sort: { _id: 1 } } };
  expect(await read(found)).toEqual(success({ documents: [{ _id: 1 }, { _id: 2, of: 1 }] }));
});

describe('a session', () => {
  const open = async () => {
    const reply = await organization.call('POST', at('sessions'));
    const { session_id } = (reply.body as { data: { session_id: string } }).data;
    return { 'X-Session-Id': session_id };
  };
  const count = async (headers = {}) => {
    const reply = await write({ type: 'count_documents', collection: 'held' }, headers);
    return (reply.body as { data: { value: number } }).data.value;
  };

  test('keeps a transaction from call to call', async () => {
    await write({ type: 'create_collection', name: 'held' });
    const headers = await open();
    expect(await write({ type: 'start_transaction' }, headers)).toEqual(success({ value: null }));
    await write({ type: 'insert_one', collection: 'held', document: {} }, headers);
    expect([await count(headers), await count()]).toEqual([1, 0]);
    expect(await read({ type: 'find', collection: 'held' }, headers)).toMatchObject({
      status: 409,
    });
    await write({ type: 'commit_transaction' }, headers);
    expect(await count()).toBe(1);
    await write({ type: 'start_transaction' }, headers);
    await write({ type: 'delete_many', collection: 'held', filter: {} }, headers);
    await organization.call('DELETE', at(`sessions/${headers['X-Session-Id']}`));
    expect(await count()).toBe(1);
    expect(await write({ type: 'ping' }, headers)).toMatchObject({ status: 404 });
  });

  test("is not another organization's, and a transaction needs one", async () => {
    const headers = await open();
    const other = await newOrganization(gateway);
    expect(await other.call('POST', at('write'), { type: 'ping' }, headers)).toMatchObject({
      status: 404,
    });
    expect(await write({ type: 'start_transaction' })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/session/) },
    });
  });
});

test('a command on the whole server needs Admin', async () => {
  const token = await organization.member('Write');
  const asWriter = (body: unknown) =>
    ask(gateway, 'POST', at('write'), body, { Authorization: `Bearer ${token}` });
  const command = { dropUser: 'nobody-there' };
  const ping = { type: 'run_command', command: { ping: 1 } };
  expect(await asWriter(ping)).toMatchObject({
    status: 200,
    body: { data: { document: { ok: 1 } } },
  });
  for (const body of [
    { type: 'run_command', command },
    { type: 'raw_command', command: JSON.stringify(command) },
  ]) {
    expect(await asWriter(body)).toMatchObject({
      status: 403,
      body: {
        code: 'FORBIDDEN',
        message: expect.stringMatching(/^This operation needs Admin access on endpoint /),
      },
    });
  }
  // Who may, is told by the server that there is no such user.
  expect(await write({ type: 'run_command', command })).toMatchObject({
    status: 400,
    body: { details: [{ source: 'mongo', code: '11' }] },
  });
});

test('a connection that cannot be made is refused without its address', async () => {
  const refused = async (url: string) =>
    organization.call('POST', '/endpoints', {
      endpoint: `mo-${randomUUID().slice(0, 8)}`,
      kind: 'mongo',
      config: { write_conn: { url } },
    });
  const nobody = await refused('mongodb://u:secret@127.0.0.1:1/db');
  expect(nobody).toMatchObject({ status: 502, body: { code: 'CONNECTION_FAILED' } });
  expect(JSON.stringify(nobody.body)).not.toMatch(/127\.0\.0\.1|secret/);
  expect(await refused('mongodb://u:secret@db.example.com/db?tlsCAFile=/etc/passwd')).toMatchObject(
    {
      status: 400,
      body: { code: 'INVALID_CONFIGURATION' },
    },
  );
});
