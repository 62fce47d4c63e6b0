/**
 * The JSON worker next to the gateway: its socket is always there; the process is started by the first
 * connection, and again by the next one when it has died.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './bundle.ts';
import { log, logOf } from './log.ts';

/** Spec silent. */
const STOP_MAX_MS = 2_000;

/** A socket behind which a JSON worker is started when it is needed. */
interface JsonProcess {
  stop(): Promise<void>;
}

/** A worker that was started. */
interface Started {
  readonly process: ChildProcess;
  /** Connections that it has not said to have: should it end before, they end with it. */
  readonly handed: Socket[];
}

/** Listens for the runtime. @param socket path of the Unix socket, in a folder that is this user's alone */
export async function listenForJson(socket: string): Promise<JsonProcess> {
  let last: Started | undefined;
  let stopping = false;
  const start = (): Started => {
    const started = { process: spawnWorker(), handed: [] as Socket[] };
    started.process.on('message', () => started.handed.shift()?.destroy());
    started.process.once('exit', (code, signal) => {
      for (const connection of started.handed) connection.destroy();
      if (stopping) return;
      const how = signal ?? `exit code ${code}`;
      log('warn', 'The JSON worker ended; the next large body starts it again.', { how });
    });
    return started;
  };
  // This process only hands connections on: what comes over one is read by the worker.
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    connection.on('error', () => {});
    if (last === undefined || !last.process.connected) last = start();
    last.handed.push(connection);
    // A failure to send is followed by the end of the process.
    last.process.send('connection', connection, { keepOpen: true }, () => {});
  });
  server.listen(socket);
  await once(server, 'listening');
  return {
    async stop() {
      stopping = true;
      server.close();
      if (last === undefined || !isRunning(last.process)) return;
      const { process: child } = last;
      const exit = once(child, 'exit');
      if (child.connected) child.disconnect();
      const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MAX_MS);
      await exit;
      clearTimeout(hard);
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** A session of its own: the system then gives it time apart from all that serves. */
function spawnWorker(): ChildProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const program = join(ROOT, 'server/json-worker/main.ts');
  const child = spawn(process.execPath, [program], {
    env: { PATH, NODE_COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true,
  });
  child.on('error', () => {});
  child.stderr?.on('error', () => {});
  if (child.stderr) {
    createInterface(child.stderr).on('line', (line) => logOf('json-worker', 'error', line));
  }
  return child;
}
