/**
 * A steady read through worker and relay, beside a bare worker that forwards to a bare Node
 * server doing the same driver call: same run, interleaved, medians of five rounds, as a ratio.
 *
 * node bench/read.ts [--rounds 5] [--seconds 2]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../scripts/postgres-server.ts';
import { startBaseline } from './baseline.ts';
import { startGateway } from './gateway.ts';
import { generateLoad, type Measured } from './load.ts';

const CONNECTIONS = [1, 16, 64];
const BODY = JSON.stringify({
  query: 'select id, name, price, created_at from products where id = $1',
  params: [42],
});
const TABLE = `create table products as
  select id, 'product ' || id as name, (id * 1.25)::numeric(10, 2) as price,
         timestamptz '2026-01-01' + id * interval '1 hour' as created_at
  from generate_series(1, 1000) id; alter table products add primary key (id)`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});

const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-pg-'));
const database = await startPostgres({ folder: join(folder, 'data'), password: 'bench' });
try {
  await fill(database.url);
  const [baseline, gateway] = await Promise.all([
    startBaseline(database.url),
    startGateway(database.url),
  ]);
  try {
    console.log(
      'connections  baseline/s  gateway/s  ratio  p50 ms  added p50  p99 ms  (baseline p99)',
    );
    for (const connections of CONNECTIONS) {
      console.log(await compare(connections, baseline.port, gateway));
    }
  } finally {
    await Promise.all([baseline.stop(), gateway.stop()]);
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function fill(url: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(TABLE);
  await client.end();
}

async function compare(
  connections: number,
  barePort: number,
  gateway: { port: number; path: string; headers: Readonly<Record<string, string>> },
): Promise<string> {
  const seconds = Number(values.seconds);
  const common = { body: BODY, connections, seconds };
  const bare = () => generateLoad({ ...common, port: barePort, path: '/', headers: {} });
  const ours = () => generateLoad({ ...common, ...gateway });
  await Promise.all([warm(bare), warm(ours)]);
  const rounds: { bare: Measured; ours: Measured }[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    rounds.push({ bare: await bare(), ours: await ours() });
  }
  return line(connections, rounds);
}

async function warm(load: () => Promise<Measured>): Promise<void> {
  await load();
}

function line(connections: number, rounds: { bare: Measured; ours: Measured }[]): string {
  const middle = (of: (round: { bare: Measured; ours: Measured }) => number) =>
    rounds.map(of).sort((one, other) => one - other)[Math.floor(rounds.length / 2)] ?? Number.NaN;
  const cells = [
    String(connections).padStart(11),
    middle((round) => round.bare.throughput)
      .toFixed(0)
      .padStart(10),
    middle((round) => round.ours.throughput)
      .toFixed(0)
      .padStart(9),
    middle((round) => round.ours.throughput / round.bare.throughput)
      .toFixed(2)
      .padStart(5),
    middle((round) => round.ours.p50)
      .toFixed(2)
      .padStart(6),
    middle((round) => round.ours.p50 - round.bare.p50)
      .toFixed(2)
      .padStart(9),
    middle((round) => round.ours.p99)
      .toFixed(2)
      .padStart(6),
    middle((round) => round.bare.p99)
      .toFixed(2)
      .padStart(14),
  ];
  return cells.join('  ');
}
