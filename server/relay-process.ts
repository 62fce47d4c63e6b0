/** A relay next to the gateway: started, waited for, and started again when it dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './bundle.ts';
import { Failure } from './failure.ts';
import { log } from './log.ts';
import { SETPRIV } from './server-process.ts';

/** Spec silent, all four. */
const READY_MAX_MS = 60_000;
/** Beyond what it waits for calls in flight. */
const STOP_MAX_MS = 10_000;
const DRAIN_DEFAULT_S = 30;
/** It is started again at once, however often it ended; one that cannot start is not tried without end in one second. */
const PAUSE_MS = 50;

/** A relay that is kept running. */
interface RelayProcess {
  /** Of the process that runs now; undefined between two. */
  pid(): number | undefined;
  /** Lets calls in flight finish. */
  stop(): Promise<void>;
}

/**
 * Runs node-relay/main.ts on loopback with `environment` and nothing else of this process's own
 * settings for relays.
 * @throws Failure when it ends, or answers nothing, before it was ready once
 */
export async function startRelay(
  port: number,
  environment: Readonly<Record<string, string>>,
): Promise<RelayProcess> {
  let stopping = false;
  let child = spawnRelay(port, environment);
  const keep = async () => {
    while (!stopping) {
      const how = await ended(child);
      if (stopping) return;
      log('warn', 'The relay ended; starting it again.', { how });
      await sleep(PAUSE_MS);
      if (stopping) return;
      child = spawnRelay(port, environment);
    }
  };
  const stop = async () => {
    stopping = true;
    await endChild(child);
  };
  const settled = new AbortController();
  try {
    await Promise.race([answers(port, settled.signal), failed(child)]);
  } catch (thrown) {
    await stop();
    throw thrown;
  } finally {
    settled.abort();
  }
  void keep();
  return { pid: () => (child.exitCode === null ? child.pid : undefined), stop };
}

/** Its own process group: an interrupt typed at the terminal reaches it through us, in order. */
function spawnRelay(port: number, environment: Readonly<Record<string, string>>): ChildProcess {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('RELAY_') && !name.startsWith('npm_') && !SECRETS.has(name),
  );
  const program = [
    process.execPath,
    '--import',
    join(ROOT, 'server/tether.ts'),
    join(ROOT, 'node-relay/main.ts'),
  ];
  const tied = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig=KILL', '--', ...program] : program;
  const [command = process.execPath, ...args] = tied;
  const child = spawn(command, args, {
    env: { ...Object.fromEntries(inherited), ...environment, RELAY_PORT: String(port) },
    // Logs go to stderr: stdout is what people read and paste from.
    stdio: ['pipe', process.stderr.fd, process.stderr.fd],
    detached: true,
  });
  child.stdin?.on('error', () => {});
  return child;
}

/** A relay has no use for them. Spec: the relay holds no accounts and signs nothing. */
const SECRETS = new Set([
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'INSTALLATION_KEY',
  'INSTALLATION_KEY_PREVIOUS',
  'GATEWAY_KEY',
  'GATEWAY_KEY_PREVIOUS',
  'NEW_ORG_TOKEN',
  'MAIL_TOKEN',
  'PORT',
  'HOST',
]);

async function ended(child: ChildProcess): Promise<string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? `exit code ${child.exitCode}`;
}

async function failed(child: ChildProcess): Promise<never> {
  throw new Failure(`The relay did not start: it ended with ${await ended(child)}.`);
}

async function answers(port: number, settled: AbortSignal): Promise<void> {
  const until = Date.now() + READY_MAX_MS;
  while (Date.now() < until && !settled.aborted) {
    const reply = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (reply?.ok) return;
    await sleep(20);
  }
  throw new Failure(`The relay did not answer within ${READY_MAX_MS / 1000} s.`);
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // A stopped process takes no other signal.
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  const drainMs = Number(process.env.DRAIN_S || DRAIN_DEFAULT_S) * 1000;
  const hard = setTimeout(() => child.kill('SIGKILL'), drainMs + STOP_MAX_MS);
  await ended(child);
  clearTimeout(hard);
}
