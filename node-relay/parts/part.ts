/**
 * Entry point of a part: a process that holds the pools of some organizations, under a supervisor.
 * It is loaded first and told later what it is, so that one can wait to stand in for another.
 */
import { rmSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { GatewayError } from '../../proto/errors.ts';
import { type Config, readConfig } from '../config.ts';
import { drivers, loadDrivers, onLoading } from '../drivers/index.ts';
import { watchKeysFile } from '../keys-file.ts';
import { serverFor } from '../listen.ts';
import { createLog, describeFault, exitAfterLines, type Log } from '../log.ts';
import { MemoryGuard } from '../memory-guard.ts';
import { makeRelay, type UnboundRelay } from '../server.ts';
import { startTracing } from '../tracing.ts';
import { programVersion } from '../version.ts';
import { OWN_PORT, STARTED_MS } from './environment.ts';
import { FORWARDED } from './forward.ts';
import { BEAT_MS } from './health.ts';
import { InFlight } from './in-flight.ts';
import type { Assignment, Figures, FromPart, Places, ToPart } from './messages.ts';
import { keyOf, socketOf } from './places.ts';
import { refuseStranger } from './refusal.ts';

/** Milliseconds after which drivers that no call asked for are loaded. Spec silent. */
const LOAD_AFTER_MS = 2_000;

/**
 * The engine counts bytes outside of its heap, which servers' replies are, with the heap: by itself it collects all
 * garbage for each 64 MB of them. Engines that do not know it say so and go on. docs/decisions/0024
 */
setFlagsFromString('--external-memory-accounted-in-global-limit');

const config = readConfig(process.argv.slice(2), process.env);
if (config === undefined) process.exit(0);
const log = createLog(config);
const awaited = new Map<number, (figures: Figures) => void>();
let questions = 0;
let places: Places = { shared: [], own: {} };

dieLoudly(log);
obeyNobodyElse();
await main(config);

async function main(config: Config): Promise<void> {
  const ownPort = Number(process.env[OWN_PORT]);
  const part = {
    startedMs: Number(process.env[STARTED_MS]),
    inFlight: new InFlight({
      busy: (key) => tell({ type: 'busy', key }),
      idle: (keys) => tell({ type: 'idle', keys }),
    }),
    figures: askFigures,
  };
  const version = programVersion();
  const tracing = await startTracing(config, version);
  const options = { drivers, log, version, part, tracing };
  const relay = await makeRelay(config, options, () => ownPort);
  process.on('message', (message) => obey(relay, message as ToPart)); // Of the supervisor alone.
  watchKeysFile(process.env, () => useKeys(relay));
  onLoading((isLoading) => tell({ type: 'loading', isLoading }));
  tell({ type: 'loaded', node: relay.nodeId });
  setInterval(() => beat(relay), BEAT_MS);
  const guard = new MemoryGuard({
    memoryBytes: config.partMemoryBytes,
    shed: () => relay.shed(),
  });
  setInterval(() => guard.look(performance.now()), BEAT_MS).unref();
  // Not at once: the program that started the relay needs the processor, too.
  setTimeout(() => void loadDrivers(), LOAD_AFTER_MS).unref();
}

/** A file that cannot be used changes nothing: it may be half written. */
function useKeys(relay: UnboundRelay): void {
  try {
    const changed = readConfig(process.argv.slice(2), process.env);
    if (changed === undefined) return;
    relay.use(changed).then(() => log.info('keys changed'), fatal(log));
  } catch (cause) {
    const why = cause instanceof GatewayError ? cause.message : 'it cannot be read';
    log.warn({ why }, 'the changed keys are not used');
  }
}

function obey(relay: UnboundRelay, message: ToPart): void {
  if (message.type === 'assign') {
    places = message.places;
    serve(relay, message.assignment);
  } else if (message.type === 'places') {
    places = message.places;
  } else if (message.type === 'figures') {
    awaited.get(message.id)?.(message.figures);
    awaited.delete(message.id);
  } else if (message.type === 'metrics') {
    const { id } = message;
    relay.metrics.values().then((metrics) => tell({ type: 'metrics', id, metrics }), fatal(log));
  } else if (message.type === 'heard') {
    relay.follow(message.clockOffsetMs, message.gatewayKeys);
  } else {
    relay.drain().then(() => exitAfterLines(log, 0), fatal(log));
  }
}

/**
 * Serves the keys that are this part's, and says about others that they are served elsewhere: passed on
 * through this process, their calls would fail when it dies.
 */
function serve(relay: UnboundRelay, { name, socket }: Assignment): void {
  log.setBindings({ part: name });
  const server = serverFor({ tls: undefined }, (request, response) => {
    const key = keyOf(request);
    const at = key === undefined ? socket : (socketOf(places, key) ?? socket);
    if (at === socket || request.headers[FORWARDED] !== undefined) relay.handle(request, response);
    else refuseStranger(request, response);
  });
  // Of the process that was this part before.
  rmSync(socket, { force: true });
  server.listen(socket, () => {
    tell({ type: 'listening' });
    beat(relay);
  });
}

function beat(relay: UnboundRelay): void {
  const { user, system } = process.threadCpuUsage();
  tell({
    type: 'beat',
    figures: relay.figures(),
    cpuMs: (user + system) / 1000,
    // On Linux the supervisor sees it by itself.
    residentBytes: process.platform === 'linux' ? 0 : process.memoryUsage.rss(),
  });
}

function askFigures(): Promise<Figures> {
  questions += 1;
  const id = questions;
  const { promise, resolve } = Promise.withResolvers<Figures>();
  awaited.set(id, resolve);
  tell({ type: 'figures', id });
  return promise;
}

function tell(message: FromPart): void {
  if (process.connected) process.send?.(message);
}

/** A signal to the group is for the supervisor, which says when to stop; without it there is nothing to do here. */
function obeyNobodyElse(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(1));
}

/** The runtime would print the error with its text, which may hold a connection URL. */
function dieLoudly(to: Log): void {
  process.on('uncaughtException', fatal(to)).on('unhandledRejection', fatal(to));
}

function fatal(to: Log): (cause: unknown) => void {
  return (cause) => {
    to.fatal({ fault: describeFault(cause) }, 'relay part failed');
    exitAfterLines(to, 1);
  };
}
