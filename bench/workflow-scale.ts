/**
 * That nothing grows with the number: a run of many elements ends with its memory flat; many ended runs
 * slow neither starts nor lists by more than a tenth, measured by the processor compared with an organization
 * with few; runs that wait cost almost no memory. Exit code 1 where one of these does not hold.
 *
 * npm run bench -- workflow-scale [--elements 100000] [--runs 100000] [--waiting 10000] [--only loop|runs|waiting]
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { ENGINE_FLAGS } from '../server/runtime.ts';
import { ownRedis } from '../test/servers/redis-server.ts';
import { cpuSeconds } from './cpu.ts';
import { generateLoad, type Load } from './load.ts';
import { residentBytes } from './memory.ts';
import { tellHolds } from './report.ts';
import { beside, type Ours, startOurs } from './workflows/ours.ts';

const MIB = 1024 * 1024;
/** Milliseconds between two looks. */
const LOOK_MS = 500;
/** MiB that collections of garbage may leave more at one time of a loop than at another. */
const FLAT_MIB = 16;
/** MiB that the process may hold more at the second run of a loop than at the first. */
const AGAIN_MIB = 64;
/** How the engine tells the MiB that a collection left. */
const COLLECTED = /Mark-Compact[^>]*-> ([\d.]+) \(/;
/** Bytes of memory that 10,000 waiting runs may cost. */
const WAITING = { runs: 10_000, bytes: 50 * MIB };
/** How much more the processor may have to do where there are many runs. */
const SLOWER = 1.1;
/** Pairs of measurements, of so many seconds each side. */
const PAIRS = 5;
const PAIR_S = 2;
/** Seconds of starts between two looks at how many there are. */
const FILL_S = 10;
/** Lists that find something, and that find nothing. */
const LISTS = ['status=succeeded', 'status=failed', 'version=9.9.9', 'trigger=event', 'key=none'];

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
process.env.MINIFLARE_WORKERD_V8_FLAGS = `${ENGINE_FLAGS} --trace-gc`;
/** MiB that collections of garbage left, one after the other. */
const left: number[] = [];
const ours = await startOurs(redis.url, (line) => {
  const mib = COLLECTED.exec(line)?.[1];
  if (mib !== undefined) left.push(Number(mib));
});
try {
  if (isAsked('waiting')) await wait(Number(values.waiting));
  if (isAsked('loop')) await loop(Number(values.elements));
  if (isAsked('runs')) await ended(Number(values.runs));
} finally {
  await ours.stop();
  await redis.stop();
}

/**
 * What is left after each collection of garbage is what a run keeps: it does not grow with the elements that
 * are done. What the process holds besides, a second run of as many takes again.
 */
async function loop(elements: number): Promise<void> {
  await looped(Math.ceil(elements / 10));
  const before = await settled();
  left.length = 0;
  const first = await looped(elements);
  const second = await looped(elements);
  const [least, most] = [Math.min(...left), Math.max(...left)];
  const above = ({ peak }: Looped) => ((peak - before) / MIB).toFixed(0);
  tellHolds(
    `a loop of ${elements} elements ended with the sum of its elements, ${first.each.toFixed(2)} and ${second.each.toFixed(2)} ms for each`,
    first.isRight && second.isRight,
  );
  tellHolds(
    `${left.length} collections left from ${least} to ${most} MiB, of ${FLAT_MIB} more allowed (none is told with few elements)`,
    left.length > 0 && most - least <= FLAT_MIB,
  );
  tellHolds(
    `the process held at most ${above(first)} MiB more than before, and in a second run ${above(second)}, of ${AGAIN_MIB} more allowed`,
    second.peak - first.peak <= AGAIN_MIB * MIB,
  );
}

interface Looped {
  /** Whether it came to what the elements come to. */
  readonly isRight: boolean;
  /** Bytes of memory at most. */
  readonly peak: number;
  /** Milliseconds of an element. */
  readonly each: number;
}

async function looped(elements: number): Promise<Looped> {
  const items = Array.from({ length: elements }, (_, at) => at);
  const started = performance.now();
  const { run_id: run } = await ours.call('POST', '/workflows/many', { items });
  const path = `/workflows/many/executions/${String(run)}`;
  let peak = 0;
  let status: string | undefined;
  while (status === undefined || status === 'running' || status === 'waiting') {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    peak = Math.max(peak, await memory(ours));
    const entries = await newest();
    status = entries.find(({ run_id: id }) => id === run)?.status;
  }
  const each = (performance.now() - started) / elements;
  const { output } = await ours.call('GET', path);
  const expected = { sum: (elements * (elements + 1)) / 2, count: elements };
  return { isRight: status === 'succeeded' && isDeepStrictEqual(output, expected), peak, each };
}

async function newest(): Promise<{ readonly run_id: string; readonly status: string }[]> {
  const { executions } = await ours.call('GET', '/workflows/many/executions?limit=1');
  return executions as { run_id: string; status: string }[]; // As the operation says.
}

/** Twice as many: what the first ones cost may lie in memory that was free, what the second cost does not. */
async function wait(count: number): Promise<void> {
  await ours.startMany('pure', count);
  const grown: number[] = [];
  let rate = 0;
  for (const _ of ['first', 'second']) {
    const before = await settled();
    const started = performance.now();
    await ours.startMany('waiting', count);
    rate = (count / (performance.now() - started)) * 1000;
    grown.push((await settled()) - before);
  }
  const allowed = (WAITING.bytes * count) / WAITING.runs;
  const sizes = grown.map((bytes) => (bytes / MIB).toFixed(1)).join(', then as many again ');
  tellHolds(
    `${count} runs that wait cost ${sizes} MiB of memory, of ${(allowed / MIB).toFixed(1)} allowed; started at ${rate.toFixed(0)} a second`,
    grown.every((bytes) => bytes < allowed),
  );
}

/** Starts that wait for the end, and first pages of lists: with many runs, and for comparison with few. */
async function ended(count: number): Promise<void> {
  const few = await beside(ours, redis.url);
  const began = performance.now();
  for (let done = 0; done < count; ) {
    const { throughput } = await generateLoad({ ...start(ours), connections: 16, seconds: FILL_S });
    done += Math.round(throughput * FILL_S);
    console.log(`${done} of ${count} runs have ended`);
  }
  console.log(`after ${Math.round((performance.now() - began) / 1000)} s`);
  const lists = LISTS.map((query) => [`a list ${query}`, (on: Ours) => listOf(on, query)] as const);
  const loads = [['a start', start] as const, ...lists];
  for (const [what, load] of loads) {
    const costs: { readonly few: number; readonly many: number }[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      costs.push({ few: await cost(load(few)), many: await cost(load(ours)) });
    }
    // What else the machine does only adds: the least is what the request costs.
    const least = (side: 'few' | 'many') => Math.min(...costs.map((each) => each[side]));
    const ratio = least('many') / least('few');
    const pairs = costs.map((each) => (each.many / each.few).toFixed(2)).join(', ');
    tellHolds(
      `beside ${count} ended runs ${what} costs ${ratio.toFixed(2)} of what it costs beside few: ${(1000 * least('many')).toFixed(2)} ms of the processors (pair by pair ${pairs})`,
      ratio <= SLOWER,
    );
  }
}

function start({ port, headers }: Ours): Load {
  const path = '/api/v1/workflows/pure?synchronous=true';
  return { port, headers, path, body: '{"n":1}', connections: 4, seconds: PAIR_S };
}

function listOf({ port, headers }: Ours, query: string): Load {
  const path = `/api/v1/workflows/pure/executions?limit=100&${query}`;
  return { method: 'GET', port, headers, path, body: '', connections: 4, seconds: PAIR_S };
}

/** Seconds of the processors that a request takes. */
async function cost(load: Load): Promise<number> {
  const before = await cpuSeconds(ours.pid);
  const { throughput } = await generateLoad(load);
  return ((await cpuSeconds(ours.pid)) - before) / (throughput * load.seconds);
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
