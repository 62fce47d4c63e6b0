/** `docs/access.md`, "The caller in the database", on a real gateway and a real database. Spec: keys-and-doors.md §3. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../server/bundle.ts';
import { sharedGateway } from './gateway.ts';
import { ask, newOrganization, type Organization, refusal } from './organization.ts';
import { backend, freshDatabase } from './servers/backends.ts';

let organization: Organization;
let outside: pg.Client;
let ada: string;
let bob: string;
let page: string;
let endpoint: string;
let config: Record<string, unknown>;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await freshDatabase(await backend('postgres'));
  drop = database.drop;
  outside = new pg.Client(database.url);
  await outside.connect();
  page = await readFile(join(ROOT, 'docs/access.md'), 'utf8');
  // Roles belong to the whole server, which others use too.
  await outside.query(
    `DROP ROLE IF EXISTS gateway, clerk, authenticated;
     CREATE ROLE gateway LOGIN PASSWORD 'gateway'; CREATE ROLE authenticated NOLOGIN; GRANT authenticated TO gateway`,
  );
  await outside.query(block('policies', 'sql'));
  await outside.query(block('supabase policies', 'sql'));
  const url = new URL(database.url);
  [url.username, url.password] = ['gateway', 'gateway'];
  organization = await newOrganization(await sharedGateway());
  config = { write_conn: { url: url.href }, session: sessionOf('session') };
  endpoint = await organization.addPostgres(url.href, { config });
  [ada, bob] = await Promise.all([organization.member('Write'), organization.member('Write')]);
});
afterAll(async () => {
  await outside?.query(
    'DROP OWNED BY clerk, authenticated, gateway; DROP ROLE clerk, authenticated, gateway',
  );
  await outside?.end();
  await drop?.();
});

/** A block of the page, by the comment before it. */
function block(name: string, language: string): string {
  const found = new RegExp(`<!-- ${name} -->\\n\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page);
  return found?.[1] ?? `no block ${name}`;
}

function sessionOf(name: string): Record<string, unknown> {
  return JSON.parse(block(name, 'json')) as Record<string, unknown>;
}

function call(token: string, path: string, body: unknown) {
  const to = `/endpoints/${endpoint}${path}`;
  return ask(organization.gateway, 'POST', to, body, { Authorization: `Bearer ${token}` });
}

async function rowsOf(token: string, query: string, path = '/read'): Promise<unknown> {
  const { body } = await call(token, path, { query });
  return (body as { data?: { rows: unknown } }).data?.rows ?? body;
}

async function setSession(session: unknown): Promise<void> {
  const patch = { config: { session } };
  const reply = await organization.call('PATCH', `/endpoints/${endpoint}`, patch);
  expect(reply.status).toBe(200);
}

describe('row-level security', () => {
  test('lets each caller see and change their own rows alone', async () => {
    const insert = (token: string, item: string) =>
      rowsOf(token, `INSERT INTO orders (item) VALUES ('${item}') RETURNING item`, '/write');
    expect(await insert(ada, 'tea')).toEqual([{ item: 'tea' }]);
    expect(await insert(bob, 'salt')).toEqual([{ item: 'salt' }]);
    expect(await rowsOf(ada, 'SELECT item FROM orders')).toEqual([{ item: 'tea' }]);
    expect(await rowsOf(bob, 'SELECT item FROM orders')).toEqual([{ item: 'salt' }]);
    expect(await rowsOf(ada, "UPDATE orders SET item = 'x' RETURNING item", '/write')).toEqual([
      { item: 'x' },
    ]);
    const all = (await outside.query('SELECT item FROM orders ORDER BY item')).rows;
    expect(all).toEqual([{ item: 'salt' }, { item: 'x' }]);
    const forged = "INSERT INTO orders (owner, item) VALUES ('somebody', 'x')";
    expect(await call(ada, '/write', { query: forged })).toMatchObject({
      status: 400,
      body: { details: [{ source: 'postgres', code: '42501' }] },
    });
  });

  test('cannot be got round by what sets', async () => {
    const what = 'Function pg_catalog.set_config';
    const message = `${what} needs Admin on this endpoint: config.session tells its database who calls`;
    const query = "SELECT set_config('app.user', 'eve', true), item FROM orders";
    expect(await call(ada, '/write', { query })).toEqual(
      refusal('FORBIDDEN', message, [
        { rule: 'session_settings', path: 'query', message, function: 'pg_catalog.set_config' },
      ]),
    );
    for (const path of ['/read', '/write']) {
      const reply = await call(ada, path, { query: 'SET ROLE NONE' });
      expect([path, reply.status]).toEqual([path, 403]);
    }
  });

  test('does not hide a typo', async () => {
    expect(await call(ada, '/write', { query: 'SELCT item FROM orders' })).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_FAILED', details: [{ source: 'postgres', code: '42601' }] },
    });
  });

  test('of a Supabase project works as it is', async () => {
    await setSession({ 'app.user': null, ...sessionOf('supabase session') });
    const add = "INSERT INTO todos (task) VALUES ('write') RETURNING task";
    expect(await rowsOf(ada, add, '/write')).toEqual([{ task: 'write' }]);
    expect(await rowsOf(ada, 'SELECT task FROM todos')).toEqual([{ task: 'write' }]);
    expect(await rowsOf(bob, 'SELECT task FROM todos')).toEqual([]);
    await setSession({ 'request.jwt.claims': null, ...sessionOf('session') });
    expect(await rowsOf(ada, 'SELECT count(*)::int AS n FROM orders')).toEqual([{ n: 1 }]);
  });
});

test('all that can be told is told of a user, and of a key', async () => {
  const names = ['username', 'user_uuid', 'organization', 'organization_uuid', 'level'];
  const sources = [...names, 'groups', 'key', 'request_id', 'claims'];
  const session = Object.fromEntries(sources.map((source) => [`app.told_${source}`, source]));
  await setSession({ ...session, role: 'clerk' });
  const columns = sources.map((each) => `current_setting('app.told_${each}') AS ${each}`);
  const query = `SELECT ${columns.join(', ')}`;
  const [told] = (await rowsOf(ada, query)) as Record<string, string>[];
  expect(told).toEqual({
    username: expect.stringMatching(/^write-.*@example\.com$/),
    user_uuid: expect.stringMatching(/^[\da-f-]{36}$/),
    organization: organization.id,
    organization_uuid: expect.stringMatching(/^[\da-f-]{36}$/),
    level: 'Write',
    groups: '[]',
    key: '',
    request_id: expect.any(String),
    claims: expect.any(String),
  });
  expect(JSON.parse(told?.claims ?? '')).toEqual({
    sub: told?.user_uuid,
    role: 'clerk',
    user_id: told?.username,
    user_uuid: told?.user_uuid,
    org_id: told?.organization,
    org_uuid: told?.organization_uuid,
    iat: expect.any(Number),
    exp: expect.any(Number),
  });
  const made = await organization.call('POST', '/iam/keys', {
    name: 'web',
    endpoints: { [endpoint]: 'Read' },
  });
  const { key, id } = made.body as { key: string; id: string };
  const [ofKey] = (await rowsOf(key, query)) as Record<string, string>[];
  expect(ofKey).toMatchObject({ username: 'key:web', user_uuid: '', level: 'Read', key: 'web' });
  expect(JSON.parse(ofKey?.claims ?? '')).toMatchObject({ sub: id, role: 'clerk' });
  await setSession({ ...Object.fromEntries(Object.keys(session).map((name) => [name, null])) });
});

test('a role is chosen by level; a caller without one is refused', async () => {
  await setSession(null);
  await setSession({ role: { from: 'level', map: { Write: 'clerk' } }, 'app.user': 'username' });
  expect(await rowsOf(ada, 'SELECT current_user::text AS role')).toEqual([{ role: 'clerk' }]);
  const reader = await organization.member('Read');
  const message = 'config.session has no role for callers of your level Read';
  expect(await call(reader, '/read', { query: 'SELECT 1' })).toEqual(
    refusal('FORBIDDEN', message, [{ rule: 'session_role', path: 'config.session.role', message }]),
  );
  await setSession(null);
  await setSession(sessionOf('session'));
});

test('a role that the credential cannot take is warned of, and the session is shown', async () => {
  const session = { 'app.user': 'username', role: { from: 'level', map: { Write: 'no_such' } } };
  const expected = [
    {
      code: 'SESSION_ROLE_REFUSED',
      message: expect.stringContaining('CREATE ROLE no_such NOLOGIN; GRANT no_such TO gateway;'),
    },
  ];
  const path = `/endpoints/${endpoint}`;
  const patched = await organization.call('PATCH', path, { config: { session } });
  expect(patched).toMatchObject({ status: 200, body: { data: { warnings: expected } } });
  const tested = await organization.call('POST', `${path}/test`);
  expect(tested.body).toMatchObject({ data: { connected: true, warnings: expected } });
  const { body } = await organization.call('GET', path);
  expect((body as { data: { config: object } }).data.config).toMatchObject({ session });
  await setSession({ role: { from: 'groups', map: { staff: 'clerk' } } });
  const changed = (await organization.call('GET', path)).body;
  expect((changed as { data: { config: { session: object } } }).data.config.session).toEqual({
    'app.user': 'username',
    role: { from: 'groups', map: { staff: 'clerk' } },
  });
  await setSession(sessionOf('session'));
  const mended = (await organization.call('POST', `${path}/test`)).body;
  expect(mended).toMatchObject({ data: { connected: true } });
  expect((mended as { data: object }).data).not.toHaveProperty('warnings');
});

test('what a template keeps is kept for one caller', async () => {
  const query = "select current_setting('app.user') as who";
  const template = { endpoint, query };
  const rule = { target: 'told', template: 'who', input: '$' };
  const performanceSettings = { caching: { enabled: true, ttl: 60 } };
  for (const body of [
    { id: 'who', request: 'Read', template },
    { id: 'kept', name: 'kept', transformationRules: [rule], performanceSettings },
  ]) {
    expect(await organization.call('POST', '/templates', body)).toMatchObject({ status: 200 });
  }
  const whoIs = async (token: string) => {
    const headers = { Authorization: `Bearer ${token}` };
    const { body } = await ask(organization.gateway, 'POST', '/templates/kept', {}, headers);
    return (body as { told: { rows: [{ who: string }] } }).told.rows[0].who;
  };
  const [first, other] = [await whoIs(ada), await whoIs(bob)];
  expect(first === other).toBe(false);
  expect(await whoIs(ada)).toBe(first);
});

test.each([
  ['a name without a dot', { user: 'username' }, 'config.session.user'],
  ['a name that is none', { "app.user'": 'username' }, "config.session.app.user'"],
  ['a source that there is not', { 'app.user': 'password' }, 'config.session.app.user'],
  ['a role that is none', { role: 'none' }, 'config.session.role'],
  ['one name in two letter cases', { 'app.a': 'key', 'APP.A': 'key' }, 'config.session'],
])('refuses %s', async (_, session, path) => {
  const patch = { config: { session } };
  expect(await organization.call('PATCH', `/endpoints/${endpoint}`, patch)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', details: [{ path }] },
  });
});
