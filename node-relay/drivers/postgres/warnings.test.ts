/** What a connection warns of, and that the statements it names mend it. Spec: keys and doors §5. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOf } from '../test/host.ts';
import { TestDatabase } from './test-database.ts';

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
  for (const role of [ROLE, `${ROLE}_read`]) {
    await database.outside.query(`DROP OWNED BY ${quoted(role)} CASCADE`).catch(() => {});
    await database.outside.query(`DROP ROLE IF EXISTS ${quoted(role)}`);
  }
  await database.drop();
});

async function warnings(user?: string, password = 'secret of a role') {
  const url = new URL(database.url);
  if (user !== undefined) {
    url.username = encodeURIComponent(user);
    url.password = encodeURIComponent(password);
  }
  const session = await database.open('read', {}, url.href);
  return (await session.warnings?.(callOf('read'))) ?? [];
}

/** The statements that a message names, up to the last semicolon. */
function statementsIn(message: string): string {
  return message.slice(message.indexOf('CREATE ROLE'), message.lastIndexOf(';') + 1);
}

test('a superuser is warned of, without a word of his credential', async () => {
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
