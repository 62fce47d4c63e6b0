/** Around a whole test run: hands out the servers that its tests share, and ends them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWorker } from '../server/bundle.ts';
import { startGateway } from './gateway.ts';
import { startBackend } from './servers/backends.ts';
import { openTestRun } from './servers/shared-servers.ts';

/** As many parts as a relay has at least: these gateways serve the organizations of many tests. */
const PARTS = { RELAY_PARTS: '2' };

/** Answers what ends the run. */
export async function setup(): Promise<() => Promise<void>> {
  const run = await openTestRun({
    postgres: () => startBackend('postgres'),
    'postgres-15': () => startBackend('postgres-15'),
    'postgres-pgbouncer': () => startBackend('postgres-pgbouncer'),
    mysql: () => startBackend('mysql'),
    mongo: () => startBackend('mongo'),
    clickhouse: () => startBackend('clickhouse'),
    'clickhouse-18': () => startBackend('clickhouse-18'),
    cassandra: () => startBackend('cassandra'),
    redis: () => startBackend('redis'),
    'redis-7': () => startBackend('redis-7'),
    valkey: () => startBackend('valkey'),
    worker: builtWorker,
    'gateway-public': () => startGateway({ env: PARTS }),
    'gateway-private': () => startGateway({ env: { ...PARTS, HTTP_ALLOW_PRIVATE: 'true' } }),
  });
  return run.stop;
}

/** The worker, built once for all gateways of the run. */
async function builtWorker() {
  const cache = await mkdtemp(join(tmpdir(), 'causeway-worker-'));
  await buildWorker(cache);
  return { cache, stop: () => rm(cache, { recursive: true, force: true }) };
}
