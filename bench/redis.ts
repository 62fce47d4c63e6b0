/**
 * GET through worker and relay, compared with webdis in front of the same Redis: same load, same run,
 * interleaved, medians. Then 50 GETs at once: the gateway takes them as one request of 50
 * commands; webdis, which knows no such request, as 50 requests that go out in one write on one
 * connection (it leaves Nagle's algorithm on, so that such replies wait for acknowledgements on
 * few connections). CPU is of all processes of a side, Redis' own left out. Then the driver alone compared with ioredis with auto-pipelining, in this process.
 *
 * npm run bench -- redis [--rounds 5] [--seconds 2]
 */
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import type { RedisServer } from '../node-relay/drivers/redis/link.ts';
import { openServer } from '../node-relay/drivers/redis/server.ts';
import { testHost } from '../node-relay/drivers/test/host.ts';
import { onRedis, ownRedis } from '../test/servers/redis-server.ts';
import { cpuSeconds } from './cpu.ts';
import { startGateway } from './gateway.ts';
import { generateLoad, type Load } from './load.ts';
import { tell } from './report.ts';
import { startWebdis } from './webdis.ts';

const CONNECTIONS = [1, 16, 64];
const BATCH = 50;
/** Callers of the driver at the same time. */
const CALLERS = 64;
const BATCH_CALLERS = 8;
const KEY = 'measured';
const VALUE = 'x'.repeat(100);

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);

/** What one side has done in one round. */
interface Round {
  /** Commands a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Seconds of its processes for a million commands. */
  readonly cpu: number;
}

/** Something that can be measured once. */
type Side = () => Promise<Round>;

const redis = await ownRedis({ modules: false });
try {
  await onRedis(redis.url, ['SET', KEY, VALUE]);
  await overHttp();
  await alone();
} finally {
  await redis.stop();
}

async function overHttp(): Promise<void> {
  const [webdis, gateway] = await Promise.all([
    startWebdis(redis.port),
    startGateway(redis.url, { kind: 'redis' }),
  ]);
  try {
    const get = { type: 'get', key: KEY };
    const { path, headers, port } = gateway;
    const asked = { path: '/', headers: {}, port: webdis.port, body: `GET/${KEY}`, seconds };
    const ours = { path, headers, port, seconds };
    const pipeline = Array.from({ length: BATCH }, () => get);
    for (const connections of CONNECTIONS) {
      await compare(
        `GET, ${connections} connections`,
        ['webdis', overLoad({ ...asked, connections }, webdis.pid, 1)],
        ['gateway', overLoad({ ...ours, connections, body: JSON.stringify(get) }, gateway.pid, 1)],
      );
    }
    for (const connections of CONNECTIONS) {
      const body = JSON.stringify({ pipeline });
      await compare(
        `${BATCH} GETs at once, ${connections} connections`,
        ['webdis', overLoad({ ...asked, connections, batch: BATCH }, webdis.pid, BATCH)],
        ['gateway', overLoad({ ...ours, connections, body }, gateway.pid, BATCH)],
      );
    }
  } finally {
    await Promise.all([webdis.stop(), gateway.stop()]);
  }
}

function overLoad(load: Load, pid: number, commands: number): Side {
  return async () => {
    const before = await cpuSeconds(pid);
    const { throughput, p50, p99, replies } = await generateLoad(load);
    const used = (await cpuSeconds(pid)) - before;
    const rate = throughput * commands;
    return { rate, p50, p99, cpu: (used / (replies * commands)) * 1_000_000 };
  };
}

async function alone(): Promise<void> {
  const server = await openServer({ connection: { url: redis.url }, settings: {} }, testHost());
  const client = new Redis(redis.port, '127.0.0.1', { enableAutoPipelining: true });
  try {
    await compare(
      `driver alone, GET of ${CALLERS} callers`,
      ['ioredis', inProcess(CALLERS, 1, () => client.getBuffer(KEY))],
      ['driver', inProcess(CALLERS, 1, () => sendGets(server, 1))],
    );
    await compare(
      `driver alone, ${BATCH} GETs at once of ${BATCH_CALLERS} callers`,
      ['ioredis', inProcess(BATCH_CALLERS, BATCH, () => pipelineOf(client))],
      ['driver', inProcess(BATCH_CALLERS, BATCH, () => sendGets(server, BATCH))],
    );
  } finally {
    client.disconnect();
    await server.close();
  }
}

function sendGets(server: RedisServer, count: number): Promise<unknown> {
  const commands = Array.from({ length: count }, () => ({ type: 'get', args: [KEY] }));
  const { signal } = new AbortController();
  return server.send(commands, { mode: 'read', signal, replyMaxBytes: 10_485_760 });
}

function pipelineOf(client: Redis): Promise<unknown> {
  const pipeline = client.pipeline();
  for (let at = 0; at < BATCH; at += 1) pipeline.getBuffer(KEY);
  return pipeline.exec();
}

function inProcess(callers: number, commands: number, call: () => Promise<unknown>): Side {
  return async () => {
    const latencies: number[] = [];
    const until = performance.now() + seconds * 1000;
    const before = process.cpuUsage();
    const keepAsking = async () => {
      while (performance.now() < until) {
        const start = performance.now();
        await call();
        latencies.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: callers }, keepAsking));
    const { user, system } = process.cpuUsage(before);
    const total = latencies.length * commands;
    latencies.sort((one, other) => one - other);
    const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
    return { rate: total / seconds, p50: at(0.5), p99: at(0.99), cpu: (user + system) / total };
  };
}

/** Prints both sides, and the second as a ratio of the first, which is the baseline. */
async function compare(
  what: string,
  [baseName, base]: readonly [string, Side],
  [ownName, own]: readonly [string, Side],
): Promise<void> {
  await base();
  await own();
  const measured: { base: Round; own: Round }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push({ base: await base(), own: await own() });
  }
  const middle = (of: (round: { base: Round; own: Round }) => number) =>
    measured.map(of).sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? Number.NaN;
  console.log(`\n${what}`);
  console.log('            commands/s     p50 ms     p99 ms  CPU s/million');
  const line = (name: string, of: (round: { base: Round; own: Round }) => Round) =>
    console.log(
      [
        name.padEnd(10),
        middle((round) => of(round).rate)
          .toFixed(0)
          .padStart(12),
        middle((round) => of(round).p50)
          .toFixed(2)
          .padStart(11),
        middle((round) => of(round).p99)
          .toFixed(2)
          .padStart(11),
        middle((round) => of(round).cpu)
          .toFixed(1)
          .padStart(15),
      ].join(''),
    );
  line(baseName, (round) => round.base);
  line(ownName, (round) => round.own);
  const name = `${what}: ${ownName} to ${baseName}`;
  tell(
    `${name}, commands a second`,
    measured.map(({ own, base }) => own.rate / base.rate),
  );
  tell(
    `${name}, processor time`,
    measured
      // Linux counts in hundredths of a second: one that used less has used none.
      .filter(({ base }) => base.cpu > 0)
      .map(({ own, base }) => own.cpu / base.cpu),
  );
  const rate = middle((round) => round.own.rate / round.base.rate).toFixed(2);
  const cpu = middle((round) => round.own.cpu / round.base.cpu).toFixed(2);
  console.log(`ratio to ${baseName}: commands/s ${rate}, CPU ${cpu}`);
}
