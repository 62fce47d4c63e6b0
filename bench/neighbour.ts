/**
 * A neighbour of those who do the most that is allowed: an organization reads steadily from Redis,
 * alone, and then beside one and two organizations that make one expensive operation as fast as it
 * is answered. Each line tells what the neighbour saw, how long the thread that serves everybody
 * was held at most, and how the operation was answered.
 *
 * node scripts/run.mjs bench/neighbour.ts [--only TEXT] [--seconds 3] [--connections 8]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { startBackend } from '../scripts/backends.ts';
import { startGateway } from './gateway.ts';
import type { Attack, Statuses } from './neighbour/attacker.ts';
import type { Operation } from './neighbour/operation.ts';
import { operations } from './neighbour/operations.ts';
import { type Seen, watch } from './neighbour/steady.ts';
import { agent, type Call, demand, found, type Tenant } from './neighbour/tenants.ts';

const ATTACKER = join(import.meta.dirname, 'neighbour/attacker.ts');
/** What a neighbour may see: times his p50 alone, and milliseconds. */
const [RATIO_MAX, P99_MAX_MS] = [5, 100];
const ALONE_SECONDS = 1.5;
/** Between two measurements, for what the one before left behind. */
const REST_MS = 500;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
  },
});
const seconds = Number(values.seconds);
const chosen = operations.filter(({ name }) => name.includes(values.only));

const READ: Call = {
  method: 'POST',
  path: '/api/v1/endpoints/measured/read',
  body: JSON.stringify({ type: 'get', key: 'a' }),
};

const [postgres, redis] = await Promise.all([startBackend('postgres'), startBackend('redis')]);
const gateway = await startGateway(postgres.url);
try {
  const neighbour = await found(gateway.port, 'neighbour', { kind: 'redis', url: redis.url });
  const attackers = await Promise.all(
    ['one', 'two'].map((id) => found(gateway.port, id, { kind: 'postgres', url: postgres.url })),
  );
  await watch(neighbour, READ, ALONE_SECONDS);
  console.log(
    `${'operation'.padEnd(40)} by  p50 ms (alone)  ratio  p99 ms (alone)  held ms   answered, a second`,
  );
  let isOver = false;
  for (const operation of chosen) {
    await setUp(operation, attackers);
    for (const count of [1, 2]) {
      const line = await measure(operation, neighbour, attackers.slice(0, count));
      console.log(line.text);
      isOver ||= line.isOver;
    }
  }
  console.log(
    isOver
      ? `Marked with ! is what is over ${RATIO_MAX} times p50 alone, or p99 over ${P99_MAX_MS} ms.`
      : `None over ${RATIO_MAX} times p50 alone, none with p99 over ${P99_MAX_MS} ms.`,
  );
  process.exitCode = isOver ? 1 : 0;
} finally {
  await gateway.stop();
  await Promise.all([postgres.stop(), redis.stop()]);
}

async function setUp(operation: Operation, tenants: readonly Tenant[]): Promise<void> {
  const over = agent();
  for (const tenant of tenants) await operation.setUp?.(tenant, over);
  over.destroy();
}

async function measure(operation: Operation, neighbour: Tenant, tenants: readonly Tenant[]) {
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const alone = await watch(neighbour, READ, ALONE_SECONDS);
  const { beside, statuses } = await attacked(neighbour, {
    operation: operation.name,
    tenants,
    connections: Number(values.connections),
    seconds: seconds + 1,
  });
  await recovered(neighbour);
  const ratio = beside.reads.p50 / alone.reads.p50;
  const isOver = ratio > RATIO_MAX || beside.reads.p99 > P99_MAX_MS || beside.reads.failed > 0;
  const figures = [
    beside.reads.p50.toFixed(1).padStart(6),
    `(${alone.reads.p50.toFixed(1)})`.padStart(8),
    ratio.toFixed(1).padStart(6),
    beside.reads.p99.toFixed(0).padStart(7),
    `(${alone.reads.p99.toFixed(0)})`.padStart(8),
    beside.probes.longest.toFixed(0).padStart(8),
  ].join(' ');
  const name = `${isOver ? '!' : ' '} ${operation.name}`.padEnd(40);
  return { isOver, text: `${name} ${tenants.length}  ${figures}   ${told(beside, statuses)}` };
}

/** What the neighbour sees while the attack goes on. */
async function attacked(neighbour: Tenant, attack: Attack) {
  const child = spawn(process.execPath, [ATTACKER, JSON.stringify(attack)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    if ((await lines.next()).value !== 'ready') throw new Error('The attacker did not begin');
    const beside = await watch(neighbour, READ, seconds);
    const statuses = JSON.parse(String((await lines.next()).value)) as Statuses;
    return { beside, statuses };
  } finally {
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
  }
}

/** Waits until the neighbour is answered again. */
async function recovered(neighbour: Tenant): Promise<void> {
  const over = agent();
  await demand(neighbour, READ, over);
  over.destroy();
}

function told({ reads }: Seen, statuses: Statuses): string {
  const all = Object.entries(statuses).map(
    ([status, count]) => `${status}: ${(count / (seconds + 1)).toFixed(1)}`,
  );
  if (reads.failed > 0) all.push(`the neighbour's that failed: ${reads.failed}`);
  return all.join(', ');
}
