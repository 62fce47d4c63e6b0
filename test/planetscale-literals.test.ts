/** Parameters written into the text of a statement stay values, whatever they hold and wherever they are. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingsOf } from '../kinds/mysql/dialect/settings.ts';
import type { MysqlRequest } from '../kinds/mysql/index.ts';
import { failureOf } from '../node-relay/drivers/contract.ts';
import { connect } from '../node-relay/drivers/mysql/connection.ts';
import type { Packet } from '../node-relay/drivers/mysql/packets.ts';
import { run, sql, TestDatabase } from '../node-relay/drivers/mysql/test/database.ts';
import { callOf, testHost } from '../node-relay/drivers/test/host.ts';
import { sameDecimal } from '../proto/decimal.ts';
import type { BackendClient } from '../proto/driver.ts';
import type { Json } from '../proto/json.ts';
import { planetscale } from '../worker/drivers/edge/planetscale/index.ts';
import { withValues } from '../worker/drivers/edge/planetscale/literal.ts';
import { openNetwork } from './stand-ins/edge-host.ts';
import { PlanetScaleStandIn } from './stand-ins/planetscale/server.ts';

let database: TestDatabase;
let standIn: PlanetScaleStandIn;
let session: BackendClient<MysqlRequest>;
beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE kept (v longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin); CREATE TABLE precious (a int)',
  );
  standIn = await PlanetScaleStandIn.start(database.url);
  session = planetscale.open({ connection: { url: standIn.url }, settings: {} }, openNetwork);
});
afterAll(async () => {
  await standIn?.stop();
  await database?.drop();
});

/** Values that have broken out of quotes somewhere. */
const VALUES: readonly string[] = [
  "'",
  "''",
  '"',
  '`',
  '\\',
  "\\'",
  "\\\\'",
  "' OR 1=1 -- ",
  "' OR '1'='1",
  '" OR ""="',
  "'; DROP TABLE precious; -- ",
  "\\'; DROP TABLE precious; -- ",
  "\\\\'; DROP TABLE precious; #",
  "'/*",
  '*/ DROP TABLE precious /*',
  "') UNION SELECT user() -- ",
  "' INTO OUTFILE '/tmp/x",
  '\u0000',
  "a\u0000'b",
  "\n'",
  "\r\n-- '",
  '\u001a',
  '\b\t',
  '%_\\%',
  '?',
  ':name',
  "?'?",
  '@@version',
  '0x27',
  // Bytes that other character sets take together with the quote or backslash behind them.
  "\u00bf'",
  "\u00bf\\'",
  '뼧',
  "縗'",
  "表'",
  "ソ\\'",
  "誠'; DROP TABLE precious; -- ",
  '\ufeff',
  '\u02bc',
  '\u2019 OR 1=1',
  'é😀',
];

describe('numbers with an exponent', () => {
  test.each([
    '1e400',
    '-1e-400',
    '12345678901234567890123e0',
    '12345678901234567890.5e-1',
    '1.2345678901234567890123e22',
    '1e21',
    '1.5e-7',
    '9'.repeat(70),
  ])('%s is that number as a text', async (text) => {
    const statement = sql("SELECT CONCAT('', ?) AS v", [JSON.rawJSON(text)]);
    const { rows } = await run(session, statement, 'write');
    expect(sameDecimal(String(rows[0]?.v), text), String(rows[0]?.v)).toBe(true);
  });
});

/** Places of a parameter. Each answers the value. */
const PLACES: readonly { text: string; others?: Json[] }[] = [
  { text: 'SELECT ? AS v' },
  { text: 'SELECT?AS v' },
  { text: "SELECT CONCAT('a?', ?, \"b?\", '\\'?') AS v", others: [] },
  { text: "SELECT /* ? ' */ ? AS v -- ? '" },
  { text: "SELECT ? AS v # it's ?\n" },
  { text: 'SELECT v FROM (SELECT ? AS v) AS `a?``b`' },
  { text: 'SELECT ? AS v UNION ALL SELECT v FROM kept WHERE 1 = 0' },
];
const shown = (text: string, value: string) =>
  text.startsWith('SELECT CONCAT') ? `a?${value}b?'?` : value;

describe('whatever the server reads texts by', () => {
  test.each(['', "SET SESSION sql_mode = 'TRADITIONAL'"])(
    'a value comes back as itself: %s',
    async (prelude) => {
      standIn.prelude = prelude;
      for (const { text } of PLACES) {
        for (const value of VALUES) {
          const { rows } = await run(session, sql(text, [value]), 'write');
          expect(rows, `${text} with ${JSON.stringify(value)}`).toEqual([
            { v: shown(text, value) },
          ]);
        }
      }
      standIn.prelude = '';
      expect(await database.look("SHOW TABLES LIKE 'precious'")).toHaveLength(1);
    },
  );

  test.each(['NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES', 'ORACLE'])(
    'a literal is that value under %s too',
    async (mode) => {
      await database.outside.query(`SET SESSION sql_mode = '${mode}'`);
      for (const value of VALUES) {
        const [row] = await database.look(withValues('SELECT ? AS v', [value]));
        expect(row, JSON.stringify(value)).toEqual({ v: value });
      }
    },
  );

  test.each(['gbk', 'sjis', 'big5', 'latin1'])(
    'no literal ends early where the server reads %s',
    async (charset) => {
      const settings = settingsOf({ url: database.url });
      const recipe = { host: testHost(), settings, mode: 'write', route: {} } as const;
      // It sends UTF-8 whatever the server reads.
      const connection = await connect(recipe, AbortSignal.timeout(10_000));
      await connection.query(`SET character_set_client = ${charset}`);
      for (const value of VALUES) {
        const numbers: string[] = [];
        const query = withValues('SELECT 1 AS a, 2 AS b, ? AS v', [value]);
        const row = (reader: Packet) => void numbers.push(reader.lengthText(), reader.lengthText());
        const said = await connection.query(query, { row }).then(
          () => numbers.join(),
          (error: Error) => error.message,
        );
        // What the text says may differ, or be none to that character set; that it is one text does not.
        expect(said, value).toMatch(/^(?:1,2|Invalid .*character string.*)$/);
      }
      await connection.close();
    },
  );

  test('any text is kept', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 60 }).filter((text) => text.isWellFormed()),
        async (value) => {
          const { rows } = await run(session, sql('SELECT ? AS v', [value]), 'write');
          return rows[0]?.v === value;
        },
      ),
      { numRuns: 150 },
    );
  });
});

test('half of a surrogate pair is no text that could be written', () => {
  expect(() => withValues('SELECT ?', ['\ud800'])).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST' }),
  );
});

test.each<[sent: Json, literal: string]>([
  [null, 'NULL'],
  [true, '1'],
  [-5, '-5'],
  [0.1, '0.1'],
  [1e-7, '1e-7'],
  [1e300, '1e+300'],
  [JSON.rawJSON('18446744073709551615'), '18446744073709551615'],
  [JSON.rawJSON('0.12345678901234567890'), '0.12345678901234567890'],
  ["it's", "'it''s'"],
  ['a\\b', "_utf8mb4 x'615c62'"],
  [{ $bytes: 'AP8=' }, "_binary x'00ff'"],
  [{ $date: '2024-01-02T03:04:05+02:00' }, "'2024-01-02 01:04:05'"],
  [{ a: 1 }, '\'{"a":1}\''],
  [[1], "'[1]'"],
])('%j is written as a literal', (sent, literal) => {
  expect(withValues('SELECT 1-?', [sent])).toBe(`SELECT 1- ${literal} `);
});

test.each<[text: string, why: string]>([
  ['SELECT /*!50000 ? */', 'a comment with a version'],
  ['SELECT /*M! ? */', 'a comment with a version'],
  ['SELECT 1 // ?', '//'],
  ["SELECT ? 'alias'", 'next to a parameter'],
  ["SELECT 'text' ?", 'next to a parameter'],
  ["SELECT @'a', ?", 'the variable'],
  ["SELECT @a'?', ?", 'the variable'],
  ['SELECT @`a`, ?', 'the variable'],
  ['SELECT ? --\u000b 1\n + 1', 'a control character'],
  ['SELECT ? \u0001', 'a control character'],
])('a text that servers take apart differently takes no parameters: %s', async (text, why) => {
  const failure = await failureOf(session.run(sql(text, [1]), callOf('write')));
  expect(failure).toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining(why),
    details: [{ path: 'query' }],
  });
});

test.each([
  ["SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'", 'sql_mode'],
  ["SET SESSION sql_mode = 'ANSI'", 'sql_mode'],
  ["SET SESSION time_zone = '+01:00'", 'time_zone'],
  ['SET NAMES latin1', 'character_set_client'],
])('sessions that read and write otherwise are not used: %s', async (prelude, what) => {
  standIn.prelude = prelude;
  const other = planetscale.open({ connection: { url: standIn.url }, settings: {} }, openNetwork);
  standIn.seen.length = 0;
  const failure = await failureOf(other.run(sql('SELECT ?', ["'"]), callOf('write')));
  standIn.prelude = '';
  expect(failure).toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining(what),
  });
  expect(standIn.seen).toHaveLength(1);
});
