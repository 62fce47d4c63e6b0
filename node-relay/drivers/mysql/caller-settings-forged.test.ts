/** No statement of a caller sets what the server is told of them: each way in which SQL can set, on each way in. Spec: keys-and-doors.md §3. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { failureOf } from '../contract.ts';
import { beginning, share, shareName } from '../contract-shares.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let writer: MysqlClient;
let reader: MysqlClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE items (a int, b varchar(100));
    CREATE SEQUENCE counter;
    CREATE FUNCTION forge() RETURNS int BEGIN SET @app_user = 'eve'; RETURN 1; END;
    CREATE FUNCTION allowed() RETURNS int RETURN 7;
    CREATE PROCEDURE forges() SET @app_user = 'eve'`);
  const settings = { connections: 1, allow_functions: ['allowed'] };
  writer = await database.open('write', settings);
  reader = await database.open('read', settings);
});
afterAll(() => database.drop());

const by = (maySet = false) => ({ session: { settings: [['@app_user', 'ada']] as const, maySet } });

/** Expressions that set `@app_user`. */
const SETTERS = [
  "@app_user := 'eve'",
  "@APP_USER:='eve'",
  "@`app_user` := 'eve'",
  "@'app_user' := 'eve'",
  "(@app_user /* a */ := 'eve')",
  "/*! @app_user := */ 'eve'",
  "/*!50000 @app_user := 'eve' */",
  "/*M! @app_user := 'eve' */",
  'forge()',
  '`forge`()',
  'FORGE ()',
];
/** Statements that hold an expression where it is run. */
const HOLDERS: readonly ((setter: string) => string)[] = [
  (e) => `SELECT ${e}`,
  (e) => `(SELECT ${e})`,
  (e) => `SELECT 1 FROM (SELECT ${e} AS y) x`,
  (e) => `SELECT 1 WHERE (${e}) IS NOT NULL`,
  (e) => `SELECT 1 ORDER BY ${e}`,
  (e) => `WITH x AS (SELECT ${e} AS y) SELECT y FROM x`,
  (e) => `SELECT (SELECT ${e}), EXISTS (SELECT ${e})`,
  (e) => `SELECT IF(true, ${e}, 1)`,
  (e) => `SELECT 1 UNION ALL SELECT ${e}`,
  (e) => `VALUES (${e})`,
  (e) => `INSERT INTO items (b) VALUES (${e})`,
  (e) => `INSERT items (b) SELECT ${e}`,
  (e) => `REPLACE INTO items SET b = ${e}`,
  (e) => `INSERT INTO items (b) VALUES ('x') RETURNING ${e}`,
  (e) => `UPDATE items SET b = ${e}`,
  (e) => `DELETE FROM items WHERE b = (${e})`,
  (e) => `ANALYZE SELECT ${e}`,
  (e) => `DO ${e}`,
  (e) => `SET @other = ${e}`,
  (e) => `SHOW TABLES WHERE ${e}`,
];
/** Statements that set by themselves. */
const STATEMENTS = [
  "SET @app_user = 'eve'",
  "SET @APP_user := 'eve'",
  "SET @other = 1, @app_user = 'eve'",
  "SELECT 'eve' INTO @app_user",
  "SELECT 1, 'eve' INTO @other, @app_user",
  'SELECT b INTO @app_user FROM items LIMIT 1',
  'CALL forges()',
  "SET STATEMENT max_statement_time = 9 FOR SELECT @app_user := 'eve'",
  "EXECUTE IMMEDIATE 'SET @app_user = ''eve'''",
  "BEGIN NOT ATOMIC SET @app_user = 'eve'; END",
  "IF 1 THEN SET @app_user = 'eve'; END IF",
  "SET SESSION sql_mode = 'ANSI_QUOTES'",
  'CREATE FUNCTION more() RETURNS int RETURN 1',
  'CREATE OR REPLACE TRIGGER more BEFORE INSERT ON items FOR EACH ROW SET @app_user = 1',
  'SET ROLE NONE',
  'ALTER TABLE items ADD c int',
  "/*!50000 SET @app_user = 'eve' */",
];
/** Of a session: what a later statement would run. */
const LATER = [
  "PREPARE p FROM 'SET @app_user = ''eve'''",
  'EXECUTE p',
  "SELECT 'eve' INTO @app_user",
];

const held = HOLDERS.flatMap((holder) => SETTERS.map(holder));
const call = (mode: 'read' | 'write') => callOf(mode, by());
const WAYS: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  'a read': (query) => reader.run(sql(query), call('read')),
  'a write': (query) => writer.run(sql(query), call('write')),
  'a write without rows': (query) =>
    writer.run(sql(query, undefined, { type: 'execute' }), call('write')),
  'several statements': (query) =>
    writer.run(sql(`SELECT 1; ${query}`, undefined, { type: 'simple' }), call('write')),
  'a transaction': (query) => writer.transact([sql('SELECT 1'), sql(query)], call('write')),
  'a stream of reads': (query) => drained(reader.stream(sql(query), call('read'))),
  'a stream of writes': (query) => drained(writer.stream(sql(query), call('write'))),
  'a share': async (query) => {
    const participant = await writer.join(beginning(shareName()), call('write'));
    try {
      await participant.perform(share([sql(query)]), call('write'));
    } finally {
      await participant.close();
    }
  },
};

async function drained(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of pieces);
}

/** A refusal is the gateway's own. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'It ran.';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const isOurs = ['FORBIDDEN', 'BAD_REQUEST'].includes(error.code);
    return isOurs ? 'refused' : `${error.code}: ${JSON.stringify(error.details)}`;
  }
}

/** Whether a caller who may set can run it: what is refused to others is refused for what it does. */
async function works(query: string): Promise<boolean> {
  const lease = await writer.lease(callOf('write'));
  try {
    await lease.run(sql('BEGIN'), callOf('write'));
    await lease.run(sql(query), callOf('write', by(true)));
    return true;
  } catch {
    return false;
  } finally {
    await lease.close();
  }
}

/** So many times as many by `TEST_RUNS`. */
const CASES = 120 * Number(process.env.TEST_RUNS ?? 1);

describe('forging', () => {
  let working: readonly string[];

  test('is possible where callers may set, by most of these', async () => {
    const kept: string[] = [];
    for (const query of [...held, ...STATEMENTS.filter((each) => !/TABLE|CREATE/.test(each))]) {
      if (await works(query)) kept.push(query);
    }
    working = [...kept, ...STATEMENTS];
    expect(working.length).toBeGreaterThan(held.length / 2);
    const unusable = HOLDERS.filter((holder) => !SETTERS.some((e) => kept.includes(holder(e))));
    expect(unusable.map((holder) => holder('e'))).toEqual([]);
    const unused = SETTERS.filter((setter) => !HOLDERS.some((each) => kept.includes(each(setter))));
    expect(unused).toEqual([]);
  });

  test('is refused on any way in', async () => {
    const odd = fc.constantFrom('', ' ', '\n', '/* x */', '-- x\n', '# x\n');
    const names = fc.constantFrom(...Object.keys(WAYS));
    await fc.assert(
      fc.asyncProperty(odd, fc.nat(), odd, names, async (before, at, after, way) => {
        const query = `${before}${working[at % working.length]}${after}`;
        const told = await refusalOf(WAYS[way]?.(query) ?? Promise.resolve());
        expect([way, query, told]).toEqual([way, query, 'refused']);
      }),
      { numRuns: CASES },
    );
  });

  test('leaves nothing in a session', async () => {
    const lease = await writer.lease(call('write'));
    const look = sql('SELECT @app_user AS who');
    const who = async (bounds = {}) => (await run(lease, look, 'write', bounds)).rows[0]?.who;
    try {
      for (const query of [...STATEMENTS, ...held, ...LATER]) {
        await lease.run(sql(query), call('write')).catch(() => undefined);
        expect([query, await who(), await who(by())]).toEqual([query, null, 'ada']);
      }
    } finally {
      await lease.close();
    }
  });
});

test('a refusal names the function, and what would be right', async () => {
  const message =
    'Function forge needs Admin on this endpoint: config.session tells its database who calls';
  const failure = await failureOf(writer.run(sql('SELECT forge()'), call('write')));
  const name = `${database.name}.forge`;
  expect(failure).toMatchObject({
    code: 'FORBIDDEN',
    message: message.replace('forge', name),
    details: [
      {
        rule: 'session_settings',
        path: 'query',
        message: message.replace('forge', name),
        function: name,
      },
    ],
  });
});

test.each([
  "SELECT a, b FROM items WHERE b = '@app_user := 1' ORDER BY a",
  'SELECT lower(b), now(), md5(b), json_object("a", a), allowed(), @app_user FROM items',
  "INSERT INTO items (a, b) VALUES (1, 'x') ON DUPLICATE KEY UPDATE b = VALUES(b)",
  "INSERT IGNORE items(a, b) VALUES (1, concat('x', @app_user))",
  'REPLACE items (a) SELECT 1 FROM (SELECT 2) AS x',
  'UPDATE items SET b = upper(b) WHERE a IN (1, 2)',
  'SELECT nextval(counter)',
  'SHOW TABLES',
])('%s is no such statement', async (query) => {
  expect(jsonOf(await writer.run(sql(query), call('write')))).toHaveProperty('rows');
});
