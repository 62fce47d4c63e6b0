/** What a runtime is given, and how Miniflare is told it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel } from 'miniflare';
import { type BuiltWorker, ROOT } from './bundle.ts';
import { logOf } from './log.ts';
import { backendNetwork } from './network.ts';
import { ownAddresses } from './own-ports.ts';
import type { RelayTls } from './relay-elsewhere.ts';
import { directSockets, listeningOf, optionsOf, type Role } from './role.ts';
import { type RuntimeSocket, STARTING_AGAIN } from './runtime.ts';
import type { Clock } from './timer.ts';

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

/** Of the runtime's process. */
interface ProcessOptions {
  readonly environment: Record<string, string>;
  /** Of the entry worker; one that stays, where the process is replaced without Miniflare's doing. */
  readonly port: number;
  /** Called when that happens. */
  onKept(): void;
}

/** What Miniflare is told. */
export function miniflareOptions(
  options: EdgeOptions,
  { code, options: read }: BuiltWorker,
  { environment, port, onKept }: ProcessOptions,
) {
  const { role } = options;
  const workerOptions = optionsOf(read.workerOptions, role);
  const converted = convertV4MiniflareOptions({
    // The entry worker, ten times as slow as a direct socket, answers only this process.
    host: '127.0.0.1',
    port,
    cf: false,
    telemetry: { enabled: false },
    logRequests: false,
    log: new Log(LogLevel.WARN),
    handleStructuredLogs({ level, message, timestamp }) {
      if (message === STARTING_AGAIN) onKept();
      const known = level === 'warn' || level === 'error' ? level : 'info';
      logOf('worker', known, message, { timestamp, runtime: role?.name });
    },
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
