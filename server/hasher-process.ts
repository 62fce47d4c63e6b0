/** The password hasher next to the gateway: started, and started again when it dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeSocketFolder } from '../node-relay/parts/socket-folder.ts';
import { ROOT } from './bundle.ts';
import { Failure } from './failure.ts';
import { log, logOf } from './log.ts';

/** Spec silent, all three. */
const READY_MAX_MS = 60_000;
const STOP_MAX_MS = 2_000;
/** One that lived shorter is not started again before that: it would take all the time there is. */
const SHORT_LIFE_MS = 200;

/** A hasher that is kept running. */
interface HasherProcess {
  /** Path of the socket on which it answers; the same for the next one when it dies. */
  readonly socket: string;
  /** Of the process that runs now. */
  pid(): number | undefined;
  stop(): Promise<void>;
}

/**
 * Runs server/password-hasher/main.ts with a socket in a folder that is this user's alone.
 * @throws Failure when it does not come to answer
 */
export async function startHasher(): Promise<HasherProcess> {
  const folder = await makeSocketFolder();
  const socket = join(folder.path, 'hasher.sock');
  let stopping = false;
  let child = spawnHasher(socket);
  const keep = async () => {
    for (let started = Date.now(); ; started = Date.now()) {
      const how = await ended(child);
      if (stopping) return;
      log('warn', 'The password hasher ended; starting it again.', { how });
      await sleep(Math.max(0, started + SHORT_LIFE_MS - Date.now()));
      if (stopping) return;
      child = spawnHasher(socket);
    }
  };
  const stop = async () => {
    stopping = true;
    child.stdin?.end();
    const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MAX_MS);
    await ended(child);
    clearTimeout(hard);
    folder.remove();
  };
  if (!(await isReady(child))) {
    await stop();
    throw new Failure(`The password hasher did not start: it ended with ${await ended(child)}.`);
  }
  void keep();
  return { socket, pid: () => (child.exitCode === null ? child.pid : undefined), stop };
}

/** A session of its own: the system then gives it time apart from all that serves. */
function spawnHasher(socket: string): ChildProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [join(ROOT, 'server/password-hasher/main.ts'), socket], {
    env: { PATH, NODE_COMPILE_CACHE },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const { stdin, stdout, stderr } = child;
  for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => {});
  if (stderr !== null) {
    createInterface(stderr).on('line', (line) => logOf('password-hasher', 'error', line));
  }
  return child;
}

async function isReady(child: ChildProcess): Promise<boolean> {
  const { stdout } = child;
  if (stdout === null) return false;
  const said = once(stdout, 'data').then(() => true);
  const late = sleep(READY_MAX_MS, false, { ref: false });
  const ready = await Promise.race([said, ended(child).then(() => false), late]);
  if (!ready) child.kill('SIGKILL');
  return ready;
}

async function ended(child: ChildProcess): Promise<string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? `exit code ${child.exitCode}`;
}
