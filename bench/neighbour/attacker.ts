/**
 * A process that keeps one expensive operation going for an organization, as fast as it is
 * answered and allowed: what is answered 429 waits as `Retry-After` says. `node
 * bench/neighbour/attacker.ts JSON` prints how it was answered as JSON.
 */
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from './operations.ts';
import { agent, send, type Tenant } from './tenants.ts';

/** What it is told. */
export interface Attack {
  readonly operation: string;
  readonly tenants: readonly Tenant[];
  readonly connections: number;
  /** In which replies count: it goes on for a second more, in which the neighbour's last reads are answered and it may be alone. */
  readonly seconds: number;
}

/** Replies by status; a connection that broke is `broken`. */
export type Statuses = Record<string, number>;

/** A client elsewhere costs this machine nothing. */
const NICE = 10;
const LONGER_MS = 1_000;

const attack = JSON.parse(process.argv[2] ?? '') as Attack;
const operation = operations.find(({ name }) => name === attack.operation);
if (!operation) throw new Error(`No operation ${attack.operation}`);
setPriority(NICE);

const statuses: Statuses = {};
let count = 0;
// Made before the time begins.
for (const tenant of attack.tenants) operation.call(tenant, 0);
process.stdout.write('ready\n');
const counted = performance.now() + attack.seconds * 1000;
const until = counted + LONGER_MS;
await Promise.all(
  attack.tenants.flatMap((tenant) =>
    Array.from({ length: attack.connections }, () => keep(tenant)),
  ),
);
process.stdout.write(`${JSON.stringify(statuses)}\n`);
process.exit(0);

async function keep(tenant: Tenant): Promise<void> {
  const over = agent();
  while (performance.now() < until) {
    count += 1;
    const call = operation?.call(tenant, count);
    if (!call) return;
    const { status, retryAfter = 0 } = await Promise.race([
      send(tenant, call, over).catch(() => ({ status: 'broken', retryAfter: undefined })),
      // What is still being answered at the end is not waited for.
      atTheEnd({ status: 'unanswered', retryAfter: undefined }),
    ]);
    if (performance.now() < counted || status === 'unanswered') {
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    if (status === 429) await Promise.race([sleep(retryAfter * 1000), atTheEnd(undefined)]);
  }
}

function atTheEnd<Value>(value: Value): Promise<Value> {
  return sleep(Math.max(0, until - performance.now()), value);
}
