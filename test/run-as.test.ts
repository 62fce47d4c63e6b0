/** `docs/templates.md`, "A template as the only door", on a real gateway and a real database. Spec: keys-and-doors.md §2, §3. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json, JsonObject } from '../proto/json.ts';
import { ROOT } from '../server/bundle.ts';
import { sharedGateway } from './gateway.ts';
import { ask, newOrganization, type Organization, type Reply } from './organization.ts';
import { backend, freshDatabase } from './servers/backends.ts';

let organization: Organization;
let outside: pg.Client;
let drop: () => Promise<void>;
/** Of the page: its templates, and the key that opens them. */
let key: string;
/** Of the one whose statement is hidden. */
let stockKey: string;

const TABLES = `create table articles (id int primary key, name text, price numeric, stock int);
  create table orders (id int generated always as identity, article int, quantity int, by text);
  insert into articles values (1, 'tea', 3.50, 4), (2, 'salt', 0.80, 0)`;

beforeAll(async () => {
  const database = await freshDatabase(await backend('postgres'));
  drop = database.drop;
  outside = new pg.Client(database.url);
  await outside.connect();
  await outside.query(TABLES);
  organization = await newOrganization(await sharedGateway());
  const session = { 'app.user': 'username', 'app.level': 'level' };
  const config = { write_conn: { url: new URL(database.url).href }, session };
  await made('/endpoints', { endpoint: 'shop', kind: 'postgres', config });
  const page = await readFile(join(ROOT, 'docs/templates.md'), 'utf8');
  const block = (name: string): unknown =>
    JSON.parse(
      new RegExp(`<!-- ${name} -->\\n\`\`\`json\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '',
    );
  for (const each of block('three questions') as JsonObject[]) await made('/templates', each);
  for (const each of block('a hidden question') as JsonObject[]) await made('/templates', each);
  const keyOf = async (name: string) =>
    String((await made('/iam/keys', block(name) as JsonObject)).key);
  key = await keyOf('the key of the page');
  stockKey = await keyOf('the key of the hidden question');
});
afterAll(async () => {
  await outside?.end();
  await drop?.();
});

async function made(path: string, body: JsonObject, token?: string): Promise<JsonObject> {
  const reply = await by(token ?? organization.token, 'POST', path, body);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body as JsonObject;
}

function by(token: string, method: string, path: string, body?: Json): Promise<Reply> {
  return ask(organization.gateway, method, path, body, { Authorization: `Bearer ${token}` });
}

/** Somebody who holds nothing but what is granted on templates and workflows. */
async function person(level: 'None' | 'Read' | 'Write' | 'Admin' | undefined) {
  const username = `user-${randomUUID().slice(0, 8)}@example.com`;
  const { password } = organization;
  await made('/iam/users', { username, password, ...(level ? { access_level: level } : {}) });
  const Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const headers = { Authorization, 'X-Org-Id': organization.id };
  const { body } = await ask(organization.gateway, 'POST', '/auth/login', undefined, headers);
  return { username, token: (body as { token: string }).token };
}

const rowsOf = ({ body }: Reply) => (body as { rows?: unknown }).rows ?? body;

test('three questions are answered, and nothing else', async () => {
  const run = (id: string, input: Json) => by(key, 'POST', `/templates/${id}`, input);
  expect(rowsOf(await run('article', { id: 1 }))).toEqual([{ id: 1, name: 'tea', price: '3.50' }]);
  expect(rowsOf(await run('in-stock', {}))).toEqual([{ id: 1, name: 'tea' }]);
  expect(rowsOf(await run('put-order', { article: 1, quantity: 2 }))).toEqual([{ id: 1 }]);
  const kept = await outside.query('select article, quantity from orders');
  expect(kept.rows).toEqual([{ article: 1, quantity: 2 }]);
  const query = 'select * from orders';
  expect((await by(key, 'POST', '/endpoints/shop/read', { query })).status).toBe(403);
  expect((await by(key, 'POST', '/endpoints/shop/write', { query })).status).toBe(403);
  const all = { operations: [{ endpoint: 'shop', query }] };
  expect((await by(key, 'POST', '/transactions', all)).status).toBe(403);
  expect((await by(key, 'GET', '/endpoints/shop')).status).toBe(403);
  expect((await by(key, 'PATCH', '/templates/put-order', { runAs: null })).status).toBe(403);
});

test('a statement is seen by who runs it, and hidden by a template that nests it', async () => {
  expect(await by(key, 'GET', '/templates/article')).toMatchObject({
    status: 200,
    body: { template: { query: expect.stringContaining('from articles') } },
  });
  const stock = await by(stockKey, 'POST', '/templates/stock-of', { id: 1 });
  expect(rowsOf(stock)).toEqual([{ name: 'tea', stock: 4 }]);
  const shown = await by(stockKey, 'GET', '/templates/stock-of');
  expect(shown.status).toBe(200);
  expect(JSON.stringify(shown.body)).not.toContain('articles');
  for (const [method, path, body] of [
    ['GET', '/templates/stock-query', undefined],
    ['POST', '/templates/stock-query', { id: 1 }],
    ['POST', '/templates/stock-query/render', { id: 1 }],
    ['POST', '/templates/stock-of/render', { id: 1 }],
  ] as const) {
    const reply = await by(stockKey, method, path, body);
    expect([path, reply.status]).toEqual([path, 403]);
    expect(JSON.stringify(reply.body)).not.toContain('articles');
  }
});

test('the database is told of who called, on every way in, and cannot be lied to', async () => {
  const author = await person('Admin');
  const told = "select current_setting('app.user') as who, current_setting('app.level') as level";
  const read = { request: 'Read', template: { endpoint: 'shop', query: told } };
  await made('/templates', { id: 'who', runAs: 'author', ...read }, author.token);
  await made('/templates', { id: 'who-caller', ...read }, author.token);
  const rule = { target: 'told', template: 'who-caller', input: '$' };
  const nested = { id: 'who-nested', name: 'who', runAs: 'author', transformationRules: [rule] };
  await made('/templates', nested, author.token);
  const both = [{ endpoint: 'shop', query: told }];
  const over = { id: 'who-over', request: 'TwoPhaseTransaction', template: { operations: both } };
  await made('/templates', { ...over, runAs: 'author' }, author.token);
  const steps = [
    { id: 'ask', type: 'endpoint', endpoint: 'shop', operation: 'read', input: { query: told } },
  ];
  await made(
    '/workflows',
    { id: 'who', name: 'who', runAs: 'author', actions: steps },
    author.token,
  );
  const caller = await person(undefined);
  const grant = (level: string, kind: string, id: string) =>
    made(`/iam/rbac/${kind}s/subjects`, {
      access_level: level,
      subject: caller.username,
      [`${kind}_id`]: id,
    });
  for (const id of ['who', 'who-nested', 'who-over']) await grant('Write', 'template', id);
  await grant('Write', 'workflow', 'who');
  await grant('None', 'endpoint', 'shop');
  const expected = [{ who: caller.username, level: 'None' }];
  const run = async (path: string) => (await by(caller.token, 'POST', path, {})).body;
  expect(await run('/templates/who')).toMatchObject({ rows: expected });
  expect(await run('/templates/who-nested')).toMatchObject({ told: { rows: expected } });
  expect(await run('/templates/who-over')).toMatchObject({ results: [{ rows: expected }] });
  expect(await run('/workflows/who?synchronous=true')).toMatchObject({
    status: 'succeeded',
    started_by: caller.username,
    author: author.username,
    output: { rows: expected },
  });
  const forged = "select set_config('app.user', 'eve', true) as who";
  const template = { endpoint: 'shop', query: forged };
  await made(
    '/templates',
    { id: 'forge', runAs: 'author', request: 'Read', template },
    author.token,
  );
  await grant('Write', 'template', 'forge');
  expect(await by(caller.token, 'POST', '/templates/forge', {})).toMatchObject({
    status: 403,
    body: { details: [{ rule: 'session_settings' }] },
  });
});

test('is shut once its author holds less than it needs, or is gone', async () => {
  const author = await person('Admin');
  const query = 'insert into orders (article, quantity) values (2, 1) returning article';
  const template = { endpoint: 'shop', query };
  await made(
    '/templates',
    { id: 'salt', runAs: 'author', request: 'Write', template },
    author.token,
  );
  const run = () => organization.call('POST', '/templates/salt', {});
  expect(rowsOf(await run())).toEqual([{ article: 2 }]);
  const rule = { access_level: 'Read', subject: author.username, endpoint_id: 'shop' };
  await made('/iam/rbac/endpoints/subjects', rule);
  expect(await run()).toMatchObject({
    status: 403,
    body: {
      details: [{ rule: 'run_as', author: author.username, level: 'Read', needed: 'Write' }],
    },
  });
  await organization.call('DELETE', `/iam/users/${author.username}`);
  expect(await run()).toMatchObject({ status: 403, body: { details: [{ rule: 'run_as' }] } });
  const kept = await outside.query('select count(*)::int as n from orders where article = 2');
  expect(kept.rows).toEqual([{ n: 1 }]);
});
