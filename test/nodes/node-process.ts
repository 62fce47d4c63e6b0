/** Nodes whose processes tests kill, freeze and start again: a group of processes each. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/ports.ts';
import type { Organization } from '../organization.ts';
import { untilStatus } from '../relay-node.ts';

const ROOT = join(import.meta.dirname, '../..');
const READY_MAX_MS = 60_000;
/** Tests need few processes. */
const SMALL = { RELAY_PARTS: '1', RELAY_STAND_INS: '0', LOG_FORMAT: 'json' };

/** What a process of a relay wrote, and how it ended. */
interface RelayRun {
  readonly pid: number;
  output(): string;
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** To the relay and all of its parts. */
  signal(signal: NodeJS.Signals): void;
}

/** Runs a relay with these flags. @param env added to a minimal environment */
export function runRelay(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RelayRun {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(
    process.execPath,
    ['server/run.mjs', 'node-relay/main.ts', ...args],
    // A group of its own: signals are for all of its processes.
    { cwd: ROOT, env: { PATH, HOME, ...SMALL, ...env }, detached: true },
  );
  let written = '';
  child.stdout.on('data', (piece: Buffer) => {
    written += piece.toString();
  });
  child.stderr.on('data', (piece: Buffer) => {
    written += piece.toString();
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('The relay has no process');
  return {
    pid,
    output: () => written,
    ended: new Promise((resolve) => child.once('close', (code) => resolve(code))),
    signal(signal) {
      try {
        process.kill(-pid, signal);
      } catch {
        // It has ended.
      }
    },
  };
}

/** A node with a relay that runs. */
export interface RelayNode {
  readonly uuid: string;
  readonly name: string;
  readonly secret: string;
  readonly data: string;
  readonly port: number;
  /** The process that runs now. */
  run: RelayRun;
  /** Starts the relay again without flags but these, and waits until it is ready. */
  restart(more?: readonly string[]): Promise<void>;
  /** Ends it by force, and removes its folder. */
  stop(): Promise<void>;
}

/** How a node differs from the usual one. */
interface NodeOptions {
  /** Where the gateway reaches it; by default its own port. */
  readonly url?: (port: number) => string;
  /** Whether it dials the gateway, and listens on no port. */
  readonly tunnel?: boolean;
  /** Where it reaches the gateway. */
  readonly gateway?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Registers a node, enrols a relay as it, and waits until the gateway has heard it. */
export async function startNode(
  organization: Organization,
  name: string,
  {
    url = (port) => `http://127.0.0.1:${port}`,
    tunnel = false,
    gateway = organization.gateway.url,
    env,
  }: NodeOptions = {},
): Promise<RelayNode> {
  const [port, data] = await Promise.all([
    freePort('127.0.0.1'),
    mkdtemp(join(tmpdir(), 'causeway-node-')),
  ]);
  const { body } = await organization.call('POST', '/nodes', {
    name,
    ...(tunnel ? {} : { url: url(port) }),
  });
  const { uuid, enrolment_secret: secret } = body as { uuid: string; enrolment_secret: string };
  const way = tunnel ? ['--tunnel'] : ['--port', String(port)];
  const flags = ['--gateway', gateway, '--enroll', secret, '--data', data, ...way];
  const node: RelayNode = {
    uuid,
    name,
    secret,
    data,
    port,
    run: runRelay(flags, env),
    async restart(more = []) {
      node.run = runRelay(['--data', data, ...more], env);
      await untilReady(node.run);
    },
    async stop() {
      node.run.signal('SIGCONT');
      node.run.signal('SIGKILL');
      await node.run.ended;
      await rm(data, { recursive: true, force: true });
    },
  };
  await untilReady(node.run);
  await untilStatus(organization.call, uuid, 'available');
  return node;
}

/** Waits until a relay says that it is ready. @throws Error with what it wrote when it ends before */
export async function untilReady(run: RelayRun): Promise<void> {
  const until = Date.now() + READY_MAX_MS;
  let hasEnded = false;
  void run.ended.then(() => {
    hasEnded = true;
  });
  while (!run.output().includes('relay ready')) {
    if (hasEnded || Date.now() > until) throw new Error(`The relay is not ready: ${run.output()}`);
    await sleep(20);
  }
}
