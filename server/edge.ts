/** The worker in the real edge runtime on this machine, with a direct socket. */
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { sealOf } from '../worker/secrets/data-key-seal.ts';
import { type BuiltWorker, buildWorker, ROOT } from './bundle.ts';
import { log, logOf } from './log.ts';
import { applyMigrations } from './migrations.ts';
import { backendNetwork } from './network.ts';
import { drainedFile, ownAddresses } from './own-ports.ts';
import type { RelayTls } from './relay-elsewhere.ts';
import { directSockets, listeningOf, optionsOf, type Role } from './role.ts';
import { type RuntimeSocket, runtimeEnvironment, withRuntime } from './runtime.ts';
import { type Clock, startTimer, type Timer } from './timer.ts';

/** Milliseconds that a stop holds requests at most; it takes far less. */
export const HOLD_MAX_MS = 5_000;

/** How often the worker is told what it must hear, until it does; and milliseconds in between. */
const HEARD_TRIES = 60;
const HEARD_AGAIN_MS = 500;

/** Where the worker listens, and what it is given. */
export interface EdgeOptions extends RuntimeSocket {
  /** Folder of D1 and Durable Objects. */
  readonly state: string;
  /** Folder of what is made again when it is missing. */
  readonly cache: string;
  /** Where a file tells what is the gateway's own: server/own-ports.ts. */
  readonly own?: string;
  /** Settings and secrets. */
  readonly bindings: Readonly<Record<string, string>>;
  /** What the service binding RELAY reaches: a relay's `host:port`, or one elsewhere by TLS or without. */
  readonly relay: string | RelayTls;
  /** Path of the socket of the password hasher that the service binding PASSWORD_HASHER reaches. */
  readonly hasher: string;
  /** Path of the socket of the JSON worker that the service binding JSON_WORKER reaches; left out, the edge works on all bodies itself. */
  readonly jsonWorker?: string;
  /** Sockets of the relay's parts, which the bindings RELAY_PART_0, … reach. */
  readonly relayParts?: readonly string[];
  /** What its cron lines go by; the machine's by default. */
  readonly clock?: Clock;
  /** Of one of several runtimes that share the port. */
  readonly role?: Role;
}

/** How many data keys there are, and how many of them wait to be sealed anew. */
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
  const { made: edge, runtime } = withRuntime(
    () => ourSignals(() => new Miniflare(miniflareOptions(options, worker, environment))),
    listening.socket,
    () => {
      if (role !== undefined)
        log('warn', 'A runtime ended; starting it again.', { runtime: role.name });
      // A new runtime has the keys that the first one began with.
      if (keys !== undefined) untilHeard(() => handOver(edge, own, keys ?? {}));
      if (role?.is !== 'serving') untilHeard(() => runLine(edge, 'started'));
    },
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

/**
 * A relay elsewhere is resolved and verified again at each connection; its client certificate is
 * shown to what this binding alone reaches.
 */
function relayBinding(relay: string | RelayTls) {
  if (typeof relay === 'string') return { external: { address: relay, http: {} } };
  const { authorities, client } = relay;
  const keypair = client && { privateKey: client.key, certificateChain: client.certificate };
  return {
    network: {
      allow: ['public', 'private'],
      tlsOptions: { trustedCertificates: [...authorities], ...(keypair && { keypair }) },
    },
  };
}

function relayParts({ relayParts: sockets = [] }: EdgeOptions) {
  const bindings = sockets.map((socket, index) => [
    `RELAY_PART_${index}`,
    { external: { address: `unix:${socket}`, http: {} } },
  ]);
  return Object.fromEntries(bindings);
}

/** The worker's one compiled module, under the name by which its code imports it. */
const PARSER = 'libpg-query/wasm/libpg-query.wasm';

function parserFile(): string {
  return createRequire(import.meta.url).resolve(PARSER);
}

function miniflareOptions(
  options: EdgeOptions,
  { code, options: read }: BuiltWorker,
  environment: Record<string, string>,
) {
  const { role } = options;
  const workerOptions = optionsOf(read.workerOptions, role);
  const converted = convertV4MiniflareOptions({
    // The entry worker, ten times as slow as a direct socket, answers only this process.
    host: '127.0.0.1',
    port: 0,
    cf: false,
    telemetry: { enabled: false },
    logRequests: false,
    log: new Log(LogLevel.WARN),
    handleStructuredLogs: ({ level, message, timestamp }) =>
      logOf('worker', level === 'warn' || level === 'error' ? level : 'info', message, {
        timestamp,
        runtime: role?.name,
      }),
    ...(role?.is === 'serving' ? {} : { resourcePersistencePath: options.state }),
    unsafeRuntimeEnv: environment,
    workers: [
      {
        ...workerOptions,
        name: 'causeway',
        modules: [
          { type: 'ESModule', path: 'index.js', contents: code },
          { type: 'CompiledWasm', path: PARSER, contents: readFileSync(parserFile()) },
        ],
        bindings: { ...(workerOptions.bindings ?? {}), ...options.bindings },
        serviceBindings: {
          ...(workerOptions.serviceBindings ?? {}),
          // As a module it would be copied a hundred times before the runtime starts.
          RENDERER: { disk: { path: join(ROOT, 'vendor/scalar'), writable: false } },
          PASSWORD_HASHER: { external: { address: `unix:${options.hasher}`, http: {} } },
          ...(options.jsonWorker === undefined
            ? {}
            : { JSON_WORKER: { external: { address: `unix:${options.jsonWorker}`, http: {} } } }),
          RELAY: relayBinding(options.relay),
          ...relayParts(options),
          ...(options.own === undefined
            ? {}
            : { OWN: { disk: { path: dirname(options.own), writable: false } } }),
          NODE_NETWORK: backendNetwork(
            options.bindings.LOCAL_SERVER === 'true',
            options.own === undefined ? [] : ownAddresses(),
          ),
          NETWORK: backendNetwork(
            options.bindings.HTTP_ALLOW_PRIVATE === 'true',
            options.own === undefined ? [] : ownAddresses(),
          ),
        },
      },
    ],
  });
  const [worker] = converted.workers;
  if (worker === undefined) throw new Error('Miniflare took no worker');
  worker.dev = {
    ...worker.dev,
    unsafeDirectSockets: directSockets(listeningOf(options, role)),
  };
  return converted;
}
