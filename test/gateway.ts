/** A gateway started as a person starts it, as a process of its own, and calls to it over a real socket. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTestRun, sharedServer } from './servers/shared-servers.ts';

const ROOT = join(import.meta.dirname, '..');
/** Far more than it takes, on a machine that does other things too. */
const READY_MAX_MS = 150_000;
/**
 * Most gateways of tests end before what waits would be of use, and serve few organizations: each start
 * would pay for it. They are alike on every machine.
 */
const USUAL = { RATE_LIMITS: 'off', RELAY_PARTS: '1', RELAY_STAND_INS: '0', WORKERS: '1' };

/** A running gateway. */
export interface Gateway {
  /** Such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Of the process that `npm start` runs. */
  readonly pid: number;
  /** The data folder. */
  readonly data: string;
}

/** A gateway of your own. */
export interface OwnGateway extends Gateway {
  /** What it has written so far. */
  readonly output: Output;
  /** Sends a signal and waits for the end. Removes the data folder unless it was given. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** What a process wrote. */
export interface Output {
  stdout(): string;
  stderr(): string;
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How to start a gateway that is not as usual. */
interface GatewayOptions {
  /** Besides `--port 0 --relay-port 0 --data`; a later flag wins. */
  readonly args?: readonly string[];
  /** Added to a minimal environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Kept when the gateway stops; one of its own otherwise. */
  readonly data?: string;
  /** Through npm, as the README says, instead of directly. */
  readonly npm?: boolean;
  /** A program and its first arguments that end by running the gateway in their place. */
  readonly under?: readonly string[];
}

/**
 * Starts a gateway on free ports and waits until it says that it is ready. Limits are off, and the
 * relay is one part that nothing waits to stand in for, unless `env` says otherwise.
 * @throws Error with what it wrote when it ends before that
 */
export async function startGateway(options: GatewayOptions = {}): Promise<OwnGateway> {
  const data = options.data ?? (await dataFolder());
  const child = runStart(
    ['--port', '0', '--relay-port', '0', '--data', data, ...(options.args ?? [])],
    {
      env: { ...USUAL, ...options.env },
      npm: options.npm ?? false,
      under: options.under ?? [],
    },
  );
  const url = await readyUrl(child);
  const { pid } = child.process;
  if (pid === undefined) throw new Error('The gateway has no process');
  return {
    url,
    pid,
    data,
    output: child.output,
    async stop(signal = 'SIGTERM') {
      child.process.kill(signal);
      const ended = await child.ended;
      if (options.data === undefined) await rm(data, { recursive: true, force: true });
      return ended;
    },
  };
}

/**
 * A gateway that all tests of a run share. Limits are off, so that no test uses up those of others.
 * @param reach `private` is a gateway whose edge may call this machine: for stand-ins of hosted databases, and `http`
 */
export async function sharedGateway(reach: 'public' | 'private' = 'public'): Promise<Gateway> {
  // What startGateway told the run, through JSON.
  return (await sharedServer(`gateway-${reach}`)) as Gateway;
}

/**
 * A new folder for a gateway's data, which the caller removes. It holds the worker that the run has
 * built already: building takes longer than the rest of a start.
 */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-data-'));
  if (inTestRun()) await cp(await builtWorker(), join(folder, 'cache'), { recursive: true });
  return folder;
}

/** The folder of the worker that the run has built, as `buildWorker` takes it. */
export async function builtWorker(): Promise<string> {
  // What test/run.ts told, through JSON.
  const { cache } = (await sharedServer('worker')) as { readonly cache: string };
  return cache;
}

/** A started script. */
export interface Run {
  readonly process: ChildProcess;
  readonly output: Output;
  readonly ended: Promise<Ended>;
}

/** Runs server/start.ts, or through npm, with just those flags and a minimal environment. */
export function runStart(
  args: readonly string[],
  { env = {}, npm = false, under = [] }: Pick<GatewayOptions, 'env' | 'npm' | 'under'> = {},
): Run {
  const [program, ...first] = under;
  if (program !== undefined) {
    return run(
      program,
      [...first, process.execPath, 'server/run.mjs', 'server/start.ts', ...args],
      env,
    );
  }
  if (npm) return run('npm', ['start', '--silent', '--', ...args], env);
  return runScript('server/start.ts', args, env);
}

/** Runs a script of the project with just those flags and a minimal environment. */
export function runScript(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Run {
  return run(process.execPath, ['server/run.mjs', script, ...args], env);
}

/** Runs a program from the project's folder with a minimal environment. */
export function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Run {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(command, args, {
    cwd: ROOT,
    // As under npm, it ends with the process that started it.
    env: { PATH, HOME, npm_lifecycle_event: 'test', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString();
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    process: child,
    output: { stdout: () => written.stdout, stderr: () => written.stderr },
    ended,
  };
}

async function readyUrl({ process: child, output, ended }: Run): Promise<string> {
  const ready = async () => {
    const until = Date.now() + READY_MAX_MS;
    while (Date.now() < until) {
      // The last line of the greeting is complete when everything before it is.
      const found = /answers at (\S+)\n[\s\S]*\n$/.exec(output.stdout())?.[1];
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill('SIGKILL');
    return undefined;
  };
  const url = await Promise.race([ready(), ended.then(() => undefined)]);
  if (url === undefined) throw new Error(`The gateway did not start: ${output.stderr()}`);
  return url;
}
