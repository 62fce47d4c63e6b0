/** What the suite of every driver needs to know of this one. */
import type { CassandraRequest } from '../../../kinds/cassandra/index.ts';
import type { DriverContract } from '../contract.ts';
import { connectionsBy, WITHOUT_URL } from '../contract-connections.ts';
import { callOf } from '../test/host.ts';
import { cassandra } from './index.ts';
import { cql, type Rows, TestDatabase } from './test/database.ts';

let database: TestDatabase;

/** Milliseconds for which it holds a processor; the server ends it with the page that it works on. */
const BURN = `CREATE FUNCTION burn(n int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS
  'long end = System.nanoTime() + 5000000L; int i = 0; while (System.nanoTime() < end) i++; return n;'`;
const ROWS = 100_000;
const COPIES = Array.from({ length: 10 }, (_, index) => `x AS x${index}`);

/** What the suite is run with. */
export const cassandraContract: DriverContract<CassandraRequest> = [
  'cassandra',
  async () => {
    database = await TestDatabase.create(
      'CREATE TABLE named (name text, id uuid, PRIMARY KEY (name, id))',
      'CREATE TABLE many (part int, i int, x text, PRIMARY KEY (part, i))',
      BURN,
    );
    await fill();
    return {
      driver: cassandra,
      connections: connectionsBy(database.url),
      invalid: [
        ...WITHOUT_URL,
        { connection: { url: 'mysql://u:p@host/db' }, message: /cassandra:\/\// },
        { connection: { url: 'cassandra://u:p@host/db?sslkey=/etc/key' }, message: /sslkey/ },
      ],
      add: (name) => cql('INSERT INTO named (name, id) VALUES (?, uuid())', [name]),
      count: (name) => cql('SELECT count(*) AS n FROM named WHERE name = ?', [name]),
      counted: (result) => Number((result as Rows).rows[0]?.n),
      slow: cql('SELECT burn(i) FROM many LIMIT 6000'),
      refused: { request: cql('SELECT a FROM missing_table'), code: '0x2200' },
      rows: (count) => cql(`SELECT i, x FROM many LIMIT ${count}`),
      heavyRows: (count) => cql(`SELECT i, ${COPIES} FROM many LIMIT ${count}`),
      backendConnections: async () => database.connections,
      dropIdle: async () => database.dropConnections(),
      table: { namespace: database.name, name: 'named', type: 'table' },
      longest: ROWS,
    };
  },
  () => database.drop(),
  {
    warnings: 'nothing about a credential is known to deserve one',
    watch: 'the protocol has no subscriptions',
    changes: 'the server tells none',
    conflict: 'the server has no constraints: what a condition forbids is answered as not applied',
    running: 'the protocol cannot cancel',
    state: 'of all statements only USE stays on its connection, and it is refused',
    lease: 'the server has no sessions',
    join: 'the server has no transactions',
    prepare: 'the server has no transactions',
    once: 'the server has no transactions',
  },
];

/** Of about 100 bytes each. */
async function fill(): Promise<void> {
  const writer = await database.open('write');
  const text = 'x'.repeat(90);
  for (let from = 0; from < ROWS; from += 500) {
    const queries = Array.from({ length: 500 }, (_, index) => ({
      query: 'INSERT INTO many (part, i, x) VALUES (1, ?, ?)',
      params: [from + index, text],
    }));
    const request: CassandraRequest = { type: 'batch', batch_type: 'unlogged', queries };
    await writer.run(request, callOf('write'));
  }
  await writer.close();
}
