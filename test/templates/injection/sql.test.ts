/** Whatever a caller sends to a template of SQL or CQL is a value, on real servers. Contract §8. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { sharedGateway } from '../../gateway.ts';
import { newOrganization, type Organization } from '../../organization.ts';
import { TAGS, TEXTS } from './attacks.ts';
import { addDatabase, type SqlKind, type Templates, templatesOf } from './stand.ts';

/** One dialect: what is made, what is read and written with a text in every place. */
interface Dialect {
  readonly kind: SqlKind;
  readonly tables: readonly object[];
  /** Reads the text back from each place; `{{x}}` is the text. */
  readonly read: object;
  readonly write: object;
  readonly all: string;
  readonly transaction?: object;
}

const SECRET = "INSERT INTO victims (id, name, secret) VALUES (1, 'owner', 's3cr3t')";
const INSERT = 'INSERT INTO victims (id, name, secret) VALUES ({{id}}, {{x}}, ';
const ALL = 'SELECT id, name, secret FROM victims';

const DIALECTS: readonly Dialect[] = [
  {
    kind: 'postgres',
    tables: [
      { query: 'CREATE TABLE victims (id int PRIMARY KEY, name text, secret text)' },
      { query: SECRET },
    ],
    read: {
      query:
        "SELECT {{x}}::text AS a, '{{x}}'::text AS b, concat({{x}}::text, '') AS c, $1::text AS d, (SELECT count(*)::int FROM victims WHERE name = {{x}} OR secret = '{{x}}') AS n LIMIT {{one}}",
      params: ['{{x}}'],
    },
    write: { query: `${INSERT}$1)`, params: ['a {{x}}'] },
    all: ALL,
    transaction: {
      operations: [
        { query: 'SELECT id FROM victims WHERE name = {{x}}' },
        { query: `${INSERT}'{{x}}')` },
      ],
    },
  },
  {
    kind: 'mysql',
    tables: [
      { query: 'CREATE TABLE victims (id int PRIMARY KEY, name text, secret text)' },
      { query: SECRET },
    ],
    read: {
      query:
        "SELECT {{x}} AS a, '{{x}}' AS b, CONCAT({{x}}, '') AS c, ? AS d, (SELECT COUNT(*) FROM victims WHERE name = {{x}} OR secret = \"{{x}}\") AS n LIMIT {{one}}",
      params: ['{{x}}'],
    },
    write: { sql: `${INSERT}:own)`, params: { own: 'a {{x}}' } },
    all: ALL,
    transaction: {
      operations: [
        { query: 'SELECT id FROM victims WHERE name = {{x}}' },
        { query: `${INSERT}'{{x}}')` },
      ],
    },
  },
  {
    kind: 'clickhouse',
    tables: [
      {
        type: 'ddl',
        query:
          'CREATE TABLE victims (id Int32, name String, secret String) ENGINE = MergeTree ORDER BY id',
      },
      { query: SECRET },
    ],
    read: {
      query:
        "SELECT {{x}} AS a, '{{x}}' AS b, concat({{x}}, '') AS c, {own:String} AS d, (SELECT toInt32(count()) FROM victims WHERE name = {{x}} OR secret = '{{x}}') AS n LIMIT {{one}}",
      params: { own: '{{x}}' },
    },
    write: {
      type: 'insert',
      table: 'victims',
      rows: [{ id: '{{id}}', name: '{{x}}', secret: 'a {{x}}' }],
    },
    all: `${ALL} ORDER BY id`,
  },
  {
    kind: 'cassandra',
    tables: [
      { query: 'CREATE TABLE victims (id int PRIMARY KEY, name text, secret text)' },
      { query: SECRET },
    ],
    read: {
      query:
        "SELECT name AS n FROM victims WHERE secret >= ? AND name = '{{x}}' AND id > {{one}} LIMIT {{one}} ALLOW FILTERING",
      params: ['{{x}}'],
    },
    write: { query: `${INSERT}:own)`, params: { own: 'a {{x}}' } },
    all: ALL,
    transaction: {
      operations: [
        { query: `${INSERT}'{{x}}')` },
        { query: "UPDATE victims SET secret = '{{x}}' WHERE id = {{id}}" },
      ],
    },
  },
];

/** A test of the dialects that have what it is of; the others have no such test, so none is skipped. */
function testWhere(has: boolean) {
  return has ? test : (): void => {};
}

describe.each(DIALECTS)('$kind', (dialect) => {
  let organization: Organization;
  let templates: Templates;
  let endpoint: string;

  beforeAll(async () => {
    organization = await newOrganization(await sharedGateway());
    templates = templatesOf(organization);
    endpoint = await addDatabase(organization, dialect.kind, dialect.tables);
  });

  test('a text that is read with comes back as it is, from every place', async () => {
    const id = await templates.make('Read', { endpoint, ...dialect.read });
    for (const x of TEXTS) {
      const { rows } = (await templates.output(id, { x, one: 1 })) as { rows: Json };
      const isCql = dialect.kind === 'cassandra';
      expect(rows).toEqual(isCql ? [] : [{ a: x, b: x, c: x, d: x, n: 0 }]);
    }
  });

  test('a text that is written is in its row, and nothing else changes', async () => {
    const id = await templates.make('Write', { endpoint, ...dialect.write });
    const all = await templates.make('Read', { endpoint, query: dialect.all });
    const expected = [{ id: 1, name: 'owner', secret: 's3cr3t' }];
    for (const [index, x] of TEXTS.entries()) {
      await templates.output(id, { id: index + 2, x });
      expected.push({ id: index + 2, name: x, secret: `a ${x}` });
    }
    const { rows } = (await templates.output(all, {})) as { rows: { id: number }[] };
    expect(rows.sort((a, b) => a.id - b.id)).toEqual(expected);
  });

  testWhere(dialect.transaction !== undefined)(
    'a transaction takes texts as its operations do',
    async () => {
      const id = await templates.make('Transaction', { endpoint, ...dialect.transaction });
      const all = await templates.make('Read', { endpoint, query: dialect.all });
      for (const [index, x] of TEXTS.entries()) {
        await templates.output(id, { id: 1_000 + index, x });
      }
      const { rows } = (await templates.output(all, {})) as { rows: { id: number }[] };
      expect(rows.filter((row) => row.id >= 1_000).sort((a, b) => a.id - b.id)).toEqual(
        TEXTS.map((x, index) => ({ id: 1_000 + index, name: x, secret: x })),
      );
    },
  );

  testWhere(dialect.kind === 'postgres' || dialect.kind === 'mysql')(
    'an object is a document, whatever it looks like, also in a transaction',
    async () => {
      const query =
        dialect.kind === 'postgres'
          ? 'SELECT {{o: Object}}::jsonb AS o, {{l: Array}}::jsonb AS l'
          : 'SELECT CAST({{o: Object}} AS CHAR) AS o, CAST({{l: Array}} AS CHAR) AS l';
      const read = await templates.make('Read', { endpoint, query });
      const both = await templates.make('Transaction', {
        endpoint,
        operations: [{ query: 'SELECT id FROM victims WHERE id = 1' }, { query }],
      });
      for (const o of TAGS) {
        const input = { o, l: [o, { o }] };
        const shown = (value: unknown) =>
          dialect.kind === 'postgres' ? value : JSON.stringify(value);
        const rows = [{ o: shown(o), l: shown(input.l) }];
        expect(await templates.output(read, input)).toMatchObject({ rows });
        expect(await templates.output(both, input)).toMatchObject([{}, { rows }]);
      }
    },
  );
});
