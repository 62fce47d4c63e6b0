/**
 * A transaction over PostgreSQL and MariaDB, one row each, compared with a write of one row of PostgreSQL through the same
 * gateway, and compared with the bare protocol by the drivers in this process: same run, interleaved, medians. `own rows`
 * has no conflicts: each connection changes rows of its own; `one key` has nothing else: all change the same rows. Both are
 * measured when compilers have come to rest: a transaction passes ten times the code of a write, so it is warm later.
 *
 * npm run bench -- transactions [--rounds 3] [--seconds 3]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { startPostgres } from '../server/postgres-server.ts';
import { startMariadb } from '../test/servers/mariadb-server.ts';
import { addEndpoint, startGateway } from './gateway.ts';
import { generateLoad, type Measured } from './load.ts';
import { tell } from './report.ts';
import { bareTransactions } from './transactions/bare.ts';

const CONNECTIONS = [1, 16, 64];
/** How often as long as a write of one database a transaction over two may take at one connection. */
const BAR = 3;
const ROWS = 64;
/** What is sent before anything is measured: seconds of each sort, over so many connections. */
const WARM_UP = { seconds: 12, connections: 16 };

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
  },
});
const seconds = Number(values.seconds);

const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-transactions-'));
const password = 'a password for measuring';
const postgres = await startPostgres({
  folder: join(folder, 'postgres'),
  password,
  settings: { max_prepared_transactions: 100 },
});
const mariadb = await startMariadb({ folder: join(folder, 'mariadb'), password });
try {
  await fill();
  const gateway = await startGateway(postgres.url);
  try {
    await addEndpoint(gateway, 'second', 'mysql', `${mariadb.url}bench`);
    await compareAll(gateway);
  } finally {
    await gateway.stop();
  }
} finally {
  await Promise.all([postgres.stop(), mariadb.stop()]);
  await rm(folder, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const first = new pg.Client(postgres.url);
  await first.connect();
  await first.query(
    `CREATE TABLE accounts AS SELECT id, 0 AS amount FROM generate_series(0, ${ROWS - 1}) id;
     ALTER TABLE accounts ADD PRIMARY KEY (id)`,
  );
  await first.end();
  const second = await mysql.createConnection({ uri: mariadb.url, multipleStatements: true });
  await second.query(
    `CREATE DATABASE bench; USE bench; CREATE TABLE accounts (id int PRIMARY KEY, amount int NOT NULL);
     INSERT INTO accounts SELECT seq, 0 FROM seq_0_to_${ROWS - 1}`,
  );
  await second.end();
}

type Sort = 'write' | 'bare' | 'own rows' | 'one key';
type Measure = (connections: number, seconds: number) => Promise<Measured>;
type Sorts = Readonly<Record<Sort, Measure>>;
type Gateway = Awaited<ReturnType<typeof startGateway>>;

async function compareAll({ port, headers, path }: Gateway): Promise<void> {
  const bare = await bareTransactions(postgres.url, `${mariadb.url}bench`);
  const update = (mark: string) => `UPDATE accounts SET amount = amount + 1 WHERE id = ${mark}`;
  const transaction = (row: number) =>
    JSON.stringify({
      keys: [`row ${row}`],
      operations: [
        { endpoint: 'measured', query: update('$1'), params: [row] },
        { endpoint: 'second', query: update('?'), params: [row] },
      ],
    });
  const write = (row: number) => JSON.stringify({ query: update('$1'), params: [row] });
  const load =
    (at: string, body: string | ((row: number) => string)): Measure =>
    (connections, seconds) =>
      generateLoad({ port, headers, connections, seconds, path: at, body });
  const sorts: Sorts = {
    write: load(path.replace(/read$/, 'write'), write),
    bare: (connections, seconds) => bare.measure(connections, seconds),
    'own rows': load('/api/v1/transactions', transaction),
    'one key': load('/api/v1/transactions', transaction(0)),
  };
  for (const sort of ['write', 'own rows'] as const) {
    await sorts[sort](WARM_UP.connections, WARM_UP.seconds);
  }
  console.log('connections  sort        a second    p50 ms    p99 ms  p50 to write  p50 to bare');
  for (const connections of CONNECTIONS) await compare(connections, sorts);
  await bare.stop();
}

async function compare(connections: number, sorts: Sorts): Promise<void> {
  const names = Object.keys(sorts) as Sort[];
  const rounds: Record<Sort, Measured[]> = { write: [], bare: [], 'own rows': [], 'one key': [] };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const name of names) rounds[name].push(await sorts[name](connections, seconds));
  }
  const middle = (name: Sort, of: keyof Measured) =>
    rounds[name].map((each) => each[of]).toSorted((one, other) => one - other)[
      Math.floor(rounds[name].length / 2)
    ] ?? Number.NaN;
  for (const name of names) {
    const p50 = middle(name, 'p50');
    const ratios = (['write', 'bare'] as const).map((base) => p50 / middle(base, 'p50'));
    const toWrite = rounds[name].map((each, round) => each.p50 / (rounds.write[round]?.p50 ?? NaN));
    const isMeant = connections === 1 && name === 'own rows';
    if (name !== 'write') {
      const what = `${connections} connections, ${name}: p50 to that of a write`;
      tell(what, toWrite, isMeant ? { atMost: BAR } : {});
    }
    const isOver = isMeant && (ratios[0] ?? 0) > BAR;
    const figures = [middle(name, 'throughput').toFixed(0), p50.toFixed(2)];
    const cells = [...figures, middle(name, 'p99').toFixed(2)].map((each) => each.padStart(10));
    const told = ratios.map((each) => each.toFixed(2).padStart(13)).join('');
    const mark = isOver ? `  over the bar of ${BAR}` : '';
    console.log(
      `${String(connections).padEnd(13)}${name.padEnd(10)}${cells.join('')}${told}${mark}`,
    );
  }
}
