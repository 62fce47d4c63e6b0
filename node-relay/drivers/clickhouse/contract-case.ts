/** What the suite of every driver needs to know of this one. */
import type { ClickhouseRequest } from '../../../kinds/clickhouse/index.ts';
import type { DriverContract } from '../contract.ts';
import { connectionsBy, WITHOUT_URL } from '../contract-connections.ts';
import { clickhouse } from './index.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
const SLOW = 'SELECT count() FROM numbers(1000000000000) /* contract */';

/** What the suite is run with. */
export const clickhouseContract: DriverContract<ClickhouseRequest> = [
  'clickhouse',
  async () => {
    database = await TestDatabase.create(
      `CREATE TABLE entries (name String, CONSTRAINT allowed CHECK name <> 'forbidden')
       ENGINE = MergeTree ORDER BY name`,
    );
    return {
      driver: clickhouse,
      connections: connectionsBy(database.url),
      invalid: [
        ...WITHOUT_URL,
        { connection: { url: 'mysql://u:p@host/db' }, message: /clickhouse:\/\// },
        { connection: { url: 'clickhouse://u@host/db?sslkey=/etc/key' }, message: /sslkey/ },
      ],
      add: (name) => sql('INSERT INTO entries SELECT {name:String}', { name }),
      count: (name) => sql('SELECT count() AS n FROM entries WHERE name = {name:String}', { name }),
      counted: (result) => Number((result as Rows).rows[0]?.n),
      slow: sql(SLOW),
      refused: { request: sql('SELECT 1 FROM missing_table'), code: '60' },
      conflict: { request: sql("INSERT INTO entries SELECT 'forbidden'"), code: '469' },
      table: { namespace: database.name, name: 'entries', type: 'table' },
      running: async () => {
        const lines = await database.outside(
          `SELECT count() FROM system.processes WHERE startsWith(query, '${SLOW}')`,
        );
        return Number(lines[0]?.[0]);
      },
      dropIdle: async () => database.dropConnections(),
      rows: (count) => sql(`SELECT number AS i, repeat('x', 90) AS x FROM numbers(${count})`),
      backendConnections: async () => database.connections,
    };
  },
  () => database.drop(),
  {
    warnings: 'nothing about a credential is known to deserve one',
    watch: 'the protocol has no subscriptions',
    changes: 'the server tells none',
    state: 'requests over HTTP hold nothing on their connection',
    transact: 'the server has no transactions',
    join: 'the server has no transactions',
    prepare: 'the server has no transactions',
    once: 'the server has no transactions',
    lease: 'the server has no sessions that outlive a request without a name of the caller',
  },
];
