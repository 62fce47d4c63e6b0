/** Something that serves the same data over HTTP, to be measured beside the gateway. */

import { runServer, untilReady } from '../../server/server-process.ts';
import { toolEnvironment } from '../../server/tools.ts';
import type { Load } from '../load.ts';

/** A running peer, and the request that reads the row that is measured. */
export interface Peer {
  readonly name: string;
  readonly request: Pick<Load, 'method' | 'port' | 'path' | 'headers' | 'body'>;
  stop(): Promise<void>;
}

/** How a program of Node is started that serves. */
interface Program {
  readonly name: string;
  /** Of its installation. */
  readonly folder: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly request: Peer['request'];
}

const READY_MAX_MS = 90_000;

/**
 * Starts it, and waits until its request is answered with the row.
 * @throws Failure when that does not come about
 */
export async function startPeer(program: Program): Promise<Peer> {
  const { name, folder, args, environment = {}, request } = program;
  const server = await runServer(name, process.execPath, args, {
    environment: environmentOf(environment),
    cwd: folder,
  });
  try {
    await untilReady(name, server, () => answers(request), READY_MAX_MS);
  } catch (thrown) {
    await server.stop();
    throw thrown;
  }
  return { name, request, stop: server.stop };
}

/** What a program in production gets, and nothing of the gateway's. */
export function environmentOf(more: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = '' } = toolEnvironment();
  const { HOME = '' } = process.env;
  return { PATH, HOME, NODE_ENV: 'production', GRAPHILE_ENV: 'production', ...more };
}

/** Whether the reply holds the row's name. */
async function answers({ method = 'POST', port, path, headers, body }: Peer['request']) {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(method === 'POST' && { body: typeof body === 'string' ? body : body(0) }),
    });
    return reply.ok && (await reply.text()).includes('product 42');
  } catch {
    return false;
  }
}
