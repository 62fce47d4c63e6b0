/** Restarts a gateway under load, and counts what its clients lost. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/ports.ts';
import { dataFolder, type Ended, startGateway } from '../gateway.ts';
import { newOrganization } from '../organization.ts';
import { childrenOf, type ProcessRow, stillRunning } from '../processes.ts';
import { type Habit, type Seen, startLoad } from './load.ts';

/** What came of it. */
interface Restarts {
  readonly seen: Seen;
  readonly ends: readonly Ended[];
  /** Milliseconds of the longest stop. */
  readonly longestStopMs: number;
  /** Processes that a gateway left behind. */
  readonly left: readonly ProcessRow[];
}

/** Milliseconds that a slow request takes. */
const SLOW_MS = 400;

/**
 * @param args flags for each start
 * @param runMs how long a gateway answers before it is stopped
 */
export async function restart(
  times: number,
  {
    args = [],
    env = {},
    runMs = 500,
  }: { args?: string[]; env?: Record<string, string>; runMs?: number } = {},
): Promise<Restarts> {
  const data = await dataFolder();
  const [port, relayPort] = [await lowPort(), await lowPort()];
  const slow = createServer((_, reply) => {
    setTimeout(() => reply.end('{}'), SLOW_MS);
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const { port: slowPort } = slow.address() as AddressInfo; // It listens on a port.
  const options = {
    data,
    args: ['--port', String(port), '--relay-port', String(relayPort), ...args],
    env: { HTTP_ALLOW_PRIVATE: 'true', RELAY_ALLOW: '*', ...env },
  };
  let gateway = await startGateway(options);
  const organization = await newOrganization(gateway);
  await organization.call('POST', '/endpoints', {
    endpoint: 'slow',
    kind: 'http',
    config: { write_conn: { url: `http://127.0.0.1:${slowPort}/` } },
  });
  const load = startLoad(port, organization.token, HABITS);
  const ends: Ended[] = [];
  const left: ProcessRow[] = [];
  let longestStopMs = 0;
  for (let time = 0; time < times; time += 1) {
    await sleep(runMs);
    const tree = childrenOf(gateway.pid);
    const started = Date.now();
    ends.push(await gateway.stop());
    longestStopMs = Math.max(longestStopMs, Date.now() - started);
    left.push(...stillRunning(tree));
    gateway = await startGateway(options);
  }
  await load.stop();
  await gateway.stop();
  slow.close();
  slow.closeAllConnections();
  await rm(data, { recursive: true, force: true });
  return { seen: load.seen, ends, longestStopMs, left };
}

/** Below those that the system gives to connections, of which the clients open many. */
async function lowPort(): Promise<number> {
  const port = randomInt(20_000, 30_000);
  return freePort('127.0.0.1', port).catch(lowPort);
}

const API = '/api/v1';
const LIST = { method: 'GET', path: `${API}/endpoints` } as const;
const SLOW = {
  method: 'POST',
  path: `${API}/endpoints/slow/read`,
  body: { method: 'GET', path: '/' },
} as const;

const HABITS: readonly Habit[] = [
  { name: 'without a break', clients: 8, keepAlive: true, pauseMs: 0, ...LIST },
  { name: 'with a pause', clients: 6, keepAlive: true, pauseMs: 5, ...LIST },
  { name: 'each on a connection of its own', clients: 4, keepAlive: false, pauseMs: 0, ...LIST },
  { name: 'for long', clients: 4, keepAlive: true, pauseMs: 0, ...SLOW },
];
