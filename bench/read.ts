/**
 * A steady read through worker and relay, compared with a bare worker that forwards to a bare Node
 * server doing the same driver call: same run, interleaved, medians of five rounds, as a ratio.
 * CPU is of all processes but the load generator, the database's too, which is the same for both:
 * on a machine that does other things as well it wobbles less than what is there in a second.
 * `by key` is the same read with an API key in the place of a login's token, as a ratio to that.
 *
 * npm run bench -- read [--rounds 5] [--seconds 2]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../server/postgres-server.ts';
import { startBaseline } from './baseline.ts';
import { cpuSeconds } from './cpu.ts';
import { type MeasuredGateway, startGateway } from './gateway.ts';
import { generateLoad, type Load, type Measured } from './load.ts';
import { tell } from './report.ts';

const CONNECTIONS = [1, 16, 64];
const BODY = JSON.stringify({
  query: 'select id, name, price, created_at from products where id = $1',
  params: [42],
});
const TABLE = `create table products as
  select id, 'product ' || id as name, (id * 1.25)::numeric(10, 2) as price,
         timestamptz '2026-01-01' + id * interval '1 hour' as created_at
  from generate_series(1, 1000) id; alter table products add primary key (id)`;

/** What is promised: of the bare pair's throughput; added p50 at one connection; p99 at 64 to the bare pair's. */
const [RATIO_MIN, ADDED_MAX_MS, P99_MAX] = [0.75, 0.3, 2];

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
      'connections  baseline/s  gateway/s  ratio  p50 ms  added p50  p99 ms  (baseline p99)  CPU us  (baseline)  by key/s  ratio',
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

/** What one side has done in one round. */
interface Round extends Measured {
  /** Microseconds for a request. */
  readonly cpu: number;
}

async function compare(
  connections: number,
  barePort: number,
  { keyHeaders, ...gateway }: MeasuredGateway,
): Promise<string> {
  const common = { body: BODY, connections, seconds: Number(values.seconds) };
  const bare = () => measure({ ...common, port: barePort, path: '/', headers: {} });
  const ours = () => measure({ ...common, ...gateway });
  const byKey = () => measure({ ...common, ...gateway, headers: keyHeaders });
  await Promise.all([bare(), ours(), byKey()]);
  const rounds: Rounds = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    rounds.push({ bare: await bare(), ours: await ours(), byKey: await byKey() });
  }
  report(connections, rounds);
  return line(connections, rounds);
}

function report(connections: number, rounds: Rounds): void {
  const what = (of: string) => `${connections} connections: ${of}`;
  const of = (each: (round: Rounds[number]) => number) => rounds.map(each);
  const isOne = connections === 1;
  const ofBaseline = of(({ bare, ours }) => ours.throughput / bare.throughput);
  tell(what('gateway to bare pair, requests a second'), ofBaseline, { atLeast: RATIO_MIN });
  const added = of(({ bare, ours }) => ours.p50 - bare.p50);
  tell(what('added p50'), added, { unit: 'ms', ...(isOne && { atMost: ADDED_MAX_MS }) });
  const p99 = of(({ bare, ours }) => ours.p99 / bare.p99);
  tell(what('p99 to that of the bare pair'), p99, connections === 64 ? { atMost: P99_MAX } : {});
  tell(
    what('by key to by token, requests a second'),
    of(({ ours, byKey }) => byKey.throughput / ours.throughput),
  );
}

async function measure(load: Load): Promise<Round> {
  const before = await cpuOfOthers();
  const measured = await generateLoad(load);
  const used = (await cpuOfOthers()) - before;
  return { ...measured, cpu: (used / measured.replies) * 1_000_000 };
}

/** Seconds of all that this process has started. */
async function cpuOfOthers(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (await cpuSeconds(process.pid)) - (user + system) / 1_000_000;
}

type Rounds = { bare: Round; ours: Round; byKey: Round }[];

function line(connections: number, rounds: Rounds): string {
  const cell = (width: number, digits: number, of: (round: Rounds[number]) => number) => {
    const sorted = rounds.map(of).sort((one, other) => one - other);
    return (sorted[Math.floor(rounds.length / 2)] ?? Number.NaN).toFixed(digits).padStart(width);
  };
  return [
    String(connections).padStart(11),
    cell(10, 0, ({ bare }) => bare.throughput),
    cell(9, 0, ({ ours }) => ours.throughput),
    cell(5, 2, ({ bare, ours }) => ours.throughput / bare.throughput),
    cell(6, 2, ({ ours }) => ours.p50),
    cell(9, 2, ({ bare, ours }) => ours.p50 - bare.p50),
    cell(6, 2, ({ ours }) => ours.p99),
    cell(14, 2, ({ bare }) => bare.p99),
    cell(6, 0, ({ ours }) => ours.cpu),
    cell(10, 0, ({ bare }) => bare.cpu),
    cell(8, 0, ({ byKey }) => byKey.throughput),
    cell(5, 2, ({ ours, byKey }) => byKey.throughput / ours.throughput),
  ].join('  ');
}
