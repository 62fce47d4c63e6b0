/** `docs/access.md`, "MySQL and MariaDB", on a real gateway and a real database. Spec: keys-and-doors.md §3. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import mysqlClient from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../server/bundle.ts';
import { sharedGateway } from './gateway.ts';
import { ask, newOrganization, type Organization } from './organization.ts';
import { backend } from './servers/backends.ts';

const NAME = `t${randomUUID().slice(0, 8)}`;
let organization: Organization;
let outside: mysqlClient.Connection;
let url: string;
let config: Record<string, unknown>;
let ada: string;
let bob: string;

beforeAll(async () => {
  const page = await readFile(join(ROOT, 'docs/access.md'), 'utf8');
  const block = (name: string, language: string) =>
    new RegExp(`<!-- ${name} -->\\n\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';
  const server = new URL((await backend('mysql')).url);
  outside = await mysqlClient.createConnection({ uri: server.href, multipleStatements: true });
  await outside.query(`CREATE DATABASE ${NAME}; USE ${NAME}; ${block('mysql views', 'sql')}
    CREATE USER ${NAME} IDENTIFIED BY 'gateway';
    GRANT INSERT ON ${NAME}.orders TO ${NAME}; GRANT SELECT, SHOW VIEW ON ${NAME}.own_orders TO ${NAME};
    GRANT EXECUTE ON FUNCTION ${NAME}.app_user TO ${NAME}`);
  [server.username, server.password, server.pathname] = [NAME, 'gateway', `/${NAME}`];
  url = server.href;
  config = JSON.parse(block('mysql configuration', 'json')) as Record<string, unknown>;
  organization = await newOrganization(await sharedGateway());
  [ada, bob] = await Promise.all([organization.member('Write'), organization.member('Write')]);
});
afterAll(async () => {
  await outside?.query(`DROP DATABASE IF EXISTS ${NAME}; DROP USER IF EXISTS ${NAME}`);
  await outside?.end();
});

test('each caller sees their own rows alone, by a view over a variable that they cannot set', async () => {
  const made = { endpoint: 'orders', kind: 'mysql', config: { ...config, write_conn: { url } } };
  const reply = await organization.call('POST', '/endpoints', made);
  expect(reply).toMatchObject({ status: 200 });
  const call = (token: string, path: string, query: string) =>
    ask(
      organization.gateway,
      'POST',
      `/endpoints/orders/${path}`,
      { query },
      { Authorization: `Bearer ${token}` },
    );
  for (const [token, item] of [
    [ada, 'tea'],
    [bob, 'salt'],
  ] as const) {
    const added = await call(token, 'write', `INSERT INTO orders (item) VALUES ('${item}')`);
    expect(added).toMatchObject({ status: 200, body: { data: { rows_affected: 1 } } });
  }
  const own = 'SELECT item FROM own_orders';
  for (const path of ['read', 'write']) {
    expect(await call(ada, path, own)).toMatchObject({
      body: { data: { rows: [{ item: 'tea' }] } },
    });
    expect(await call(bob, path, own)).toMatchObject({
      body: { data: { rows: [{ item: 'salt' }] } },
    });
  }
  for (const forged of ["SET @app_user = 'bob'", "SELECT @app_user := 'bob'", 'DO 1']) {
    expect([forged, await call(ada, 'write', forged)]).toMatchObject([
      forged,
      { status: 403, body: { details: [{ rule: 'session_settings' }] } },
    ]);
  }
});

test.each([
  ['a name without @', { app_user: 'username' }, 'config.session.app_user'],
  ['a name that is none', { '@app`user': 'username' }, 'config.session.@app`user'],
  ['a source that there is not', { '@app_user': 'password' }, 'config.session.@app_user'],
  ['a role', { role: 'clerk' }, 'config.session.role'],
  ['one name in two letter cases', { '@a': 'key', '@A': 'key' }, 'config.session'],
])('refuses %s', async (_, session, path) => {
  const refused = { endpoint: 'refused', kind: 'mysql', config: { write_conn: { url }, session } };
  expect(await organization.call('POST', '/endpoints', refused)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', details: [{ path }] },
  });
});
