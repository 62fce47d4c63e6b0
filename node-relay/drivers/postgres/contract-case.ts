/** What the suite of every driver needs to know of this one. */
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import { CHANGE_OPERATIONS } from '../../../proto/changes.ts';
import type { DriverContract } from '../contract.ts';
import type { ChangedCase } from '../contract-changes.ts';
import { connectionsBy, WITHOUT_URL } from '../contract-connections.ts';
import { postgres } from './index.ts';
import { POOLER, type Rows, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;

/** Numbers by key, whose changes are told. */
const changed: ChangedCase<PostgresRequest> = {
  collections: [{ name: 'changed', operations: CHANGE_OPERATIONS }],
  set: (key, value) =>
    sql(
      'INSERT INTO changed (id, n) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n = excluded.n',
      [key, value],
    ),
  add: (from, count) =>
    sql(
      "INSERT INTO changed SELECT i, i, repeat('x', 500) FROM generate_series($1::int, $2::int) i",
      [from, from + count - 1],
    ),
  read: (key) => sql('SELECT * FROM changed WHERE id = $1', [key]),
  readText: (result) => /"rows":\[(\{.*\})\]/.exec(result)?.[1] ?? '',
  told: ({ after }) => {
    const { id, n } = JSON.parse(Buffer.from(after ?? []).toString());
    return { key: id, value: n };
  },
  keeps: true,
};

/** What the suite is run with. */
export const postgresContract: DriverContract<PostgresRequest> = [
  'postgres',
  async () => {
    database = await TestDatabase.create(
      `CREATE TABLE entries (name text CHECK (name <> 'forbidden'));
       CREATE TABLE changed (id int PRIMARY KEY, n bigint, pad text)`,
    );
    return {
      driver: postgres,
      connections: connectionsBy(database.url),
      invalid: [
        ...WITHOUT_URL,
        { connection: { url: 'mysql://u:p@host/db' }, message: /postgres:\/\// },
        { connection: { url: 'postgres://u@host/db?sslkey=/etc/key' }, message: /sslkey/ },
      ],
      add: (name) => sql('INSERT INTO entries VALUES ($1)', [name]),
      count: (name) => sql('SELECT count(*)::int AS n FROM entries WHERE name = $1', [name]),
      counted: (result) => Number((result as Rows).rows[0]?.n),
      slow: sql('SELECT pg_sleep(30)'),
      refused: { request: sql('SELECT 1 FROM missing_table'), code: '42P01' },
      conflict: { request: sql("INSERT INTO entries VALUES ('forbidden')"), code: '23514' },
      state: {
        set: sql('CREATE TEMP TABLE left_behind (a int)'),
        see: sql("SELECT to_regclass('left_behind')::text AS found"),
      },
      table: { namespace: 'public', name: 'entries', type: 'table' },
      running: async () => {
        const { rows } = await database.outside.query(
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep%'",
        );
        return rows[0].n;
      },
      changed,
      once: {
        // PgBouncer itself may end when it is told to end clients that have a statement under way.
        ...(process.env[POOLER] ? { endConnections: async () => {} } : {}),
        place: 'causeway_once',
        big: (name) => ({
          request: sql("INSERT INTO entries VALUES ($1) RETURNING repeat('x', 70000)", [name]),
        }),
        failing: (name) => ({
          request: {
            type: 'simple',
            query: `INSERT INTO entries VALUES ('${name}'); INSERT INTO entries VALUES ('forbidden')`,
          },
        }),
      },
      dropIdle: () => database.endConnections(),
      rows: (count) => sql(`SELECT generate_series(1, ${count}) AS i, repeat('x', 90) AS x`),
      backendConnections: () => database.connections(),
    };
  },
  () => database.drop(),
  {
    watch: 'the protocol has no subscriptions',
  },
];
