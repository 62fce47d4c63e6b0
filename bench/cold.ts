/**
 * What a new isolate costs: size of the worker's bundle; processor time of the runtime until the worker has answered for the first
 * time, more than that of an empty worker; and the first read of an endpoint, all caches empty, compared with
 * the next reads of the same isolate. Each round starts a runtime on the same state; the relay answers at once. How many trips to
 * D1 the first request makes is counted by worker/access/cold.test.ts.
 *
 * npm run bench -- cold [--rounds 9]
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Miniflare } from 'miniflare';
import * as z from 'zod';
import { buildWorker } from '../server/bundle.ts';
import { applyMigrations } from '../server/migrations.ts';
import { freePort } from '../server/ports.ts';
import { listeningPort } from './baseline.ts';
import { programSeconds } from './cpu.ts';
import { makeOrganization } from './gateway.ts';
import { newBindings, type OneWorker, runtimeOptions } from './pair.ts';
import { median, tell } from './report.ts';

/** Milliseconds of processor time of a start, and of the first request. */
const [START_MAX_MS, FIRST_MAX_MS] = [100, 30];
/** Bytes that the platform takes, compressed. */
const BUNDLE_MAX = 10 * 1024 * 1024;
const EMPTY = `export default { fetch: () => new Response('{"status":"ok"}') };`;
/** What wrangler reads out of wrangler.toml. */
const Objects = z.record(z.string(), z.object({ className: z.string() }));
/** Reads after the first. */
const NEXT = 20;
const READ = JSON.stringify({
  query: 'select id, name from products where id = $1',
  params: [42],
});

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
const rounds = Number(values.rounds);

const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-cold-'));
const relay = spawn(process.execPath, [join(import.meta.dirname, 'fixed-relay.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const relayPort = await listeningPort(relay);
  const { code, options } = await buildWorker(join(folder, 'cache'));
  tellSize(code);
  const bindings = await newBindings();
  const port = await freePort('127.0.0.1');
  const worker: OneWorker = { name: 'cold', code, options, bindings, relayPort, port };
  const token = await prepare(worker);
  await measure(worker, token);
} finally {
  relay.kill();
  await rm(folder, { recursive: true, force: true });
}

function tellSize(code: string): void {
  const [plain, small] = [Buffer.byteLength(code), gzipSync(code).byteLength];
  const mib = (bytes: number) => bytes / 1024 / 1024;
  tell('bundle', [mib(plain)], { unit: 'MiB' });
  tell('bundle, gzip', [mib(small)], { unit: 'MiB', atMost: mib(BUNDLE_MAX) });
  console.log(`bundle: ${mib(plain).toFixed(2)} MiB, ${mib(small).toFixed(2)} MiB with gzip`);
}

/** Makes the organization and its endpoint; answers a token. */
async function prepare(worker: OneWorker): Promise<string> {
  const edge = new Miniflare(runtimeOptions(join(folder, 'state'), [worker]));
  try {
    await edge.ready;
    await applyMigrations(await edge.getD1Database('DB', worker.name));
    return await makeOrganization(worker.port, 'postgresql://u:p@db.invalid:5432/d');
  } finally {
    await edge.dispose();
  }
}

async function measure(worker: OneWorker, token: string): Promise<void> {
  const starts: number[] = [];
  const firsts: number[] = [];
  const nexts: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { startMs: emptyMs } = await started(
      { ...worker, code: emptyLike(worker) },
      join(folder, 'empty'),
    );
    const { startMs, reads } = await started(worker, join(folder, 'state'), token);
    starts.push(startMs - emptyMs);
    firsts.push(reads[0] ?? Number.NaN);
    nexts.push(median(reads.slice(1)));
  }
  tell('start of the worker, more than of an empty one', starts, {
    unit: 'ms of processor time',
    atMost: START_MAX_MS,
  });
  tell('first read of a new isolate', firsts, { unit: 'ms', atMost: FIRST_MAX_MS });
  tell('next reads of it', nexts, { unit: 'ms' });
  const text = (all: readonly number[]) =>
    `${median(all).toFixed(1)} ms (${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)})`;
  console.log(`start, processor time more than an empty worker's: ${text(starts)}`);
  console.log(`first read of a new isolate: ${text(firsts)}; next ones: ${text(nexts)}`);
}

/** The processor time until the first answer, and then how long reads take, one after another. */
async function started(worker: OneWorker, state: string, token?: string) {
  const url = `http://127.0.0.1:${worker.port}`;
  const edge = new Miniflare(runtimeOptions(state, [worker]));
  try {
    await edge.ready;
    const alive = await fetch(`${url}/healthz`);
    if (!alive.ok) throw new Error(`/healthz: ${alive.status}`);
    await alive.text();
    const startMs = (await programSeconds(process.pid, 'workerd')) * 1000;
    const reads: number[] = [];
    for (let read = 0; token !== undefined && read <= NEXT; read += 1) {
      reads.push(await readMs(url, token));
    }
    return { startMs, reads };
  } finally {
    await edge.dispose();
  }
}

async function readMs(url: string, token: string): Promise<number> {
  const began = performance.now();
  const reply = await fetch(`${url}/api/v1/endpoints/measured/read`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: READ,
  });
  const said = await reply.text();
  if (!reply.ok) throw new Error(said);
  return performance.now() - began;
}

/** A worker of the same bindings that does nothing. */
function emptyLike({ options }: OneWorker): string {
  const { durableObjects = {} } = options.workerOptions;
  const classes = Object.values(Objects.parse(durableObjects)).map((each) => each.className);
  const objects = [...new Set(classes)].map(
    (name) => `export class ${name} extends DurableObject {}`,
  );
  return `import { DurableObject } from 'cloudflare:workers';\n${objects.join('\n')}\n${EMPTY}`;
}
