/** What the suite of every driver needs to know of this one. */
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import { CHANGE_OPERATIONS } from '../../../proto/changes.ts';
import type { DriverContract } from '../contract.ts';
import type { ChangedCase } from '../contract-changes.ts';
import { connectionsBy, WITHOUT_URL } from '../contract-connections.ts';
import { mysql } from './index.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;

/** Numbers by key, whose changes are told. */
const changed: ChangedCase<MysqlRequest> = {
  collections: [{ name: 'changed', operations: CHANGE_OPERATIONS }],
  set: (key, value) =>
    sql('INSERT INTO changed (id, n) VALUES (?, ?) ON DUPLICATE KEY UPDATE n = VALUES(n)', [
      key,
      value,
    ]),
  add: (from, count) =>
    sql(
      `INSERT INTO changed SELECT seq, seq, repeat('x', 500) FROM seq_${from}_to_${from + count - 1}`,
    ),
  read: (key) => sql('SELECT * FROM changed WHERE id = ?', [key]),
  readText: (result) => /"rows":\[(\{.*\})\]/.exec(result)?.[1] ?? '',
  told: ({ after }) => {
    const { id, n } = JSON.parse(Buffer.from(after ?? []).toString());
    return { key: id, value: n };
  },
  keeps: true,
};

/** What the suite is run with. */
export const mysqlContract: DriverContract<MysqlRequest> = [
  'mysql',
  async () => {
    database = await TestDatabase.create(
      'CREATE TABLE entries (name text NOT NULL); CREATE TABLE changed (id int PRIMARY KEY, n bigint, pad text)',
    );
    return {
      driver: mysql,
      connections: connectionsBy(database.url),
      invalid: [
        ...WITHOUT_URL,
        { connection: { url: 'postgres://u:p@host/db' }, message: /mysql:\/\// },
        { connection: { url: 'mysql://u@host/db?ssl-key=/etc/key' }, message: /ssl-key/ },
        { connection: { url: 'mysql://u@host/db?local_infile=1' }, message: /local_infile/ },
      ],
      add: (name) => sql('INSERT INTO entries VALUES (?)', [name]),
      count: (name) => sql('SELECT count(*) AS n FROM entries WHERE name = :name', { name }),
      counted: (result) => Number((result as Rows).rows[0]?.n),
      slow: sql('SELECT sleep(30)'),
      refused: { request: sql('SELECT 1 FROM missing_table'), code: '1146' },
      conflict: { request: sql('INSERT INTO entries VALUES (NULL)'), code: '1048' },
      state: { set: sql('SET @left = 1'), see: sql('SELECT @left AS found') },
      table: { namespace: database.name, name: 'entries', type: 'table' },
      running: () => processes("INFO LIKE 'SELECT sleep%'"),
      dropIdle: async () => {
        const rows = await database.look(
          `SELECT ID AS id FROM information_schema.PROCESSLIST WHERE DB = '${database.name}' AND ID <> connection_id()`,
        );
        for (const row of rows) await database.outside.query(`KILL ${(row as { id: unknown }).id}`);
      },
      rows: (count) =>
        sql(
          `WITH RECURSIVE ten AS (SELECT 1 i UNION ALL SELECT i + 1 FROM ten WHERE i < 10)
           SELECT a.i, repeat('x', 90) AS x FROM ten a, ten b, ten c, ten d, ten e, ten f LIMIT ${count}`,
        ),
      once: {
        place: 'causeway_once',
        big: (name) => ({
          operations: [
            sql('INSERT INTO entries VALUES (?)', [name]),
            sql("SELECT repeat('x', 70000) AS x"),
          ],
        }),
        failing: (name) => ({
          request: {
            type: 'batch_execute',
            query: `INSERT INTO entries VALUES ('${name}'); INSERT INTO entries VALUES (NULL)`,
          },
        }),
      },
      changed,
      backendConnections: () => processes('true'),
    };
  },
  () => database.drop(),
  {
    watch: 'the protocol has no subscriptions',
  },
];

/** How many of the suite's connections are as `condition` says. */
async function processes(condition: string): Promise<number> {
  const [row] = await database.look(
    `SELECT count(*) AS n FROM information_schema.PROCESSLIST
     WHERE DB = '${database.name}' AND ID <> connection_id() AND ${condition}`,
  );
  return Number((row as { n: unknown }).n);
}
