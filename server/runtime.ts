/** The process of the edge runtime: tied to this one, and stopped in order, which Miniflare does not do. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './bundle.ts';
import { SETPRIV } from './server-process.ts';

const PERL = '/usr/bin/perl';
const WRAPPER = join(ROOT, 'server/tethered-workerd.sh');
/** As Miniflare names the first worker's own sockets, by the entrypoint that they lead to. */
const socketOf = (entrypoint: string) => `direct:0:${entrypoint}`;
/** What server/kept-workerd.pl logs when the runtime that it runs has died, and another one starts. */
export const STARTING_AGAIN = 'A runtime ended; starting it again.';
/** Of all that this process starts, Miniflare's runtimes alone have it. */
const CONTROLLED = '--control-fd=3';

/** Milliseconds in which the runtime reads all requests that were on their way. */
const SETTLE_MS = 200;
/** Milliseconds in which a runtime that is not stuck hears that it stops. */
const HEARD_MAX_MS = 1_000;
/** Beyond the time that what is in flight has. */
const GRACE_MS = 1_500;

/**
 * How the runtime's engine compiles and collects, unless the operator says otherwise.
 * docs/decisions/0024-flags-of-the-engine.md.
 */
export const ENGINE_FLAGS = '--maglev --min-semi-space-size=8 --max-semi-space-size=8';

/** Where the runtime listens for clients. */
export interface RuntimeSocket {
  readonly host: string;
  readonly port: number;
}

/** How one of several runtimes is reached by the others. */
export interface InnerSocket {
  /** Of the worker. */
  readonly entrypoint: string;
  /** Of a Unix socket. */
  readonly path: string;
}

/** Where a runtime listens. */
export interface Listening {
  /** Left out where no client reaches it. */
  readonly socket?: RuntimeSocket;
  /** Of one of several, which then share the port of `socket`. */
  readonly inner?: InnerSocket;
}

/** A runtime that Miniflare runs. */
interface Runtime {
  /**
   * Takes no more connections, finishes the requests in flight, and ends; after `drainMs` whatever still runs.
   * @param idle where it alone listens, if others share its port
   */
  stop(drainMs: number, worker: StoppingWorker, idle?: RuntimeSocket): Promise<void>;
}

/** How a stop is announced to the worker. */
interface StoppingWorker {
  /** Requests and replies wait from now on. */
  hold(): Promise<unknown>;
  /** The runtime takes no more connections: they wait no longer. */
  release(): Promise<unknown>;
}

/**
 * What the runtime's process is to be given in its environment. On Linux it is tied to this process, even when that is
 * killed; elsewhere a killed gateway leaves its runtime behind. There it also gets its socket from a
 * wrapper that can close it while the last requests run, where Perl is installed; without, who
 * connects in that time is reset.
 */
export function runtimeEnvironment({ socket, inner }: Listening): Record<string, string> {
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= ENGINE_FLAGS;
  if (!existsSync(SETPRIV)) return {};
  if (process.env.MINIFLARE_WORKERD_PATH === undefined) {
    const ofMiniflare = createRequire(createRequire(import.meta.url).resolve('miniflare'));
    process.env.TETHERED_WORKERD = ofMiniflare('workerd').default;
    process.env.MINIFLARE_WORKERD_PATH = WRAPPER;
  }
  if (process.env.MINIFLARE_WORKERD_PATH !== WRAPPER || !existsSync(PERL)) return {};
  return {
    ...(socket && {
      WORKERD_HOST: socket.host,
      WORKERD_PORT: String(socket.port),
      WORKERD_SOCKET: socketOf('default'),
    }),
    ...(inner && {
      WORKERD_INNER_SOCKET: socketOf(inner.entrypoint),
      WORKERD_INNER_PATH: inner.path,
    }),
  };
}

/** Whether several runtimes can share a port: they need the wrapper, and so Linux with Perl. */
export function canSharePort(): boolean {
  const { MINIFLARE_WORKERD_PATH: path = WRAPPER } = process.env;
  return path === WRAPPER && existsSync(SETPRIV) && existsSync(PERL);
}

/**
 * Makes what runs a runtime, now and whenever that one has crashed.
 * @param onAgain is called when another one takes the place of one that has crashed
 */
export function withRuntime<Made extends { dispose(): Promise<void> }>(
  make: () => Made,
  socket: RuntimeSocket | undefined,
  onAgain: () => void,
): { made: Made; runtime: Runtime } {
  const children: ChildProcess[] = [];
  // This process may run others: what `make` starts, now or later, is told by where it is started from.
  const own = new AsyncLocalStorage<true>();
  const note = (message: unknown): void => {
    if (own.getStore() === undefined) return;
    const { process: child } = message as { process: ChildProcess }; // Node's documented message.
    children.push(child);
    // It is told before it has arguments.
    setImmediate(() => {
      const first = children.find(isRuntime);
      if (isRuntime(child) && child !== first) onAgain();
    });
  };
  subscribe('child_process', note);
  const made = own.run(true, make);
  let disposed: Promise<void> | undefined;
  const dispose = () => (disposed ??= made.dispose());
  const stop: Runtime['stop'] = async (drainMs, worker, idle = socket) => {
    unsubscribe('child_process', note);
    const child = children.findLast(isRuntime);
    if (child !== undefined && isRunning(child)) {
      // At once: Miniflare starts one again that ends otherwise.
      child.once('exit', dispose);
      if (drainMs > 0) await drain(child, { socket, idle, drainMs, worker });
      await end(child);
    }
    await dispose();
  };
  return { made, runtime: { stop } };
}

function isRuntime({ spawnargs }: ChildProcess): boolean {
  return spawnargs?.includes(CONTROLLED) ?? false;
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

interface Draining {
  readonly socket: RuntimeSocket | undefined;
  readonly idle: RuntimeSocket | undefined;
  readonly drainMs: number;
  readonly worker: StoppingWorker;
}

/**
 * The runtime closes connections that have no request in flight, ones with a request unread too, and
 * says `Connection: close` on the others alone. So requests are held first until all that were on
 * their way are read.
 */
async function drain(
  child: ChildProcess,
  { socket, idle, drainMs, worker }: Draining,
): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    await Promise.race([worker.hold().catch(() => {}), sleep(HEARD_MAX_MS)]);
    await sleep(SETTLE_MS / 2);
  }
  const isDraining = idle && (await idleConnection(idle));
  child.kill('SIGTERM');
  // Not before: one that still accepts would fail without its socket.
  const isHeard = await Promise.race([isDraining?.closed, sleep(HEARD_MAX_MS, false)]);
  if (isHeard && socket && isWrapped(child)) {
    child.kill('SIGUSR1');
    await refused(socket);
  }
  await worker.release();
  await ended(child, drainMs + GRACE_MS);
}

/** Whether a wrapper is in front of it: server/listening-workerd.pl, or server/kept-workerd.pl of one of several. */
function isWrapped({ spawnfile }: ChildProcess): boolean {
  return spawnfile === WRAPPER && existsSync(PERL);
}

/** By force. */
async function end(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  child.kill(isWrapped(child) ? 'SIGUSR2' : 'SIGKILL');
  await ended(child, HEARD_MAX_MS);
}

async function ended(child: ChildProcess, maxMs: number): Promise<void> {
  if (!isRunning(child)) return;
  const controller = new AbortController();
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const late = sleep(maxMs, undefined, { signal: controller.signal }).catch(() => {});
  await Promise.race([exit, late]);
  controller.abort();
}

/** Waits until the port is free. */
async function refused({ host, port }: RuntimeSocket): Promise<void> {
  const until = Date.now() + HEARD_MAX_MS;
  while (Date.now() < until) {
    const connection = connect({ host, port });
    const isOpen = await new Promise<boolean>((resolve) => {
      connection.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    connection.destroy();
    if (!isOpen) return;
    await sleep(2);
  }
}

/** A connection that the runtime serves, without a request: it closes such ones first when it takes no more. */
async function idleConnection({
  host,
  port,
}: RuntimeSocket): Promise<{ closed: Promise<boolean> }> {
  const connection = connect({ host, port });
  const closed = new Promise<boolean>((resolve) => {
    connection.once('end', () => resolve(true)).once('close', () => resolve(false));
  });
  connection.on('error', () => {});
  const answered = new Promise<void>((resolve) => connection.once('data', () => resolve()));
  connection.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await Promise.race([answered, closed, sleep(HEARD_MAX_MS)]);
  void closed.then(() => connection.destroy());
  return { closed };
}
