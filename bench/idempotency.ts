/**
 * What an Idempotency-Key costs a write, against the same write without one: one after another
 * over one connection, the three sorts by turns in the same run, medians.
 *
 * npm run bench -- idempotency [--calls 500]
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startBackend } from '../test/servers/backends.ts';
import { startGateway } from './gateway.ts';
import { tell } from './report.ts';

const { values } = parseArgs({ options: { calls: { type: 'string', default: '500' } } });
const CALLS = Number(values.calls);
const KEPT = 'a key that was answered';

/** Headers of each sort; the first is the baseline. */
const SORTS: Readonly<Record<string, () => Record<string, string>>> = {
  'without a key': () => ({}),
  'a new key each': () => ({ 'Idempotency-Key': randomUUID() }),
  'a replay': () => ({ 'Idempotency-Key': btoa(KEPT) }),
};

const server = await startBackend('postgres');
const gateway = await startGateway(server.url);
try {
  await write({}, 'create table if not exists measured (at timestamptz)');
  const times = new Map(Object.keys(SORTS).map((sort) => [sort, [] as number[]]));
  for (let call = -20; call < CALLS; call += 1) {
    for (const [sort, headers] of Object.entries(SORTS)) {
      const took = await write(headers());
      if (call >= 0) times.get(sort)?.push(took);
    }
  }
  report(times);
} finally {
  await gateway.stop();
  await server.stop();
}

/** Milliseconds until the whole reply was there. */
async function write(
  headers: Record<string, string>,
  query = 'insert into measured values (now())',
): Promise<number> {
  const started = performance.now();
  const response = await fetch(
    `http://127.0.0.1:${gateway.port}${gateway.path.replace(/read$/, 'write')}`,
    {
      method: 'POST',
      headers: { ...gateway.headers, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    },
  );
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Not a 200: ${text}`);
  return performance.now() - started;
}

function report(times: ReadonlyMap<string, number[]>): void {
  console.log(`${CALLS} writes of each sort      p50 ms    p99 ms   p50 ratio`);
  const base = at(times.values().next().value ?? [], 0.5);
  for (const [sort, taken] of times) {
    const [p50, p99] = [at(taken, 0.5), at(taken, 0.99)];
    tell(`${sort}: p50 to that without a key`, [p50 / base]);
    const figures = [p50.toFixed(2), p99.toFixed(2), (p50 / base).toFixed(2)];
    console.log(sort.padEnd(26) + figures.map((each) => each.padStart(10)).join(''));
  }
}

function at(taken: readonly number[], share: number): number {
  const sorted = taken.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
