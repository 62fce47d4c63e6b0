/** What docs/templates.md says that statements often want: each cell of its table, on the server it is for. */
import { describe, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization } from '../organization.ts';
import { addDatabase, templatesOf } from './injection/stand.ts';
import { IDIOMS } from './page.ts';

const ROWS = "(1, 'a'), (2, 'b'), (13, 'ab')";
const TABLES = {
  PostgreSQL: ['postgres', 'CREATE TABLE t (id int, name text)', 'query'],
  MySQL: ['mysql', 'CREATE TABLE t (id int, name text)', 'query'],
  ClickHouse: ['clickhouse', 'CREATE TABLE t (id Int32, name String) ENGINE = Memory', 'ddl'],
} as const;
/** By what is wanted: inputs, and the ids that they find. */
const WANTED: Readonly<Record<string, readonly (readonly [object, readonly number[]])[]>> = {
  'one of a list': [
    [{ ids: [1, 3] }, [1]],
    [{ ids: [] }, []],
  ],
  'one of a list of texts': [[{ names: ['a', "b' OR '1'='1"] }, [1]]],
  'a filter that may be left out': [
    [{ name: 'b' }, [2]],
    [{}, [1, 2, 13]],
  ],
  'a part of a text': [[{ part: 'b' }, [2, 13]]],
};

test('every row is tried', () => {
  expect(IDIOMS.map(({ wanted }) => wanted)).toEqual(Object.keys(WANTED));
});

describe.each(Object.entries(TABLES))('%s', (product, [kind, table, type]) => {
  test('finds what is wanted', async () => {
    const organization = await newOrganization(await sharedGateway());
    const insert = { query: `INSERT INTO t VALUES ${ROWS}` };
    const endpoint = await addDatabase(organization, kind, [{ type, query: table }, insert]);
    const templates = templatesOf(organization);
    for (const { wanted, conditions } of IDIOMS) {
      const query = `SELECT id FROM t WHERE ${conditions[product]} ORDER BY id`;
      const id = await templates.make('Read', { endpoint, query });
      for (const [input, ids] of WANTED[wanted] ?? []) {
        const rows = ids.map((each) => ({ id: each }));
        expect([wanted, await templates.output(id, input)]).toMatchObject([wanted, { rows }]);
      }
    }
  });
});
