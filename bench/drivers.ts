/**
 * Per kind of backend, a read through worker and relay compared with the bare driver in a Node server
 * behind a bare worker: same run, interleaved, medians, as a ratio at 1, 16 and 64 connections;
 * then results of about 10 MB, not compressed, in MB a second.
 *
 * npm run bench -- drivers [--kinds postgres,mysql] [--rounds 5] [--seconds 2]
 */
import { parseArgs } from 'node:util';
import { startBackend } from '../test/servers/backends.ts';
import { type Running, startBaseline } from './baseline.ts';
import { type MeasuredGateway, startGateway } from './gateway.ts';
import { isMeasured, KINDS, type MeasuredKind, type MeasuredName } from './kinds.ts';
import { generateLoad } from './load.ts';
import { median, tell } from './report.ts';

const CONNECTIONS = [1, 16, 64];
/** Large results of one round. */
const LARGE_READS = 5;

/** What is promised of the bare pair's: of small reads, and of large results. */
const [RATIO_MIN, LARGE_RATIO_MIN] = [0.75, 0.85];

const { values } = parseArgs({
  options: {
    kinds: { type: 'string', default: Object.keys(KINDS).join() },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);

/** One side of a comparison. */
type Side = Pick<MeasuredGateway, 'port' | 'path' | 'headers'>;

console.log('kind        what            bare driver    gateway  ratio');
for (const name of values.kinds.split(',')) {
  if (!isMeasured(name)) throw new Error(`No kind ${name}: ${Object.keys(KINDS).join(', ')}`);
  await measure(name);
}

async function measure(name: MeasuredName): Promise<void> {
  const kind: MeasuredKind = KINDS[name];
  const server = await startBackend(name);
  const running: Running[] = [];
  try {
    const url = await kind.fill(server.url);
    const bare = await startBaseline(url, name);
    running.push(bare);
    const gateway = await startGateway(url, { kind: name });
    running.push(gateway);
    await compare(name, kind, { port: bare.port, path: '/', headers: {} }, gateway);
  } finally {
    await Promise.all(running.map((each) => each.stop()));
    await server.stop();
  }
}

async function compare(
  name: string,
  kind: MeasuredKind,
  bare: Side,
  gateway: MeasuredGateway,
): Promise<void> {
  for (const connections of CONNECTIONS) {
    const body = JSON.stringify(kind.small);
    const ask = async ({ port, path, headers }: Side) => {
      const load = { port, path, headers, body, connections, seconds };
      return (await generateLoad(load)).throughput;
    };
    const what = `${name}, ${connections} connections: gateway to bare pair, requests a second`;
    const [one, other, ratio] = await alternating(ask, [bare, gateway], what, RATIO_MIN);
    const cells = [`${one.toFixed(0)}/s`.padStart(11), `${other.toFixed(0)}/s`.padStart(9), ratio];
    console.log(name.padEnd(10), `${connections} connections`.padEnd(15), ...cells);
  }
  const body = JSON.stringify(kind.large);
  const what = `${name}, large results: gateway to bare pair, MB a second`;
  const ask = (side: Side) => readLarge(side, body);
  const [one, other, ratio] = await alternating(ask, [bare, gateway], what, LARGE_RATIO_MIN);
  const cells = [`${one.toFixed(0)} MB/s`.padStart(11), `${other.toFixed(0)} MB/s`.padStart(9)];
  console.log(name.padEnd(10), 'large results'.padEnd(15), ...cells, ratio);
}

/** The median of each side over the rounds, and of their ratio; a round before warms both. */
async function alternating(
  ask: (side: Side) => Promise<number>,
  [bare, gateway]: readonly [Side, Side],
  what: string,
  atLeast: number,
): Promise<[bare: number, gateway: number, ratio: string]> {
  const found: [number, number][] = [];
  for (let round = 0; round <= rounds; round += 1)
    found.push([await ask(bare), await ask(gateway)]);
  const kept = found.slice(1);
  const ratios = kept.map(([one, other]) => other / one);
  tell(what, ratios, { atLeast });
  return [
    median(kept.map(([one]) => one)),
    median(kept.map(([, other]) => other)),
    median(ratios).toFixed(2).padStart(6),
  ];
}

/** Megabytes (10^6) a second, one result after another. */
async function readLarge({ port, path, headers }: Side, body: string): Promise<number> {
  const started = performance.now();
  let bytes = 0;
  for (let read = 0; read < LARGE_READS; read += 1) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      // The bare pair compresses nothing, and the gateway would for this client.
      headers: { ...headers, 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
      body,
    });
    if (!response.ok || response.body === null) throw new Error(await response.text());
    for await (const piece of response.body) bytes += piece.byteLength;
  }
  return bytes / 1000 / (performance.now() - started);
}
