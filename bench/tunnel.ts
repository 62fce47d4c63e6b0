/**
 * A steady read through a tunnel, compared with the same read by a relay that the gateway dials: the same
 * programs on one database, interleaved, medians of several rounds, as a ratio; and small reads while large
 * results travel in the same tunnel.
 *
 * npm run bench -- tunnel [--rounds 5] [--seconds 2]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../server/ports.ts';
import { startPostgres } from '../server/postgres-server.ts';
import { type Call, placeOn, type RelayNode, startRelayNode } from '../test/relay-node.ts';
import { type MeasuredGateway, startGateway } from './gateway.ts';
import { generateLoad, type Measured } from './load.ts';
import { tell } from './report.ts';

const CONNECTIONS = [1, 16, 64];
const SMALL = JSON.stringify({ query: 'select $1::int as n', params: [42] });
/** Read as a stream: its rows are not kept anywhere. */
const LARGE_MIB = 20;
const LARGE = JSON.stringify({
  query: `select repeat('x', 1000) as x from generate_series(1, ${LARGE_MIB * 1024})`,
  timeout_ms: 120_000,
});

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
const seconds = Number(values.seconds);

const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-pg-'));
const database = await startPostgres({ folder: join(folder, 'data'), password: 'bench' });
const nodes: RelayNode[] = [];
try {
  const gateway = await startGateway(database.url);
  try {
    const direct = await endpointOn(gateway, 'direct', await freePort('127.0.0.1'));
    const tunnel = await endpointOn(gateway, 'tunnelled');
    console.log(
      'connections  direct/s  tunnel/s  ratio  p50 direct  p50 tunnel  p99 direct  p99 tunnel',
    );
    for (const connections of CONNECTIONS) console.log(await compare(connections, direct, tunnel));
    await besideLarge(tunnel);
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await gateway.stop();
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

type Measurable = Pick<MeasuredGateway, 'port' | 'path' | 'headers'>;

/** An endpoint that a node of its own serves. @param port of one that the gateway dials */
async function endpointOn(
  gateway: MeasuredGateway,
  id: string,
  port?: number,
): Promise<Measurable> {
  const url = `http://127.0.0.1:${gateway.port}`;
  const call: Call = async (method, path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...gateway.headers, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { body: await response.json() };
  };
  const node = await startRelayNode({
    call,
    gateway: url,
    ...(port === undefined ? {} : { port }),
  });
  nodes.push(node);
  const config = { write_conn: { url: database.url } };
  await call('POST', '/endpoints', { endpoint: id, kind: 'postgres', config });
  await placeOn(call, id, node.uuid);
  return { port: gateway.port, headers: gateway.headers, path: `/api/v1/endpoints/${id}/read` };
}

interface Round {
  readonly direct: Measured;
  readonly tunnel: Measured;
}

async function compare(connections: number, direct: Measurable, tunnel: Measurable) {
  const measure = (of: Measurable) => generateLoad({ ...of, body: SMALL, connections, seconds });
  await measure(direct);
  await measure(tunnel);
  const rounds: Round[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    rounds.push({ direct: await measure(direct), tunnel: await measure(tunnel) });
  }
  tell(
    `${connections} connections: tunnel to direct, requests a second`,
    rounds.map((round) => round.tunnel.throughput / round.direct.throughput),
  );
  const cell = (width: number, digits: number, of: (round: Round) => number): string => {
    const sorted = rounds.map(of).sort((one, other) => one - other);
    return (sorted[Math.floor(rounds.length / 2)] ?? Number.NaN).toFixed(digits).padStart(width);
  };
  return [
    String(connections).padStart(11),
    cell(8, 0, (round) => round.direct.throughput),
    cell(8, 0, (round) => round.tunnel.throughput),
    cell(5, 2, (round) => round.tunnel.throughput / round.direct.throughput),
    cell(10, 2, (round) => round.direct.p50),
    cell(10, 2, (round) => round.tunnel.p50),
    cell(10, 2, (round) => round.direct.p99),
    cell(10, 2, (round) => round.tunnel.p99),
  ].join('  ');
}

/** Small reads, one after another, alone and while large results are read one after another. */
async function besideLarge(tunnel: Measurable): Promise<void> {
  const small = () =>
    generateLoad({ ...tunnel, body: SMALL, connections: 1, seconds: 3 * seconds });
  const alone = await small();
  let isOver = false;
  let bytes = 0;
  const large = (async () => {
    while (!isOver) bytes += await readLarge(tunnel);
  })();
  const started = performance.now();
  const beside = await small();
  isOver = true;
  await large;
  const rate = bytes / 1024 / 1024 / ((performance.now() - started) / 1000);
  tell('p99 of small reads beside large results', [beside.p99], { unit: 'ms' });
  console.log(`small reads alone: p50 ${alone.p50.toFixed(2)} ms, p99 ${alone.p99.toFixed(2)} ms`);
  console.log(
    `beside results of ${LARGE_MIB} MiB, ${rate.toFixed(0)} MiB/s: p50 ${beside.p50.toFixed(2)} ms, p99 ${beside.p99.toFixed(2)} ms`,
  );
}

async function readLarge({ port, path, headers }: Measurable): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/x-ndjson' },
    body: LARGE,
  });
  if (!response.ok || response.body === null) throw new Error(await response.text());
  let bytes = 0;
  for await (const piece of response.body) bytes += piece.byteLength;
  return bytes;
}
