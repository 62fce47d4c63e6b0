/** Values keep their types and digits as parameters of every kind that has them, on real servers. Contract §8. */
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from '../../gateway.ts';
import { newOrganization } from '../../organization.ts';
import { addDatabase, type SqlKind, type Templates, templatesOf } from './stand.ts';

/** One dialect: a table, what is written to it, and what is read again of `INPUT`. */
interface Case {
  readonly kind: SqlKind;
  readonly table: object;
  readonly insert: string;
  readonly row: object;
}

const INPUT =
  '{"id": 1, "n": 12345678901234567890.123, "i": 9007199254740993, "f": 0.5, "b": true, "t": "it\'s \\"q\\" \\\\ `b` ü", "z": null, "d": "2026-01-02", "at": "2026-01-02T03:04:05Z", "l": [1, null, 3], "o": {"a": [1, {"$bytes": "AAAA"}], "b": 9007199254740993}}';
const TEXT = 'it\'s "q" \\ `b` ü';
const LISTED =
  '(id, n, i, f, b, t, z, d, at, l, o) VALUES ({{id}}, {{n: Number}}, {{i: Integer}}, {{f}}, {{b: Boolean}}, {{t: String}}, {{z}}, {{d}}';

const CASES: readonly Case[] = [
  {
    kind: 'postgres',
    table: {
      query:
        'CREATE TABLE kept (id int PRIMARY KEY, n numeric, i bigint, f float8, b bool, t text, z text, d date, at timestamptz, l int[], o jsonb)',
    },
    insert: `INSERT INTO kept ${LISTED}, '{{at}}', {{l: Array}}, {{o: Object}})`,
    row: {
      ...{ id: 1, n: '12345678901234567890.123', i: '9007199254740993', f: 0.5, b: true, t: TEXT },
      ...{ z: null, d: '2026-01-02', at: '2026-01-02T03:04:05Z', l: [1, null, 3] },
      o: { a: [1, { $bytes: 'AAAA' }], b: JSON.rawJSON('9007199254740993') },
    },
  },
  {
    kind: 'mysql',
    table: {
      query:
        'CREATE TABLE kept (id int PRIMARY KEY, n decimal(30,3), i bigint, f double, b tinyint(1), t text, z text, d date, at datetime, l json, o json)',
    },
    insert: `INSERT INTO kept ${LISTED}, REPLACE(REPLACE('{{at}}', 'T', ' '), 'Z', ''), {{l: Array}}, '{{o: Object}}')`,
    row: {
      ...{ id: 1, n: '12345678901234567890.123', i: '9007199254740993', f: 0.5, t: TEXT },
      ...{ b: expect.toSatisfy((value) => value === true || value === 1) },
      ...{ z: null, d: '2026-01-02', at: '2026-01-02T03:04:05', l: [1, null, 3] },
      o: { a: [1, { $bytes: 'AAAA' }], b: JSON.rawJSON('9007199254740993') },
    },
  },
  {
    kind: 'cassandra',
    table: {
      query:
        'CREATE TABLE kept (id int PRIMARY KEY, n decimal, i bigint, f double, b boolean, t text, z text, d date, at timestamp, l list<int>, o map<text, text>)',
    },
    insert: `INSERT INTO kept ${LISTED}, '{{at}}', [1, 2], {'a': 'b'})`,
    row: {
      ...{ id: 1, n: '12345678901234567890.123', i: '9007199254740993', f: 0.5, b: true, t: TEXT },
      ...{ z: null, d: '2026-01-02', at: expect.stringMatching(/^2026-01-02T03:04:05/) },
      ...{ l: [1, 2], o: { a: 'b' } },
    },
  },
  {
    kind: 'clickhouse',
    table: {
      type: 'ddl',
      query:
        "CREATE TABLE kept (id Int32, n Decimal(38, 3), i Int64, f Float64, b Bool, t String, z Nullable(String), d Date, at DateTime('UTC'), l Array(Nullable(Int32)), o String) ENGINE = MergeTree ORDER BY id",
    },
    insert: `INSERT INTO kept ${LISTED}, parseDateTimeBestEffort({{at}}), {{l: Array}}, {{o: Object}})`,
    row: {
      ...{ id: 1, n: '12345678901234567890.123', i: '9007199254740993', f: 0.5, b: true, t: TEXT },
      ...{ z: null, d: '2026-01-02', at: expect.stringMatching(/^2026-01-02T03:04:05/) },
      ...{ l: [1, null, 3], o: '{"a":[1,{"$bytes":"AAAA"}],"b":9007199254740993}' },
    },
  },
];

describe.each(CASES)('$kind', ({ kind, table, insert, row }) => {
  let templates: Templates;
  let endpoint: string;
  beforeAll(async () => {
    const organization = await newOrganization(await sharedGateway());
    templates = templatesOf(organization);
    endpoint = await addDatabase(organization, kind, [table]);
  });

  test('numbers, booleans, texts, nulls, dates, lists and documents arrive as what they are', async () => {
    const write = await templates.make('Write', { endpoint, query: insert });
    await templates.output(write, INPUT);
    const where = kind === 'cassandra' ? 'id = {{id}}' : 'id = {{id}} AND n = {{n}} AND b = {{b}}';
    const query = `SELECT id, n, i, f, b, t, z, d, at, l, o FROM kept WHERE ${where}`;
    const read = await templates.make('Read', { endpoint, query });
    expect(await templates.output(read, INPUT)).toMatchObject({ rows: [row] });
  });
});

test.each([
  ['text[]', ['{"Int8":1}', '{"$bytes":"AAEC"}', '{"Json":"x"}', 'a', null]],
  ['jsonb[]', [{ Int8: 1 }, { $bytes: 'AAEC' }, { Json: 'x' }, 'a', null]],
  ['jsonb', [{ Int8: 1 }, { $bytes: 'AAEC' }, { Json: 'x' }, 'a', null]],
])('an array of PostgreSQL has no tags that a caller wrote: %s', async (type, values) => {
  const organization = await newOrganization(await sharedGateway());
  const templates = templatesOf(organization);
  const endpoint = await addDatabase(organization, 'postgres', []);
  const query = `SELECT {{l: Array}}::${type} AS v`;
  const l = [{ Int8: 1 }, { $bytes: 'AAEC' }, { Json: 'x' }, 'a', null];
  const read = await templates.make('Read', { endpoint, query });
  expect(await templates.output(read, { l })).toMatchObject({ rows: [{ v: values }] });
  const together = await templates.make('Transaction', { endpoint, operations: [{ query }] });
  expect(await templates.output(together, { l })).toMatchObject([{ rows: [{ v: values }] }]);
});

test('a batch of CQL takes values in each of its statements', async () => {
  const organization = await newOrganization(await sharedGateway());
  const templates = templatesOf(organization);
  const tables = CASES.filter(({ kind }) => kind === 'cassandra').map(({ table }) => table);
  const endpoint = await addDatabase(organization, 'cassandra', tables);
  const batch = await templates.make('Write', {
    endpoint,
    type: 'batch',
    queries: [
      'INSERT INTO kept (id, t) VALUES (7, {{t}})',
      { query: "INSERT INTO kept (id, t, l) VALUES (?, '{{t}}', {{l: Array}})", params: [8] },
      { query: 'INSERT INTO kept (id, o) VALUES (:id, {{o: Object}})', params: { id: 9 } },
    ],
  });
  await templates.output(batch, { t: TEXT, l: [1], o: { $unset: 'no' } });
  const query = 'SELECT id, t, l, o FROM kept WHERE id IN (7, 8, 9)';
  const read = await templates.make('Read', { endpoint, query });
  expect(await templates.output(read, {})).toMatchObject({
    rows: [
      { id: 7, t: TEXT },
      { id: 8, t: TEXT, l: [1] },
      { id: 9, o: { $unset: 'no' } },
    ],
  });
});
