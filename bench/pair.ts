/** The worker and the one without guards, side by side in one runtime on one database. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { type BuiltWorker, buildWorker } from '../server/bundle.ts';
import { applyMigrations } from '../server/migrations.ts';
import { freePort } from '../server/ports.ts';
import { listeningPort, type Running } from './baseline.ts';
import { buildGuarded, buildUnguarded } from './builds.ts';
import { makeOrganization } from './gateway.ts';

type LocalD1 = Awaited<ReturnType<Miniflare['getD1Database']>>;

/** Both, with an organization, a token of its SuperAdmin and the endpoint `measured`. */
export interface Pair extends Pick<Running, 'stop'> {
  readonly guardedPort: number;
  readonly unguardedPort: number;
  readonly token: string;
  readonly database: LocalD1;
}

/** High enough that requests are counted but never refused. */
const LIMIT = 1_000_000_000;

/** Starts both with a relay that answers at once. */
export async function startPair(): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
  // One after the other: each ends the builder when it is done.
  const { options } = await buildWorker(join(folder, 'cache'));
  const guarded = await buildGuarded();
  const unguarded = await buildUnguarded();
  const relay = spawn(process.execPath, [join(import.meta.dirname, 'fixed-relay.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const relayPort = await listeningPort(relay);
  const [guardedPort, unguardedPort, bindings] = await Promise.all([
    freePort('127.0.0.1'),
    freePort('127.0.0.1'),
    newBindings(),
  ]);
  const common = { options, bindings, relayPort };
  const edge = new Miniflare(
    runtimeOptions(join(folder, 'state'), [
      { ...common, name: 'guarded', code: guarded, port: guardedPort },
      { ...common, name: 'unguarded', code: unguarded, port: unguardedPort },
    ]),
  );
  const stop = async () => {
    await edge.dispose();
    relay.kill();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await edge.ready;
    const database = await edge.getD1Database('DB', 'guarded');
    await applyMigrations(database);
    const token = await makeOrganization(guardedPort, 'postgresql://u:p@db.invalid:5432/d');
    return { guardedPort, unguardedPort, token, database, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** Settings with new keys. */
export async function newBindings(): Promise<Record<string, string>> {
  const [gateway, node] = await Promise.all([
    generateKeyPair('EdDSA', { extractable: true }),
    generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true }),
  ]);
  return {
    JWT_SECRET: randomBytes(32).toString('base64url'),
    INSTALLATION_KEY: randomBytes(32).toString('base64url'),
    GATEWAY_KEY: JSON.stringify(await exportJWK(gateway.privateKey)),
    RELAY_NODE_PUBLIC_KEY: JSON.stringify(await exportJWK(node.publicKey)),
    RELAY_URL: 'http://127.0.0.1:1',
    PEER: 'local',
  };
}

/** A worker with the port that it listens at, and the relay that it calls. */
export interface OneWorker extends Pick<BuiltWorker, 'code' | 'options'> {
  readonly name: string;
  readonly port: number;
  readonly relayPort: number;
  readonly bindings: Readonly<Record<string, string>>;
}

/** Options of a runtime of these workers, whose state stays in a folder. */
export function runtimeOptions(state: string, workers: readonly OneWorker[]) {
  const converted = convertV4MiniflareOptions({
    cf: false,
    telemetry: { enabled: false },
    logRequests: false,
    resourcePersistencePath: state,
    workers: workers.map(({ name, code, options: { workerOptions }, bindings, relayPort }) => ({
      ...workerOptions,
      name,
      modules: [{ type: 'ESModule' as const, path: 'index.js', contents: code }],
      bindings: { ...(workerOptions.bindings ?? {}), ...bindings },
      ratelimits: unreachable(workerOptions.ratelimits),
      serviceBindings: { RELAY: { external: { address: `127.0.0.1:${relayPort}`, http: {} } } },
    })),
  });
  for (const [index, { port }] of workers.entries()) {
    const worker = converted.workers[index];
    if (worker === undefined) throw new Error('Miniflare took no worker');
    worker.dev = { ...worker.dev, unsafeDirectSockets: [{ host: '127.0.0.1', port }] };
  }
  return converted;
}

function unreachable(limits: BuiltWorker['options']['workerOptions']['ratelimits']) {
  return Object.fromEntries(
    Object.entries(limits ?? {}).map(([name, limit]) => [
      name,
      { ...limit, simple: { ...limit.simple, limit: LIMIT } },
    ]),
  );
}
