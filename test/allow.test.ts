/** `config.allow` on every way into a PostgreSQL database, over real sockets. Spec: keys-and-doors.md §4. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';
import { backend, freshDatabase } from './servers/backends.ts';

let organization: Organization;
let outside: pg.Client;
let endpoint: string;
let config: { readonly [member: string]: unknown };
let drop: () => Promise<void>;

const BAD = 'SELECT word FROM secret';
const MESSAGE = 'Table public.secret is not among what config.allow opens';
const DETAIL = { rule: 'allow', path: 'query', message: MESSAGE, name: 'public.secret' };

beforeAll(async () => {
  const database = await freshDatabase(await backend('postgres'));
  drop = database.drop;
  outside = new pg.Client(database.url);
  await outside.connect();
  await outside.query(
    "CREATE TABLE orders (item text); CREATE TABLE secret (word text); INSERT INTO secret VALUES ('s3cret'); INSERT INTO orders VALUES ('tea')",
  );
  organization = await newOrganization(await sharedGateway());
  config = { write_conn: { url: database.url }, allow: { tables: ['orders'] } };
  endpoint = await organization.addPostgres(database.url, { config });
});
afterAll(async () => {
  await outside?.end();
  await drop?.();
});

const call = (path: string, body: unknown, headers = {}) =>
  organization.call('POST', `/endpoints/${endpoint}${path}`, body, headers);

test('a typo is told as it is, with or without an allow', async () => {
  const query = 'SELCT item FROM orders';
  const typo = {
    status: 400,
    body: {
      code: 'REQUEST_FAILED',
      details: [
        {
          source: 'postgres',
          code: '42601',
          message: 'syntax error at or near "SELCT"',
          position: 1,
        },
      ],
    },
  };
  const path = `/endpoints/${endpoint}`;
  await organization.call('PATCH', path, { config: { allow: null } });
  expect(await call('/write', { query })).toMatchObject(typo);
  await organization.call('PATCH', path, { config: { allow: config.allow } });
  for (const way of ['/read', '/write']) expect(await call(way, { query })).toMatchObject(typo);
  const Accept = 'application/x-ndjson';
  expect(await call('/write', { query }, { Accept })).toMatchObject(typo);
  const operations = [{ query: 'SELECT 1' }, { query }];
  expect(await call('/transaction', { operations })).toMatchObject({
    status: 400,
    body: { details: [{ source: 'postgres', code: '42601', operation: 1 }] },
  });
});

describe('a SuperAdmin is refused what is not open', () => {
  test.each(['/read', '/write'])('on %s', async (path) => {
    expect(await call(path, { query: 'SELECT item FROM orders' })).toMatchObject({ status: 200 });
    expect(await call(path, { query: BAD })).toEqual(refusal('FORBIDDEN', MESSAGE, [DETAIL]));
    expect(await call(path, { query: 'SET search_path = pg_catalog' })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', details: [{ rule: 'allow_undecided', path: 'query' }] },
    });
  });

  test.each(['application/x-ndjson', 'text/csv'])('as %s', async (Accept) => {
    expect(await call('/read', { query: BAD }, { Accept })).toEqual(
      refusal('FORBIDDEN', MESSAGE, [DETAIL]),
    );
  });

  test('in a transaction of one database and of several', async () => {
    const operations = [{ query: "INSERT INTO orders VALUES ('kept?')" }, { query: BAD }];
    const one = await call('/transaction', { operations });
    expect(one).toMatchObject({ status: 403, body: { message: MESSAGE } });
    const many = await organization.call('POST', '/transactions', {
      operations: operations.map((request) => ({ endpoint, request })),
    });
    expect(many).toMatchObject({ status: 403, body: { message: MESSAGE } });
    const { rows } = await outside.query("SELECT FROM orders WHERE item = 'kept?'");
    expect(rows).toEqual([]);
  });

  test('in a session', async () => {
    const opened = await call('/sessions', undefined);
    const { session_id } = (opened.body as { data: { session_id: string } }).data;
    const headers = { 'X-Session-Id': session_id };
    expect(await call('/write', { query: 'BEGIN' }, headers)).toMatchObject({ status: 200 });
    expect(await call('/write', { query: BAD }, headers)).toEqual(
      refusal('FORBIDDEN', MESSAGE, [DETAIL]),
    );
    expect(await call('/write', { query: 'ROLLBACK' }, headers)).toMatchObject({ status: 200 });
    await organization.call('DELETE', `/endpoints/${endpoint}/sessions/${session_id}`);
  });

  test('in a template', async () => {
    const template = { id: 'peek', request: 'Read', template: { endpoint, query: BAD } };
    expect(await organization.call('POST', '/templates', template)).toMatchObject({ status: 200 });
    const run = await organization.call('POST', '/templates/peek', {});
    expect(JSON.stringify(run.body)).not.toContain('s3cret');
    expect(JSON.stringify(run.body)).toContain(MESSAGE);
  });

  test('in a workflow', async () => {
    const action = {
      id: 'peek',
      type: 'endpoint',
      endpoint,
      operation: 'read',
      input: { query: BAD },
    };
    const workflow = { name: 'peeks', actions: [action] };
    const stored = await organization.call('POST', '/workflows', workflow);
    expect(stored).toMatchObject({ status: 200 });
    const started = await organization.call('POST', '/workflows/peeks', {});
    const { location } = started.body as { location: string };
    const told = async () => {
      const run = await organization.call('GET', location.replace('/api/v1', ''));
      return JSON.stringify(run.body);
    };
    await expect.poll(told, { timeout: 20_000 }).toContain(MESSAGE);
    expect(await told()).not.toContain('s3cret');
  });

  test('as a trigger of a workflow', async () => {
    const trigger = { type: 'dataChange', endpoint, collection: 'secret' };
    const reply = await organization.call('POST', '/workflows', {
      name: 'follows',
      trigger,
      actions: [
        { id: 'one', type: 'endpoint', endpoint, operation: 'read', input: { query: 'SELECT 1' } },
      ],
    });
    const message = 'Table secret is not among what config.allow opens';
    expect(reply).toMatchObject({ status: 403, body: { code: 'FORBIDDEN', message } });
  });
});

test('the schema tells the open part', async () => {
  const { body } = await organization.call('GET', `/endpoints/${endpoint}/schema`);
  expect(body).toMatchObject(
    success({ namespaces: [{ name: 'public', tables: [{ name: 'orders' }] }] }).body as object,
  );
  expect(JSON.stringify(body)).not.toContain('secret');
});

test('a PATCH widens it, narrows it and takes it away, at once', async () => {
  const patch = (allow: unknown) =>
    organization.call('PATCH', `/endpoints/${endpoint}`, { config: { allow } });
  expect(await patch({ tables: ['orders', 'secret'] })).toMatchObject({ status: 200 });
  expect(await call('/read', { query: BAD })).toMatchObject({ status: 200 });
  const shown = await organization.call('GET', `/endpoints/${endpoint}`);
  expect(shown.body).toMatchObject({
    data: { config: { allow: { tables: ['orders', 'secret'] } } },
  });
  expect(await patch({ tables: null })).toMatchObject({ status: 200 });
  expect(await call('/read', { query: 'TABLE orders' })).toMatchObject({ status: 403 });
  expect(await patch(null)).toMatchObject({ status: 200 });
  expect(await call('/read', { query: BAD })).toMatchObject({ status: 200 });
});

test.each([
  ['keys of Redis', { keys: ['x'] }, 'config.allow'],
  ['no list', { tables: 'orders' }, 'config.allow.tables'],
  ['an empty name', { tables: [''] }, 'config.allow.tables.0'],
])('refuses %s', async (_, allow, path) => {
  const reply = await organization.call('PATCH', `/endpoints/${endpoint}`, { config: { allow } });
  expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST', details: [{ path }] } });
});

test.each([
  ['http', { write_conn: { url: 'https://api.example.com' } }],
  ['pinecone', { api_key: 'key' }],
])('a kind that has nothing of the sort refuses it: %s', async (kind, members) => {
  const reply = await organization.call('POST', '/endpoints', {
    endpoint: `no-${kind}`,
    kind,
    config: { ...members, allow: { tables: ['x'] } },
  });
  expect(reply).toMatchObject({ status: 400, body: { details: [{ path: 'config.allow' }] } });
});
