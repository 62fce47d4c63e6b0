/**
 * What a steady read costs the edge runtime, step by step: bare workers that each do one thing more of what the gateway
 * must do, and last the gateway itself. Microseconds of the runtime's processor time for a request, medians of all
 * rounds, compared with the step before; `own` of the last line is the gateway's own code.
 *
 * npm run bench -- ladder [--rounds 5] [--seconds 2] [--connections 16]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../server/postgres-server.ts';
import { type Running, startBareServer, startBareWorker } from './baseline.ts';
import { programSeconds } from './cpu.ts';
import { startGateway } from './gateway.ts';
import { KINDS } from './kinds.ts';
import { STEPS } from './ladder/steps.ts';
import { generateLoad, type Load } from './load.ts';
import { tell } from './report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
  },
});
/** Microseconds that the gateway's own code may take in the runtime. */
const OWN_MAX_US = 30;
const BODY = JSON.stringify(KINDS.postgres.small);

/** One line of the ladder. */
interface Rung {
  readonly name: string;
  readonly load: Pick<Load, 'port' | 'path' | 'headers'>;
  readonly took: number[];
}

const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-ladder-'));
const database = await startPostgres({ folder: join(folder, 'data'), password: 'bench' });
const running: Running[] = [];
try {
  await KINDS.postgres.fill(database.url);
  const server = await startBareServer(database.url, 'postgres');
  running.push(server);
  const rungs: Rung[] = [];
  for (const { name, script } of STEPS) {
    const worker = await startBareWorker(server.port, script);
    running.push(worker);
    rungs.push({ name, load: { port: worker.port, path: '/', headers: {} }, took: [] });
  }
  const { port, path, headers, stop } = await startGateway(database.url);
  running.push({ port, stop });
  rungs.push({ name: 'the gateway', load: { port, path, headers }, took: [] });
  await measureAll(rungs);
  report(rungs);
} finally {
  for (const each of running.reverse()) await each.stop();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureAll(rungs: readonly Rung[]): Promise<void> {
  for (let round = -1; round < Number(values.rounds); round += 1) {
    for (const rung of rungs) {
      const took = await microseconds(rung);
      // The first round warms up.
      if (round >= 0) rung.took.push(took);
    }
  }
}

/** Of all runtimes, of which one alone has work. */
async function microseconds({ load }: Rung): Promise<number> {
  const seconds = Number(values.seconds);
  const before = await programSeconds(process.pid, 'workerd');
  const whole = { ...load, body: BODY, connections: Number(values.connections), seconds };
  const { replies } = await generateLoad(whole);
  const used = (await programSeconds(process.pid, 'workerd')) - before;
  return (used / replies) * 1_000_000;
}

function report(rungs: readonly Rung[]): void {
  console.log('step                                          us a request    more');
  let last: number | undefined;
  const [before, gateway] = rungs.slice(-2);
  const own = gateway?.took.map((took, round) => took - (before?.took[round] ?? 0)) ?? [];
  tell("the gateway's own code", own, { unit: 'us of the runtime', atMost: OWN_MAX_US });
  for (const { name, took } of rungs) {
    const middle = took.toSorted((one, other) => one - other)[Math.floor(took.length / 2)] ?? NaN;
    tell(name, took, { unit: 'us of the runtime' });
    const more = last === undefined ? '' : (middle - last).toFixed(0);
    const mark = name === 'the gateway' ? '  own' : '';
    console.log(`${name.padEnd(46)}${middle.toFixed(0).padStart(12)}${more.padStart(8)}${mark}`);
    last = middle;
  }
}
