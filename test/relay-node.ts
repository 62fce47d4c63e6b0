/** A relay that is a node of an organization's own, as a process of its own. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, type Output, type Run, run } from './gateway.ts';

/** Far more than it takes, on a machine that does other things too. */
const READY_MAX_MS = 60_000;

/** Calls the gateway as an administrator; `path` is below /api/v1. */
export type Call = (method: string, path: string, body?: unknown) => Promise<{ body: unknown }>;

/** A running one. */
export interface RelayNode {
  readonly uuid: string;
  readonly pid: number;
  /** Its data folder. */
  readonly data: string;
  readonly output: Output;
  readonly ended: Promise<Ended>;
  /** Sends a signal and waits for the end; the data folder goes. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** How one is started. */
interface RelayNodeOptions {
  readonly call: Call;
  /** As the relay dials it. */
  readonly gateway: string;
  /** The port of one that the gateway dials; a tunnel without. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A program and its first arguments that end by running the relay in their place. */
  readonly under?: readonly string[];
}

/** Registers a node and starts its relay; settles when the gateway calls it available. */
export async function startRelayNode(options: RelayNodeOptions): Promise<RelayNode> {
  const { call, gateway, port } = options;
  const url = port === undefined ? {} : { url: `http://127.0.0.1:${port}` };
  const made = await call('POST', '/nodes', { name: `node-${randomUUID().slice(0, 8)}`, ...url });
  const { uuid, enrolment_secret: secret } = made.body as Record<string, string>;
  if (uuid === undefined || secret === undefined) throw new Error(JSON.stringify(made.body));
  const data = await mkdtemp(join(tmpdir(), 'causeway-node-'));
  const way = port === undefined ? ['--tunnel'] : ['--port', String(port)];
  const relay = runRelay(
    ['--gateway', gateway, '--enroll', secret, '--data', data, ...way],
    options,
  );
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    relay.process.kill(signal);
    const ended = await relay.ended;
    await rm(data, { recursive: true, force: true });
    return ended;
  };
  try {
    await untilStatus(call, uuid, 'available', { relay });
  } catch (thrown) {
    await stop('SIGKILL');
    throw thrown;
  }
  const { pid } = relay.process;
  if (pid === undefined) throw new Error('The relay has no process');
  return { uuid, pid, data, output: relay.output, ended: relay.ended, stop };
}

/** Runs a relay of two parts with these flags. */
export function runRelay(
  args: readonly string[],
  { env = {}, under = [] }: Pick<RelayNodeOptions, 'env' | 'under'> = {},
): Run {
  const [program = process.execPath, ...first] = [...under, process.execPath];
  return run(program, [...first, 'server/run.mjs', 'node-relay/main.ts', ...args], {
    RELAY_PARTS: '2',
    RELAY_STAND_INS: '0',
    LOG_FORMAT: 'json',
    ...env,
  });
}

/** What the gateway says about a node. */
export async function nodeRecord(call: Call, uuid: string): Promise<Record<string, unknown>> {
  const { body } = await call('GET', '/nodes');
  const { nodes } = body as { nodes: Record<string, unknown>[] };
  return nodes.find((node) => node.uuid === uuid) ?? {};
}

/** Waits until the gateway says so of a node; answers the milliseconds it took. @throws Error when it does not */
export async function untilStatus(
  call: Call,
  uuid: string,
  status: string,
  { relay, maxMs = READY_MAX_MS }: { readonly relay?: Run; readonly maxMs?: number } = {},
): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < maxMs) {
    if ((await nodeRecord(call, uuid)).status === status) return performance.now() - started;
    if (relay !== undefined && relay.process.exitCode !== null) break;
    await sleep(20);
  }
  const said = relay ? `: ${relay.output.stderr()} ${relay.output.stdout()}` : '';
  throw new Error(`The node did not become ${status}${said}`);
}

/** Has a node alone serve an endpoint. */
export async function placeOn(call: Call, endpoint: string, uuid: string): Promise<void> {
  await call('PUT', `/endpoints/${endpoint}/nodes/${uuid}`, {});
}
