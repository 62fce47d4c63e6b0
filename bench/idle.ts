/**
 * What endpoints cost a relay that nobody uses: resident memory of its processes after 1,000 endpoints of PostgreSQL
 * were used once and their connections have ended, compared with the same relay before, when as many had been used and
 * released; then many endpoints of Redis, used once one after another: connections at most, and a minute later. Exit
 * code 1 where a promise does not hold.
 *
 * npm run bench -- idle [--endpoints 1000] [--many 10000]
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { exportJWK } from 'jose';
import { IDLE_MAX_MS } from '../node-relay/slots.ts';
import { callToken, clientOf, makeKeys, seal } from '../node-relay/test/relay.ts';
import { nodeUuid } from '../proto/node-id.ts';
import { startPostgres } from '../server/postgres-server.ts';
import { startRelayAlone } from '../test/relay-alone.ts';
import { ownRedis } from '../test/servers/redis-server.ts';
import { tell, tellHolds } from './report.ts';

const MIB = 1024 * 1024;
/** Bytes that 1,000 idle endpoints may cost. */
const MEMORY = { endpoints: 1_000, bytes: 50_000_000 };
/** Endpoints that are used at the same time. */
const AT_ONCE = 8;
/** Milliseconds beyond those after which idle connections end. */
const SLACK_MS = 8_000;
/** More than the relay has at a time, besides the server's own. */
const SERVER_CONNECTIONS_MAX = 1_100;

const { values } = parseArgs({
  options: {
    endpoints: { type: 'string', default: String(MEMORY.endpoints) },
    many: { type: 'string', default: '10000' },
  },
});

/** A request to an endpoint of a kind. */
interface Asked {
  readonly kind: string;
  readonly sealed: string;
  readonly request: Uint8Array;
}

const keys = await makeKeys();
const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-idle-'));
const postgres = await startPostgres({
  folder: join(folder, 'data'),
  password: 'bench',
  settings: { max_connections: SERVER_CONNECTIONS_MAX },
});
const redis = await ownRedis({ modules: false, settings: { maxclients: 20_000 } });
const relay = await startRelayAlone(
  {},
  {
    GATEWAY_KEY: JSON.stringify(await exportJWK(keys.gatewayPrivate)),
    RELAY_NODE_KEY: JSON.stringify(keys.nodePrivate),
  },
);
const url = `http://127.0.0.1:${relay.port}`;
const token = await callToken(keys, await nodeUuid(keys.nodePublic), { lifeS: 3600 });
const client = clientOf(url, token);
try {
  await idleMemory(Number(values.endpoints));
  await usedOnce(Number(values.many));
} finally {
  await relay.stop();
  await Promise.all([redis.stop(), postgres.stop()]);
  await rm(folder, { recursive: true, force: true });
}

async function idleMemory(count: number): Promise<void> {
  const asked = await askedOf('postgres', postgres.url, { query: 'select 1 as one' });
  // The same before, and released: code is compiled then, and heaps are as large as such work makes them.
  for (const endpoint of await useMany(asked, count)) {
    await client.release({ endpoint, keepRevision: 0n });
  }
  await sleep(SLACK_MS);
  const before = await figures();
  await useMany(asked, count);
  const used = await figures();
  console.log(
    `${count} endpoints of PostgreSQL, just used: ${used.connections} connections, ${mib(used.bytes - before.bytes)} MiB more than before`,
  );
  await sleep(IDLE_MAX_MS + SLACK_MS);
  const idle = await figures();
  const grown = idle.bytes - before.bytes;
  const most = (MEMORY.bytes * count) / MEMORY.endpoints;
  tell(`memory of ${count} idle endpoints`, [grown / MIB], { unit: 'MiB', atMost: most / MIB });
  tellHolds(
    `${count} idle endpoints cost ${mib(grown)} MiB, of which ${mib(idle.heap - before.heap)} MiB are of the heap`,
    grown < most,
  );
  tellHolds(`they hold ${idle.connections} connections`, idle.connections === 0);
}

/** In one go, which is more than as many in an hour. */
async function usedOnce(count: number): Promise<void> {
  const asked = await askedOf('redis', redis.url, { type: 'ping' });
  const began = performance.now();
  let most = 0;
  const watching = setInterval(() => {
    void figures().then(({ connections }) => {
      most = Math.max(most, connections);
    });
  }, 1_000);
  await useMany(asked, count);
  const seconds = (performance.now() - began) / 1000;
  await sleep(IDLE_MAX_MS + SLACK_MS);
  clearInterval(watching);
  const { connections } = await figures();
  tell(`connections at most, ${count} endpoints used in ${seconds.toFixed(0)} s`, [most], {
    unit: 'connections',
  });
  console.log(`${count} endpoints of Redis used once in ${seconds.toFixed(0)} s: ${most} at most`);
  tellHolds(`a minute later they hold ${connections} connections`, connections === 0);
}

/** Uses so many endpoints once; answers their ids. */
async function useMany(asked: Asked, count: number): Promise<string[]> {
  const endpoints = Array.from({ length: count }, () => randomUUID());
  const left = endpoints.values();
  const keepUsing = async () => {
    for (const endpoint of left) await use(asked, endpoint);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, keepUsing));
  return endpoints;
}

async function use({ kind, sealed, request }: Asked, endpoint: string): Promise<void> {
  const poolKey = `${endpoint}:1:read:production`;
  const target = { kind, endpoint, poolKey, mode: 'read', profile: 'production' };
  await client.run({ target: { ...target, sealedConnection: sealed }, request });
}

async function askedOf(kind: string, connection: string, request: object): Promise<Asked> {
  const type = kind === 'postgres' ? { type: 'query' } : {};
  const bytes = new TextEncoder().encode(JSON.stringify({ ...type, ...request }));
  return {
    kind,
    sealed: await seal(keys.nodePublic, { connection: { url: connection } }),
    request: bytes,
  };
}

/** Of all processes of the relay that take calls. */
async function figures(): Promise<{ connections: number; bytes: number; heap: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const of = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    connections: of('relay_backend_connections'),
    bytes: of('process_resident_memory_bytes'),
    heap: of('nodejs_heap_size_used_bytes'),
  };
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}
