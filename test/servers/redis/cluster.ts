/** Starts a cluster of servers, each master with an even share of the slots. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../server/failure.ts';
import { freePort } from '../../../server/ports.ts';
import { READY_MAX_MS } from '../../../server/server-process.ts';
import { onRedis, type RedisOptions, type RedisServer, startRedis } from '../redis-server.ts';

/** Servers that belong together. */
export interface RedisGroup {
  /** Masters first, then replicas. */
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

/** What a cluster is made of. */
interface ClusterOptions extends Omit<RedisOptions, 'folder'> {
  /** Default 3. */
  readonly masters?: number;
  /** Of each master; default none. */
  readonly replicas?: number;
}

const SLOTS = 16_384;
/** Search is not for a cluster of servers; the others are. */
const MODULES = ['redistimeseries', 'rejson', 'redisbloom'];

/**
 * Starts a cluster and waits until each node serves all slots.
 * @throws Failure as `startRedis`, and when the nodes do not find each other
 */
export async function startCluster(options: ClusterOptions = {}): Promise<RedisGroup> {
  const { masters = 3, replicas = 0, ...each } = options;
  const folder = await mkdtemp(join(tmpdir(), 'causeway-redis-cluster-'));
  const nodes: RedisServer[] = [];
  const buses: number[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (let at = 0; at < masters * (1 + replicas); at++) {
      const bus = await freePort('127.0.0.1');
      nodes.push(await startRedis(nodeOptions(join(folder, String(at)), bus, each)));
      buses.push(bus);
    }
    await meet(nodes, buses, masters);
    return { nodes, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

function nodeOptions(
  folder: string,
  bus: number,
  options: Omit<RedisOptions, 'folder'>,
): RedisOptions {
  return {
    modules: MODULES,
    ...options,
    folder,
    settings: {
      'cluster-enabled': 'yes',
      'cluster-port': bus,
      'cluster-node-timeout': 2_000,
      ...options.settings,
    },
  };
}

/** Gives the masters their slots, makes all meet, and the rest replicas. */
async function meet(
  nodes: readonly RedisServer[],
  buses: readonly number[],
  masters: number,
): Promise<void> {
  const share = (at: number) => Math.round((at * SLOTS) / masters);
  const [first] = nodes;
  if (first === undefined) return;
  for (const [at, { url, port }] of nodes.entries()) {
    const words = ['CLUSTER', 'MEET', '127.0.0.1', String(first.port), String(buses[0])];
    if (port !== first.port) await onRedis(url, words);
    const slots = [String(share(at)), String(share(at + 1) - 1)];
    if (at < masters) await onRedis(url, ['CLUSTER', 'ADDSLOTSRANGE', ...slots]);
  }
  await untilAll(nodes, `cluster_known_nodes:${nodes.length}\r`);
  for (const [at, { url }] of nodes.slice(masters).entries()) {
    const master = nodes[at % masters] ?? first;
    const [id] = await onRedis(master.url, ['CLUSTER', 'MYID']);
    await onRedis(url, ['CLUSTER', 'REPLICATE', String(id)]);
  }
  await untilAll(nodes, 'cluster_state:ok\r');
}

/** Waits until every node's own account of the cluster holds `text`. */
async function untilAll(nodes: readonly RedisServer[], text: string): Promise<void> {
  const until = Date.now() + READY_MAX_MS;
  for (const { url } of nodes) {
    while (!String((await onRedis(url, ['CLUSTER', 'INFO']))[0]).includes(text)) {
      if (Date.now() > until)
        throw new Failure(`The nodes of the cluster wait for ${text.trim()}.`);
      await sleep(20);
    }
  }
}
