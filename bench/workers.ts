/**
 * Several runtimes behind one port: requests a second of `npm start -- --workers N` for N = 1 and more, in the same run,
 * interleaved, of what one runtime does alone (a run of a template without a backend) and of a steady read. Then the same for
 * machines of more cores, by a model; and how soon a runtime that is killed answers again. The clients of a real machine are
 * elsewhere; here the load generator, relay and database share the cores, so that a second runtime cannot double anything.
 *
 * npm run bench -- workers [--rounds 3] [--seconds 1] [--most 2]
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres } from '../server/postgres-server.ts';
import { cpuSeconds, pidsOf, programSeconds } from './cpu.ts';
import { type MeasuredGateway, post, startGateway } from './gateway.ts';
import { generateLoad } from './load.ts';
import { median, tell } from './report.ts';

const CONNECTIONS = 16;
const RUNTIME = 'workerd';
const CORES = [2, 4, 8, 16];
/** Milliseconds in which a runtime that was killed answers again. */
const BACK_MAX_MS = 1_000;
const TEMPLATE = {
  name: 'Alone',
  transformationRules: [{ target: 'customer', source: 'customer.name', transformers: ['trim'] }],
};
/** What is measured, by its name. */
const WORK = {
  'run of a template': {
    path: '/api/v1/templates/alone',
    body: JSON.stringify({ customer: { name: ' Ada ' } }),
  },
  'steady read': {
    path: '/api/v1/endpoints/measured/read',
    body: JSON.stringify({ query: 'select $1::int as one', params: [1] }),
  },
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    most: { type: 'string', default: '2' },
  },
});
const counts = Array.from({ length: Number(values.most) }, (_, index) => index + 1);
const METRICS_TOKEN = randomUUID();
process.env.METRICS_TOKEN = METRICS_TOKEN;

/** One round of one gateway. */
interface Round {
  readonly throughput: number;
  readonly p99: number;
  /** Seconds of processor time of a request: of the runtimes, and of relay and database. */
  readonly runtime: number;
  readonly rest: number;
}

const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-pg-'));
const database = await startPostgres({ folder: join(folder, 'data'), password: 'bench' });
const gateways: MeasuredGateway[] = [];
try {
  for (const workers of counts) gateways.push(await startGateway(database.url, { workers }));
  for (const gateway of gateways) {
    await post(`http://127.0.0.1:${gateway.port}/api/v1/templates`, TEMPLATE, gateway.headers);
  }
  for (const name of Object.keys(WORK)) await compare(name as keyof typeof WORK); // Its own keys.
  const last = gateways.at(-1);
  if (last !== undefined && counts.length > 1) await showReturn(last);
} finally {
  await Promise.all(gateways.map(({ stop }) => stop()));
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function compare(name: keyof typeof WORK): Promise<void> {
  const rounds = gateways.map((): Round[] => []);
  await Promise.all(gateways.map((gateway) => measure(gateway, WORK[name])));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [index, gateway] of gateways.entries()) {
      rounds[index]?.push(await measure(gateway, WORK[name]));
    }
  }
  console.log(`\n${name}, ${CONNECTIONS} connections, ${availableParallelism()} cores`);
  console.log('runtimes  requests/s  to one  p99 ms  CPU us of runtimes  of the rest');
  const [one = []] = rounds;
  for (const [index, of] of rounds.entries()) {
    const ratios = of.map(({ throughput }, at) => throughput / (one[at]?.throughput ?? Number.NaN));
    if (index > 0) tell(`${name}: ${index + 1} runtimes to one, requests a second`, ratios);
    console.log(
      [
        String(index + 1).padStart(8),
        middle(of, ({ throughput }) => throughput)
          .toFixed(0)
          .padStart(10),
        median(ratios).toFixed(2).padStart(6),
        middle(of, ({ p99 }) => p99)
          .toFixed(1)
          .padStart(6),
        (middle(of, ({ runtime }) => runtime) * 1e6).toFixed(0).padStart(18),
        (middle(of, ({ rest }) => rest) * 1e6).toFixed(0).padStart(11),
      ].join('  '),
    );
  }
  showModel(
    middle(one, ({ runtime }) => runtime),
    middle(one, ({ rest }) => rest),
  );
}

function middle(rounds: readonly Round[], of: (round: Round) => number): number {
  return median(rounds.map(of));
}

async function measure(
  { port, headers, pid }: MeasuredGateway,
  { path, body }: (typeof WORK)[keyof typeof WORK],
): Promise<Round> {
  const before = await used(pid);
  const seconds = Number(values.seconds);
  const load = { port, path, headers, body, connections: CONNECTIONS, seconds };
  const { throughput, p99, replies } = await generateLoad(load);
  const after = await used(pid);
  const of = (name: keyof typeof before) => (after[name] - before[name]) / replies;
  return { throughput, p99, runtime: of('runtime'), rest: of('rest') };
}

/** Seconds so far: of a gateway's runtimes, and of its other processes and the database. */
async function used(gateway: number) {
  const [runtime, all, databases] = await Promise.all([
    programSeconds(gateway, RUNTIME),
    cpuSeconds(gateway),
    programSeconds(process.pid, 'postgres'),
  ]);
  return { runtime, rest: all - runtime + databases };
}

/**
 * A runtime has one core: N of them answer N times as much until the cores are used up, by runtimes and all else of a
 * request. With few connections less: the system deals them out by their addresses, so one runtime may have more.
 */
function showModel(runtime: number, rest: number): void {
  console.log('by a model, with clients elsewhere and one runtime per core, less one:');
  for (const cores of CORES) {
    const runtimes = Math.max(1, cores - 1);
    const rate = Math.min(runtimes / runtime, cores / (runtime + rest));
    console.log(
      `${String(cores).padStart(4)} cores  ${String(runtimes).padStart(2)} runtimes  ${rate.toFixed(0).padStart(7)} requests/s`,
    );
  }
}

/** Kills one that serves, and tells after how many milliseconds all that serve answer again. */
async function showReturn({ port, pid }: MeasuredGateway): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const [victim = 0] = await pidsOf(pid, RUNTIME, 'direct:0:Member');
    const killed = performance.now();
    process.kill(victim, 'SIGKILL');
    while ((await pidsOf(pid, RUNTIME, 'direct:0:Member')).includes(victim)) await sleep(1);
    while ((await answering(port)) < counts.length) await sleep(5);
    times.push(performance.now() - killed);
  }
  console.log(`\na runtime that is killed answers again after ${median(times).toFixed(0)} ms`);
  tell('a runtime that is killed answers again', times, { unit: 'ms', atMost: BACK_MAX_MS });
}

/** How many runtimes that serve tell their metrics. */
async function answering(port: number): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}`, Connection: 'close' },
  }).catch(() => undefined);
  const text = (await reply?.text()) ?? '';
  return text.match(/^gateway_started_time_seconds\{runtime="\d+"\}/gm)?.length ?? 0;
}
