/** Servers run as processes of this one: they end with it, and tell why when they do not start. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from './failure.ts';

/** Changes what a process may do and when it ends. Of util-linux, part of every Linux distribution with glibc. */
export const SETPRIV = '/usr/bin/setpriv';
/** Through folders that are root's alone. */
const PASS_THROUGH = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];

/** `nobody`: some servers do not run as root. */
export const UNPRIVILEGED_ID = 65_534;

/** How a server is run. */
export interface RunOptions {
  /** As user `nobody` where this process is root; without setpriv on the system, as this process. */
  readonly unprivileged?: boolean;
  /** The whole environment; by default this process's own. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** What ends it in order; by default SIGTERM. */
  readonly stopBy?: 'SIGTERM' | 'SIGINT';
}

/** A server that was run. */
export interface ServerProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The last that it wrote, on either stream. */
  said(): string;
  /** Ends it in order, after 10 s by force. */
  stop(): Promise<void>;
}

const STOP_MAX_MS = 10_000;
/** Many times what it takes: a machine that does other things too must not make it fail. */
export const READY_MAX_MS = 120_000;

/**
 * Runs a program that on Linux ends with this process, even when that is killed.
 * @param name for sentences to people: `MariaDB`
 * @throws Failure when it cannot be run at all
 */
export async function runServer(
  name: string,
  binary: string,
  args: readonly string[],
  { unprivileged = false, environment = process.env, cwd, stopBy = 'SIGTERM' }: RunOptions = {},
): Promise<ServerProcess> {
  const options: SpawnOptions = {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: environment,
    ...(cwd === undefined ? {} : { cwd }),
  };
  const [program, all] = existsSync(SETPRIV)
    ? [SETPRIV, [...privileges(unprivileged, stopBy), '--', binary, ...args]]
    : [binary, args];
  const child = spawn(program, all, options);
  const said = collect(child);
  await once(child, 'spawn').catch((cause: unknown) => {
    throw new Failure(`${name} could not be run: ${binary} is not there.`, { cause });
  });
  // A spawned process has an id.
  return { pid: child.pid as number, child, said, stop: () => stop(child, stopBy) };
}

/**
 * Asks until the server is ready; a machine that does other things is given the time for them.
 * @throws Failure with the last that it said when it ended, or the time is up
 */
export async function untilReady(
  name: string,
  server: ServerProcess,
  isReady: () => boolean | Promise<boolean>,
  maxMs = READY_MAX_MS,
): Promise<void> {
  const until = Date.now() + maxMs;
  while (!(await isReady())) {
    if (server.child.exitCode !== null || Date.now() > until) {
      server.child.kill('SIGKILL');
      throw new Failure(`${name} did not start: ${server.said()}`);
    }
    await sleep(10);
  }
}

/**
 * Runs a program to its end.
 * @throws Failure with the last that it said when it fails
 */
export async function runToEnd(
  what: string,
  binary: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<void> {
  const { child, said } = await runServer(what, binary, args, options);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) throw new Failure(`${what} failed: ${said()}`);
}

/** Whether this process is root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function privileges(unprivileged: boolean, stopBy: string): string[] {
  const tied = `--pdeathsig=${stopBy.slice('SIG'.length)}`;
  if (!unprivileged || !isRoot()) return [tied];
  const [user, group] = [`--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`];
  return [tied, user, group, '--clear-groups', ...PASS_THROUGH];
}

/** The rest is dropped. */
function collect(child: ChildProcess): () => string {
  let said = '';
  const hear = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  return () => said.trim();
}

async function stop(child: ChildProcess, by: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  // A stopped process takes no other signal.
  child.kill('SIGCONT');
  child.kill(by);
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MAX_MS);
  await gone;
  clearTimeout(hard);
}
