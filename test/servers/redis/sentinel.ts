/** A master with a replica, and sentinels that watch over them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../server/failure.ts';
import { freePort } from '../../../server/ports.ts';
import { READY_MAX_MS, runServer, untilReady } from '../../../server/server-process.ts';
import { onRedis, type RedisOptions, type RedisServer, startRedis } from '../redis-server.ts';
import { redisProgram } from './programs.ts';

/** A watched master. */
export interface RedisSentinels {
  /** By this name the sentinels know the master. */
  readonly name: string;
  readonly master: RedisServer;
  readonly replica: RedisServer;
  readonly sentinels: readonly RedisServer[];
  stop(): Promise<void>;
}

/** What is watched, and by how many. */
interface SentinelOptions extends Omit<RedisOptions, 'folder'> {
  /** Default 1; more than half of them agree on a failover. */
  readonly sentinels?: number;
  /** Of the sentinels themselves. */
  readonly sentinelPassword?: string;
}

const NAME = 'mymaster';

/**
 * Starts the servers and waits until each sentinel knows master and replica.
 * @throws Failure as `startRedis`, and when they do not find each other
 */
export async function startSentinels(options: SentinelOptions = {}): Promise<RedisSentinels> {
  const { sentinels: count = 1, sentinelPassword, ...each } = options;
  const folder = await mkdtemp(join(tmpdir(), 'causeway-redis-sentinel-'));
  const running: RedisServer[] = [];
  const started = (server: RedisServer) => {
    running.push(server);
    return server;
  };
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const prompt = { 'repl-diskless-sync-delay': 0, ...each.settings };
    const master = started(
      await startRedis({ ...each, settings: prompt, folder: join(folder, 'master') }),
    );
    const settings = { ...prompt, replicaof: `127.0.0.1 ${master.port}` };
    const replica = started(
      await startRedis({ ...each, settings, folder: join(folder, 'replica') }),
    );
    await untilInSync(replica.url);
    const sentinels: RedisServer[] = [];
    for (let at = 0; at < count; at++) {
      const own = join(folder, `sentinel-${at}`);
      const server = await startSentinel(own, master.port, options);
      sentinels.push(started(server));
    }
    return { name: NAME, master, replica, sentinels, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** A replica that is still a stranger to its master is of no use to sentinels. */
async function untilInSync(url: string): Promise<void> {
  const until = Date.now() + READY_MAX_MS;
  const isInSync = async () =>
    String((await onRedis(url, ['INFO', 'replication']))[0]).includes('master_link_status:up');
  while (!(await isInSync())) {
    if (Date.now() > until) throw new Failure('The replica did not reach its master.');
    await sleep(20);
  }
}

async function startSentinel(
  folder: string,
  master: number,
  { product = 'redis-8', password, sentinels = 1, sentinelPassword }: SentinelOptions,
): Promise<RedisServer> {
  const program = await redisProgram(product);
  await mkdir(folder, { mode: 0o700 });
  const port = await freePort('127.0.0.1');
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir ${folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${master} ${Math.floor(sentinels / 2) + 1}`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 3000`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${NAME} ${password}`]),
    ...(sentinelPassword === undefined ? [] : [`requirepass ${sentinelPassword}`]),
  ];
  const file = join(folder, 'sentinel.conf');
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  const server = await runServer('sentinel', program.binary, [file, '--sentinel'], {
    environment: { PATH: process.env.PATH, LD_LIBRARY_PATH: program.libraries },
    cwd: folder,
  });
  const user = sentinelPassword === undefined ? '' : `default:${sentinelPassword}@`;
  const url = `redis://${user}127.0.0.1:${port}`;
  await untilReady('sentinel', server, () => knowsReplica(url));
  return { url, port, pid: server.pid, stop: server.stop };
}

async function knowsReplica(url: string): Promise<boolean> {
  const [replicas] = await onRedis(url, ['SENTINEL', 'REPLICAS', NAME]).catch(() => [null]);
  return Array.isArray(replicas) && replicas.length > 0;
}
