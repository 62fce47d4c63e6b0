/**
 * That nothing grows with the number: a run of many elements ends with its memory flat; many ended runs
 * slow neither starts nor lists by more than a tenth, measured by the processor compared with an organization
 * with few; runs that wait cost almost no memory. Exit code 1 where one of these does not hold.
 *
 * npm run bench -- workflow-volume [--elements 100000] [--runs 100000] [--waiting 10000] [--only loop|runs|waiting]
 */
import { parseArgs } from 'node:util';
import { ownRedis } from '../test/servers/redis-server.ts';
import { cpuSeconds } from './cpu.ts';
import { generateLoad } from './load.ts';
import { residentBytes } from './memory.ts';
import { beside, type Ours, startOurs } from './workflows/ours.ts';

const MIB = 1024 * 1024;
/** Milliseconds between two looks. */
const LOOK_MS = 500;
/** Bytes that the memory may grow by from the second fifth of a loop to its end. */
const FLAT = 64 * MIB;
/** Bytes of memory that 10,000 waiting runs may cost. */
const WAITING = { runs: 10_000, bytes: 50 * MIB };
/** How much more the processor may have to do where there are many runs. */
const SLOWER = 1.1;
/** Pairs of measurements, of so many seconds each side. */
const PAIRS = 7;
const PAIR_S = 3;

const { values } = parseArgs({
  options: {
    elements: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '100000' },
    waiting: { type: 'string', default: '10000' },
    only: { type: 'string' },
  },
});
const isAsked = (part: string) => values.only === undefined || values.only === part;

const redis = await ownRedis({ modules: false });
const ours = await startOurs(redis.url);
try {
  if (isAsked('waiting')) await wait(Number(values.waiting));
  if (isAsked('loop')) await loop(Number(values.elements));
  if (isAsked('runs')) await ended(Number(values.runs));
} finally {
  await ours.stop();
  await redis.stop();
}

/** Tells whether a promise holds. */
function told(sentence: string, holds: boolean): void {
  console.log(`${holds ? 'holds' : 'DOES NOT HOLD'}: ${sentence}`);
  if (!holds) process.exitCode = 1;
}

/** One element after the other: the memory of each fifth shows whether it grows. */
async function loop(elements: number): Promise<void> {
  const items = Array.from({ length: elements }, (_, at) => at);
  const before = await memory(ours);
  const started = performance.now();
  const { run_id: run } = await ours.call('POST', '/workflows/many', { items });
  const seen: number[] = [];
  let status: unknown = 'running';
  while (status === 'running' || status === 'waiting') {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    seen.push(await memory(ours));
    ({ status } = await ours
      .call('GET', `/workflows/many/executions?limit=1`)
      .then(({ executions }) => (executions as { status: string }[])[0] ?? { status }));
  }
  const took = performance.now() - started;
  const fifths = [0.2, 0.4, 0.6, 0.8, 1].map(
    (share) => (seen[Math.ceil(seen.length * share) - 1] ?? before) - before,
  );
  const grown = (fifths[4] ?? 0) - (fifths[1] ?? 0);
  const sizes = fifths.map((bytes) => (bytes / MIB).toFixed(0)).join(', ');
  told(
    `a loop of ${elements} elements ended (${String(status)}, run ${String(run)}), ${(took / elements).toFixed(2)} ms for each; memory after each fifth, in MiB more than before: ${sizes}`,
    status === 'succeeded' && grown < FLAT,
  );
}

/** Compared with as many runs that end: what those leave in memory, waiting runs leave, too. */
async function wait(count: number): Promise<void> {
  await ours.startMany('pure', count);
  const grown: number[] = [];
  let rate = 0;
  for (const workflow of ['pure', 'waiting']) {
    const before = await settled();
    const started = performance.now();
    await ours.startMany(workflow, count);
    rate = (count / (performance.now() - started)) * 1000;
    grown.push((await settled()) - before);
  }
  const [ended = 0, waiting = 0] = grown;
  const added = waiting - Math.max(0, ended);
  told(
    `${count} runs that wait cost ${(added / MIB).toFixed(1)} MiB of memory: it grew by ${(waiting / MIB).toFixed(1)}, and by ${(ended / MIB).toFixed(1)} with as many that end; started at ${rate.toFixed(0)} a second`,
    added < (WAITING.bytes * count) / WAITING.runs,
  );
}

/** Starts that wait for the end, and first pages of lists: with many runs, and for comparison them with few. */
async function ended(count: number): Promise<void> {
  const few = await beside(ours, redis.url);
  const began = performance.now();
  for (let done = 0; done < count; ) {
    const { throughput } = await generateLoad({ ...start(ours), connections: 16, seconds: 10 });
    done += Math.round(throughput * 10);
    console.log(`${done} of ${count} runs have ended`);
  }
  console.log(`after ${Math.round((performance.now() - began) / 1000)} s`);
  for (const [what, load] of [
    ['a start', start],
    ['a list', list],
  ] as const) {
    const ratios: number[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const [one, other] = [await cost(load(few)), await cost(load(ours))];
      ratios.push(other / one);
    }
    const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(PAIRS / 2)] ?? Number.NaN;
    told(
      `beside ${count} ended runs ${what} costs ${ratio.toFixed(2)} of what it costs beside few (${ratios.map((each) => each.toFixed(2)).join(', ')})`,
      ratio <= SLOWER,
    );
  }
}

const start = ({ port, headers }: Ours) => ({
  ...{ port, headers, body: '{"n":1}', path: '/api/v1/workflows/pure?synchronous=true' },
});
const list = ({ port, headers }: Ours) => ({
  ...{ port, headers, body: '', method: 'GET' as const },
  path: '/api/v1/workflows/pure/executions?limit=100&status=succeeded',
});

/** Milliseconds of the processors that a request takes. */
async function cost(load: ReturnType<typeof start>): Promise<number> {
  const before = await cpuSeconds(ours.pid);
  const { throughput } = await generateLoad({ ...load, connections: 4, seconds: PAIR_S });
  return ((await cpuSeconds(ours.pid)) - before) / (throughput * PAIR_S);
}

/** The least that is seen for some seconds: what is free is given back late. */
async function settled(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 20; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    least = Math.min(least, await memory(ours));
  }
  return least;
}

function memory({ pid }: Ours): Promise<number> {
  return residentBytes(pid, 'workerd');
}
