/**
 * A neighbour of those who do the most that is allowed: an organization reads steadily from Redis,
 * alone once the thread is quiet, and then together with one and two organizations that make one expensive
 * operation as fast as it is answered. Each line reports what the neighbour saw, how long the thread
 * that serves everybody was held at most, and how the operation was answered. The first second, in
 * which connections are made and code is compiled, shows only in how long the thread was held.
 *
 * All limits are on as they are by default, and a client that is answered 429 waits as it says. Each
 * organization has one user with 8 connections: more users would be allowed no more than their
 * organization is, 10 times as much. Between two measurements their minute may have to pass.
 *
 * npm run bench -- neighbour [--only REGEX] [--count 1] [--seconds 3] [--connections 8]
 *
 * `--only` measures the operations whose names it matches, `--count` measures each so many times.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startBackend } from '../test/servers/backends.ts';
import { startGateway } from './gateway.ts';
import type { Attack, Statuses } from './neighbour/attacker.ts';
import { type Operation, post } from './neighbour/operation.ts';
import { operations } from './neighbour/operations.ts';
import { quiet, type Seen, watch } from './neighbour/steady.ts';
import { agent, type Call, demand, found, send, type Tenant } from './neighbour/tenants.ts';
import { tell } from './report.ts';

const ATTACKER = join(import.meta.dirname, 'neighbour/attacker.ts');
/** What a neighbour may see: times its own p50 when alone, and milliseconds. */
const [RATIO_MAX, P99_MAX_MS] = [5, 100];
const ALONE_SECONDS = 1.5;
const WARM_UP_SECONDS = 1;
/** Requests after which the next measurement waits for a minute of its own: its limit is 6,000. */
const SPENT = 600;
const MINUTE_MS = 60_000;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    count: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
  },
});
const seconds = Number(values.seconds);
const chosen = operations.filter(({ name }) => new RegExp(values.only).test(name));

const READ: Call = {
  method: 'POST',
  path: '/api/v1/endpoints/measured/read',
  body: JSON.stringify({ type: 'get', key: 'a' }),
};

/** A large body that takes no time. */
const LARGE = post('/json/flatten', JSON.stringify({ value: 'x'.repeat(256 * 1024) }));

const [postgres, redis] = await Promise.all([startBackend('postgres'), startBackend('redis')]);
const gateway = await startGateway(postgres.url, { rateLimits: 'on' });
try {
  const neighbour = await found(gateway.port, 'neighbour', { kind: 'redis', url: redis.url });
  const attackers = await Promise.all(
    ['one', 'two'].map((id) => found(gateway.port, id, { kind: 'postgres', url: postgres.url })),
  );
  await watch(neighbour, READ, { seconds: ALONE_SECONDS });
  console.log(
    `${'operation'.padEnd(40)} by  p50 ms (alone)  ratio  p99 ms (alone)  held ms   answered, a second`,
  );
  let isOver = false;
  for (const operation of chosen) {
    await setUp(operation, attackers);
    for (let round = 0; round < Number(values.count); round += 1) {
      for (const count of [1, 2]) {
        const line = await measure(operation, neighbour, attackers.slice(0, count));
        console.log(line.text);
        isOver ||= line.isOver;
      }
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
  const isQuiet = await quiet(neighbour);
  const alone = await watch(neighbour, READ, { seconds: ALONE_SECONDS });
  const { beside, statuses } = await attacked(neighbour, {
    operation: operation.name,
    tenants,
    connections: Number(values.connections),
    seconds: seconds + WARM_UP_SECONDS,
  });
  await recovered(neighbour);
  await admitted(tenants);
  if (operation.call(neighbour, 0).authorization !== '') await freshMinute(statuses);
  const ratio = beside.reads.p50 / alone.reads.p50;
  const isOver = ratio > RATIO_MAX || beside.reads.p99 > P99_MAX_MS || beside.reads.failed > 0;
  const what = `${operation.name}, by ${tenants.length}`;
  tell(`${what}: p50 to that alone`, [ratio], { atMost: RATIO_MAX });
  tell(`${what}: p99 of a neighbour`, [beside.reads.p99], { unit: 'ms', atMost: P99_MAX_MS });
  const figures = [
    beside.reads.p50.toFixed(1).padStart(6),
    `(${alone.reads.p50.toFixed(1)})`.padStart(8),
    ratio.toFixed(1).padStart(6),
    beside.reads.p99.toFixed(0).padStart(7),
    `(${alone.reads.p99.toFixed(0)})`.padStart(8),
    beside.probes.longest.toFixed(0).padStart(8),
  ].join(' ');
  const name = `${isOver ? '!' : ' '} ${operation.name}`.padEnd(40);
  return {
    isOver,
    text: `${name} ${tenants.length}  ${figures}   ${told(beside, statuses)}${isQuiet ? '' : ', not quiet before'}`,
  };
}

/** What the neighbour sees while the attack goes on. */
async function attacked(neighbour: Tenant, attack: Attack) {
  const child = spawn(process.execPath, [ATTACKER, JSON.stringify(attack)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    if ((await lines.next()).value !== 'ready') throw new Error('The attacker did not begin');
    const beside = await watch(neighbour, READ, {
      seconds: seconds + WARM_UP_SECONDS,
      warmUp: WARM_UP_SECONDS,
    });
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

/** Waits until the tenants' large bodies are taken again: until then some of those that broke off count as theirs. */
async function admitted(tenants: readonly Tenant[]): Promise<void> {
  const over = agent();
  const until = performance.now() + MINUTE_MS;
  for (const tenant of tenants) {
    while (performance.now() < until && (await send(tenant, LARGE, over)).status === 503);
  }
  over.destroy();
}

/** Lets the minute pass that limits count in, where much of it is spent. */
async function freshMinute(statuses: Statuses): Promise<void> {
  const sent = Object.values(statuses).reduce((sum, each) => sum + each, 0);
  if (sent > SPENT) await sleep(MINUTE_MS);
}

function told({ reads }: Seen, statuses: Statuses): string {
  const all = Object.entries(statuses).map(
    ([status, count]) => `${status}: ${(count / (seconds + WARM_UP_SECONDS)).toFixed(1)}`,
  );
  if (reads.failed > 0) all.push(`the neighbour's that failed: ${reads.failed}`);
  return all.join(', ');
}
