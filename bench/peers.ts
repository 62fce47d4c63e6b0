/**
 * What people would pick instead, beside the gateway: the same row of PostgreSQL by Directus's REST API with a token and by
 * PostGraphile without one, compared with the gateway, and a key of Redis by webdis: same run, interleaved, medians, as
 * ratios of requests a second. They are installed by this, once, into the folder of downloads; what cannot be had is said.
 *
 * npm run bench -- peers [--rounds 5] [--seconds 2] [--only Directus,PostGraphile,webdis]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Failure } from '../server/failure.ts';
import { startPostgres } from '../server/postgres-server.ts';
import { onRedis, ownRedis } from '../test/servers/redis-server.ts';
import { startGateway } from './gateway.ts';
import { KINDS } from './kinds.ts';
import { generateLoad, type Measured } from './load.ts';
import { startDirectus } from './peers/directus.ts';
import type { Peer } from './peers/peer.ts';
import { startPostgraphile } from './peers/postgraphile.ts';
import { median, tell } from './report.ts';
import { startWebdis } from './webdis.ts';

const CONNECTIONS = [1, 16, 64];
const KEY = 'measured';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: 'Directus,PostGraphile,webdis' },
  },
});
const seconds = Number(values.seconds);
const asked = new Set(values.only.split(','));

console.log('connections  peer          gateway/s     peer/s  ratio  gateway p50 ms  peer p50 ms');
if (asked.has('Directus') || asked.has('PostGraphile')) await besidePostgres();
if (asked.has('webdis')) await besideRedis();

async function besidePostgres(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-peers-'));
  const database = await startPostgres({ folder: join(folder, 'data'), password: 'bench' });
  const running: Pick<Peer, 'stop'>[] = [];
  try {
    await KINDS.postgres.fill(database.url);
    const starts: readonly Start[] = [
      ['Directus', async () => startDirectus(await ownDatabase(database.url))],
      ['PostGraphile', () => startPostgraphile(database.url)],
    ];
    const peers = await started(starts);
    running.push(...peers);
    if (peers.length === 0) return;
    const { path, headers, port, stop } = await startGateway(database.url);
    running.push({ stop });
    const body = JSON.stringify(KINDS.postgres.small);
    await compareAll({ port, path, headers, body }, peers);
  } finally {
    await Promise.all(running.map((each) => each.stop()));
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Directus makes tables of its own, which the others need not see. */
async function ownDatabase(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('CREATE DATABASE directus');
  await client.end();
  return KINDS.postgres.fill(url.replace(/\/postgres$/, '/directus'));
}

async function besideRedis(): Promise<void> {
  const redis = await ownRedis({ modules: false });
  const running: Pick<Peer, 'stop'>[] = [];
  try {
    await onRedis(redis.url, ['SET', KEY, 'x'.repeat(100)]);
    const webdis = async (): Promise<Peer> => {
      const { port, stop } = await startWebdis(redis.port);
      const request = { port, path: '/', headers: {}, body: `GET/${KEY}` };
      return { name: 'webdis', request, stop };
    };
    const peers = await started([['webdis', webdis]]);
    running.push(...peers);
    if (peers.length === 0) return;
    const { path, headers, port, stop } = await startGateway(redis.url, { kind: 'redis' });
    running.push({ stop });
    const body = JSON.stringify({ type: 'get', key: KEY });
    await compareAll({ port, path, headers, body }, peers);
  } finally {
    await Promise.all(running.map((each) => each.stop()));
    await redis.stop();
  }
}

type Start = readonly [name: string, start: () => Promise<Peer>];

/** Those that are asked for and can be had; says of the others why not, and ends with exit code 1. */
async function started(starts: readonly Start[]): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const [name, start] of starts.filter(([each]) => asked.has(each))) {
    try {
      peers.push(await start());
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      console.error(`${name} could not be had here: ${thrown.message}`);
      process.exitCode = 1;
    }
  }
  return peers;
}

type Side = Peer['request'];

async function compareAll(gateway: Side, peers: readonly Peer[]): Promise<void> {
  for (const connections of CONNECTIONS) {
    const measure = (side: Side) => generateLoad({ ...side, connections, seconds });
    for (const side of [gateway, ...peers.map(({ request }) => request)]) await measure(side);
    const ours: Measured[] = [];
    const theirs = peers.map((): Measured[] => []);
    for (let round = 0; round < Number(values.rounds); round += 1) {
      ours.push(await measure(gateway));
      for (const [at, { request }] of peers.entries()) theirs[at]?.push(await measure(request));
    }
    for (const [at, { name }] of peers.entries()) show(connections, name, ours, theirs[at] ?? []);
  }
}

function show(
  connections: number,
  name: string,
  ours: readonly Measured[],
  theirs: readonly Measured[],
): void {
  const ratios = ours.map((each, round) => each.throughput / (theirs[round]?.throughput ?? NaN));
  tell(`${connections} connections: gateway to ${name}, requests a second`, ratios);
  const middle = (of: readonly Measured[], figure: 'throughput' | 'p50', digits: number) =>
    median(of.map((each) => each[figure])).toFixed(digits);
  console.log(
    [
      String(connections).padStart(11),
      name.padEnd(12),
      middle(ours, 'throughput', 0).padStart(10),
      middle(theirs, 'throughput', 0).padStart(9),
      median(ratios).toFixed(2).padStart(5),
      middle(ours, 'p50', 2).padStart(14),
      middle(theirs, 'p50', 2).padStart(11),
    ].join('  '),
  );
}
