/** The worker in the real edge runtime on this machine, with a direct socket. */
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Miniflare, type ProxyClient } from 'miniflare';
import { sealOf } from '../worker/secrets/data-key-seal.ts';
import { type BuiltWorker, buildWorker } from './bundle.ts';
import { type EdgeOptions, miniflareOptions } from './edge-options.ts';
import { applyMigrations } from './migrations.ts';
import { changedKeysFile, drainedFile } from './own-ports.ts';
import { freePort } from './ports.ts';
import { listeningOf } from './role.ts';
import { runtimeEnvironment, withRuntime } from './runtime.ts';
import { type Clock, startTimer, type Timer } from './timer.ts';

/** Milliseconds that a stop holds requests at most; it takes far less. */
export const HOLD_MAX_MS = 5_000;

/** How often the worker is told what it must hear, until it does; and milliseconds in between. */
const HEARD_TRIES = 600;
const HEARD_AGAIN_MS = 50;

/** How many data keys there are, and how many of them wait to be sealed again. */
export interface SealedKeys {
  readonly left: number;
  readonly all: number;
}

/** The running worker. */
export interface Edge {
  /** What the worker has as `DB`. */
  database(): ReturnType<Miniflare['getD1Database']>;
  /** On which runtimes listen besides the port that was asked for. */
  readonly innerPorts: readonly number[];
  /** Tells the worker that it stops: what lasts ends, at once or after `drainMs`; replies wait for `holdMs` at most, 0 by default. */
  announceStop(drainMs: number, holdMs?: number): Promise<void>;
  /** Has the worker use these keys from now on. */
  changeKeys(keys: Readonly<Record<string, string>>): Promise<void>;
  /** Has data keys sealed under the installation's current key, as many as one round takes. */
  reseal(): Promise<void>;
  /** How many data keys are sealed under another key than this one. */
  sealedKeys(installationKey: string): Promise<SealedKeys>;
  /** Takes no more requests, and ends when those in flight have their replies, or after `drainMs`; at once by default. */
  dispose(drainMs?: number): Promise<void>;
}

/**
 * Builds the worker, applies migrations, listens, and from then on runs the worker's cron lines.
 * @throws what esbuild says when the worker does not build
 */
export async function startEdge(options: EdgeOptions, built?: BuiltWorker): Promise<Edge> {
  const { own, role } = options;
  const worker = built ?? (await buildWorker(options.cache));
  const listening = listeningOf(options, role);
  const environment = runtimeEnvironment(listening);
  let keys: Readonly<Record<string, string>> | undefined;
  const tellAgain = (): void => {
    // A new runtime has the keys that the first one began with.
    if (keys !== undefined) untilHeard(() => handOver(edge, own, keys ?? {}));
    if (role?.is !== 'serving') untilHeard(() => runLine(edge, 'started'));
  };
  const miniflare = miniflareOptions(options, worker, {
    environment,
    port: role === undefined ? 0 : await freePort('127.0.0.1'),
    onKept: () => void forgetRuntime(edge).then(tellAgain),
  });
  const { made: edge, runtime } = withRuntime(
    () => ourSignals(() => new Miniflare(miniflare)),
    listening.socket,
    tellAgain,
  );
  try {
    const inner = await edge.ready;
    const innerPort = Number(inner.port);
    const timer = role?.is === 'serving' ? undefined : await beginWork(edge, worker, options.clock);
    const idle = role && { host: '127.0.0.1', port: innerPort };
    return {
      innerPorts: [innerPort],
      database: () => edge.getD1Database('DB'),
      async changeKeys(changed) {
        if (own !== undefined) await writeFile(changedKeysFile(own), '');
        await handOver(edge, own, changed);
        keys = changed;
      },
      reseal: () => runLine(edge, 'reseal'),
      sealedKeys: async (key) => countSealed(await edge.getD1Database('DB'), await sealOf(key)),
      announceStop: (drainMs, holdMs = 0) =>
        runLine(edge, `stop ${holdMs} ${drainMs}`).catch(() => {}),
      dispose(drainMs = 0) {
        timer?.stop();
        const hold = () => runLine(edge, `stop ${HOLD_MAX_MS} ${drainMs}`);
        const release = async () => own && (await writeFile(drainedFile(own), ''));
        return runtime.stop(drainMs, { hold, release }, idle);
      },
    };
  } catch (thrown) {
    await edge.dispose().catch(() => {});
    throw thrown;
  }
}

/** Begins what one runtime does for the whole gateway. */
async function beginWork(
  edge: Miniflare,
  worker: BuiltWorker,
  clock: Clock | undefined,
): Promise<Timer> {
  await applyMigrations(await edge.getD1Database('DB'));
  const timer = startTimer(cronsOf(worker), (...due) => runLine(edge, ...due), clock);
  // Nobody waits for it; the hour looks again.
  untilHeard(() => runLine(edge, 'started'));
  return timer;
}

/** Miniflare takes them, and never fires. */
function cronsOf({ options }: BuiltWorker): string[] {
  const { cronTriggers } = options.workerOptions;
  return Array.isArray(cronTriggers) ? cronTriggers.map(String) : [];
}

/** Has Miniflare forget what it knows of a runtime that another one has replaced without its doing. */
async function forgetRuntime(edge: Miniflare): Promise<void> {
  // Left out of its types.
  const { _getProxyClient } = edge as unknown as { _getProxyClient(): Promise<ProxyClient> };
  (await _getProxyClient.call(edge)).poisonProxies();
}

/** Tells the worker what it must hear: until it answers, or for some time. Nobody waits for it. */
function untilHeard(tell: () => Promise<void>): void {
  const begin = async () => {
    for (let tries = 0; tries < HEARD_TRIES; tries += 1) {
      try {
        return await tell();
      } catch {
        await sleep(HEARD_AGAIN_MS);
      }
    }
  };
  void begin();
}

async function runLine(edge: Miniflare, cron: string, scheduledTime = Date.now()): Promise<void> {
  const worker = await edge.getWorker();
  const { outcome } = await worker.scheduled({ cron, scheduledTime: new Date(scheduledTime) });
  if (outcome !== 'ok') throw new Error(`The worker ended with ${outcome}`);
}

/** The worker's other ways in are open to its clients: a file that lies there while it is read is not. */
async function handOver(edge: Miniflare, own: string | undefined, keys: object): Promise<void> {
  if (own === undefined) throw new Error('The worker has no folder to read keys from');
  const file = join(dirname(own), 'keys.json');
  try {
    await writeFile(file, JSON.stringify(keys), { mode: 0o600 });
    await runLine(edge, 'keys');
  } finally {
    await rm(file, { force: true });
  }
}

async function countSealed(
  database: Awaited<ReturnType<Miniflare['getD1Database']>>,
  seal: string,
): Promise<SealedKeys> {
  const counted = await database
    .prepare(
      "SELECT count(*) AS every, count(CASE WHEN substr(sealed_data_key, 1, ?) <> ? THEN 1 END) AS remaining FROM organizations WHERE sealed_data_key <> ''",
    )
    .bind(seal.length, seal)
    .first<{ every: number; remaining: number }>();
  return { left: counted?.remaining ?? 0, all: counted?.every ?? 0 };
}

/** Miniflare catches signals and exits at once with a code of failure; stopping is the caller's. */
function ourSignals(make: () => Miniflare): Miniflare {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const ours = new Set(signals.flatMap((signal) => process.listeners(signal)));
  const made = make();
  for (const signal of signals) {
    for (const listener of process.listeners(signal)) {
      if (!ours.has(listener)) process.removeListener(signal, listener);
    }
  }
  return made;
}
