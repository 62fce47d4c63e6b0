/** Requests on a PostgreSQL endpoint: large statements, bodies and results. */
import { randomUUID } from 'node:crypto';
import { always, BODY_BYTES, filled, type Operation, post } from './operation.ts';
import { demand } from './tenants.ts';

const KIB = 1024;
const READ = '/endpoints/measured/read';
const query = (sql: string, rest: object = {}) => JSON.stringify({ query: sql, ...rest });

/** A text that no call before had, of so many bytes. */
function distinct(name: string, bytes: number, unit: string, path = READ): Operation {
  const tail = unit.repeat(Math.floor((bytes - 200) / unit.length));
  return {
    name,
    call: ({ id }, count) => post(path, query(`select ${count}, '${id}${Math.random()}'${tail}`)),
  };
}

export const backendOperations: readonly Operation[] = [
  distinct('distinct statements of 200 KB, sums', 200 * KIB, '+1'),
  distinct('distinct statements of 200 KB, columns', 200 * KIB, ',1'),
  distinct('distinct statements of 120 KB, calls', 120 * KIB, ',abs(1)'),
  distinct('distinct statements of 200 KB, comments', 200 * KIB, '/**/'),
  distinct('distinct statements of 10 MiB, a text', BODY_BYTES - KIB, ' '),
  distinct('distinct statements of 4 MiB, columns', 4 * KIB * KIB, ',1'),
  always('parameters of 10 MiB', () =>
    post(
      READ,
      filled(['{"query":"select json_array_length($1::json)","params":[[', ']]}'], () => '[1,"a"]'),
    ),
  ),
  always('parameters of many names', () =>
    post(
      READ,
      filled(['{"query":"select $1::json is null","params":[{', '}]}'], (index) => `"k${index}":1`),
    ),
  ),
  always('a result of 10 MiB', () =>
    post(READ, query("select repeat('x', 1000) as text from generate_series(1, 9800)")),
  ),
  {
    // The list is made once: elsewhere the database has a machine of its own.
    ...always('a result of 10 MiB, one list', () =>
      post(READ, query('select list from long_lists')),
    ),
    async setUp(tenant, over) {
      const made = 'select array_agg(i) as list from generate_series(1000000, 2300000) i';
      const sql = `create table if not exists long_lists as ${made}`;
      await demand(tenant, post('/endpoints/measured/write', query(sql)), over);
    },
  },
  always('a transaction of 10 MiB', () =>
    post(
      '/transactions',
      filled(
        [
          '{"operations":[{"endpoint":"measured","query":"select json_array_length($1::json)","params":[[',
          ']]}]}',
        ],
        () => '[1,"a"]',
      ),
    ),
  ),
  always('a result of 300,000 rows', () =>
    post(READ, query('select id from generate_series(1, 300000) id')),
  ),
  always('a stream of 1,000,000 rows', () =>
    post(READ, query("select id, repeat('x', 50) as text from generate_series(1, 1000000) id"), {
      headers: { Accept: 'application/x-ndjson' },
    }),
  ),
  {
    name: 'keys with bodies of 0.9 MB',
    call: () => ({
      ...post(READ, query('select length($1)', { params: ['x'.repeat(900_000)] })),
      headers: { 'Idempotency-Key': randomUUID() },
    }),
  },
  {
    name: 'keys with replies of 0.9 MB',
    call: () => ({
      ...post(READ, query('select repeat($1, 900000)', { params: ['x'] })),
      headers: { 'Idempotency-Key': randomUUID() },
    }),
  },
];
