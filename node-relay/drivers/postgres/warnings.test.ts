/** What a connection warns of, and that the statements it names mend it. keys-and-doors.md §5. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectionUse } from '../../../proto/driver.ts';
import type { Json } from '../../../proto/json.ts';
import { callOf, openClient, testHost } from '../test/host.ts';
import { postgres } from './index.ts';
import { TestDatabase } from './test/database.ts';

let database: TestDatabase;
const ROLE = `o'wn"er ${crypto.randomUUID().slice(0, 8)}`;
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE SCHEMA "s""ch'ema";
    CREATE ROLE ${quoted(ROLE)} LOGIN PASSWORD 'secret of a role' BYPASSRLS;
    CREATE TABLE "s""ch'ema"."t""ab'le" (id int);
    ALTER TABLE "s""ch'ema"."t""ab'le" ENABLE ROW LEVEL SECURITY;
    GRANT USAGE ON SCHEMA "s""ch'ema" TO ${quoted(ROLE)};
    INSERT INTO "s""ch'ema"."t""ab'le" VALUES (1);`);
});
afterAll(async () => {
  await database.outside.query('SET client_min_messages = error');
  for (const role of [ROLE, `${ROLE}_read`, `${ROLE}_write`]) {
    await database.outside.query(`DROP OWNED BY ${quoted(role)} CASCADE`).catch(() => {});
    await database.outside.query(`DROP ROLE IF EXISTS ${quoted(role)}`);
  }
  await database.drop();
});

async function warnings(user?: string, password = 'secret of a role', use?: ConnectionUse) {
  const url = new URL(database.url);
  if (user !== undefined) {
    url.username = encodeURIComponent(user);
    url.password = encodeURIComponent(password);
  }
  const opening = { connection: { url: url.href }, mode: 'read', host: testHost(), use } as const;
  const session = await openClient(postgres, opening);
  const found = await session.warnings(callOf('read'));
  await session.close();
  return found;
}

describe('roles of config.session', () => {
  const id = crypto.randomUUID().slice(0, 8);
  const login = `tak"es ${id}`;
  const [granted, missing, closed] = [`gra'nted ${id}`, `mis"sing ${id}`, `closed ${id}`];
  const connect = () => {
    const url = new URL(database.url);
    url.username = encodeURIComponent(login);
    url.password = 'secret';
    return { url: url.href };
  };
  const warned = async (role: Json) => {
    const settings = { session: { 'app.user': 'username', role } };
    const opening = { connection: connect(), mode: 'read', settings } as const;
    const client = await openClient(postgres, opening);
    const found = await client.warnings(callOf('read'));
    await client.close();
    return found;
  };
  beforeAll(async () => {
    await database.outside.query(`
      CREATE ROLE ${quoted(login)} LOGIN PASSWORD 'secret'; CREATE ROLE ${quoted(granted)}; CREATE ROLE ${quoted(closed)};
      GRANT ${quoted(granted)} TO ${quoted(login)}; GRANT ${quoted(closed)} TO ${quoted(login)} WITH SET FALSE`);
  });
  afterAll(async () => {
    const roles = [login, granted, missing, closed].map(quoted).join(', ');
    await database.outside.query(`DROP ROLE IF EXISTS ${roles}`);
  });

  test('that the credential can take are not warned of', async () => {
    expect(await warned(granted)).toEqual([]);
    expect(await warned(login)).toEqual([]);
    const map = { from: 'level', map: { Read: granted }, default: login };
    expect(await warned(map)).toEqual([]);
  });

  test('that it cannot take are named, with statements that give them', async () => {
    const role = { from: 'level', map: { Read: missing, Write: granted }, default: closed };
    const own = quoted(login);
    const mends = [
      `CREATE ROLE ${quoted(missing)} NOLOGIN;`,
      `GRANT ${quoted(missing)} TO ${own};`,
      `GRANT ${quoted(closed)} TO ${own} WITH SET TRUE;`,
    ];
    expect(await warned(role)).toEqual([
      {
        code: 'SESSION_ROLE_REFUSED',
        message:
          `config.session names roles that the credential of write_conn, which also reads, cannot take: ${missing}, ${closed}. Requests that run as one of them fail. ` +
          `Name other roles, or run as an administrator of the database: ${mends.join(' ')}`,
      },
    ]);
    for (const mend of mends) await database.outside.query(mend);
    expect(await warned(role)).toEqual([]);
  });
});

/** The statements that a message names, up to the last semicolon. */
function statementsIn(message: string): string {
  return message.slice(message.indexOf('CREATE ROLE'), message.lastIndexOf(';') + 1);
}

test('a superuser is warned of, without a word of their credential', async () => {
  const [warning, ...others] = await warnings();
  expect(others).toEqual([]);
  expect(warning?.code).toBe('CREDENTIAL_SUPERUSER');
  expect(warning?.message).toContain('CREATE ROLE postgres_read LOGIN');
  expect(warning?.message).not.toContain(new URL(database.url).password);
});

test('an owner who bypasses row-level security is warned of both, and the statements mend it', async () => {
  await database.outside.query(`ALTER TABLE "s""ch'ema"."t""ab'le" OWNER TO ${quoted(ROLE)}`);
  const found = await warnings(ROLE);
  expect(found.map(({ code }) => code)).toEqual(['CREDENTIAL_OWNER', 'CREDENTIAL_BYPASSES_RLS']);
  expect(found[0]?.message).toContain(
    `ALTER TABLE "s""ch'ema"."t""ab'le" FORCE ROW LEVEL SECURITY;`,
  );
  expect(found[1]?.message).toContain(`ALTER ROLE ${quoted(ROLE)} NOBYPASSRLS;`);
  expect(JSON.stringify(found)).not.toContain('secret of a role');
  const mend = statementsIn(found[1]?.message ?? '').replace("'…'", "'reads'");
  await database.outside.query(mend);
  expect(await warnings(`${ROLE}_read`, 'reads')).toEqual([]);
  const url = new URL(database.url);
  url.username = encodeURIComponent(`${ROLE}_read`);
  url.password = 'reads';
  const reader = new pg.Client(url.href);
  await reader.connect();
  await reader.query(`SELECT * FROM "s""ch'ema"."t""ab'le"`);
  await expect(reader.query(`DELETE FROM "s""ch'ema"."t""ab'le"`)).rejects.toMatchObject({
    code: '42501',
  });
  await reader.end();
});

test('who only writes may own tables, but not past their row-level security', async () => {
  const table = `"s""ch'ema"."t""ab'le"`;
  await database.outside.query(`ALTER ROLE ${quoted(ROLE)} NOBYPASSRLS`);
  const [owner, ...others] = await warnings(ROLE, undefined, 'writes');
  expect(others).toEqual([]);
  expect(owner).toEqual({
    code: 'CREDENTIAL_OWNER',
    message: `The role of write_conn owns tables whose row-level security does not apply to their owner. The owner can make it apply: ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`,
  });
  await database.outside.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  expect(await warnings(ROLE, undefined, 'writes')).toEqual([]);
  const codes = (await warnings(ROLE, undefined, 'reads')).map(({ code }) => code);
  expect(codes).toEqual(['CREDENTIAL_OWNER']);
});

test('where a role writes, the statements make one that writes rows and owns nothing', async () => {
  await database.outside.query(`ALTER ROLE ${quoted(ROLE)} BYPASSRLS`);
  const [warning] = await warnings(ROLE, undefined, 'writes');
  expect(warning?.message).toContain('name it in write_conn');
  await database.outside.query(statementsIn(warning?.message ?? '').replace("'…'", "'writes'"));
  expect(await warnings(`${ROLE}_write`, 'writes', 'writes')).toEqual([]);
  const url = new URL(database.url);
  url.username = encodeURIComponent(`${ROLE}_write`);
  url.password = 'writes';
  const writer = new pg.Client(url.href);
  await writer.connect();
  await writer.query(`DELETE FROM "s""ch'ema"."t""ab'le"`);
  await expect(writer.query(`DROP TABLE "s""ch'ema"."t""ab'le"`)).rejects.toMatchObject({
    code: '42501',
  });
  await writer.end();
});
