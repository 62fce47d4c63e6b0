/** Many nodes whose large results nobody reads: what the edge runtime holds of all of them has one bound. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childrenOf } from '../../test/processes.ts';
import { createLog } from '../log.ts';
import { startTunnelEdge, type TunnelEdge } from './test/edge.ts';
import { Tunnels } from './tunnels.ts';

const MIB = 1024 * 1024;
/** Each may hold 24 MiB: together they could hold eight times the bound. */
const NODES = 16;
const CALLS = 40;
/** Of all nodes together. */
const HELD_BYTES = 48 * MIB;
const RESULT_BYTES = 16 * MIB;
const PART = Buffer.alloc(64 * 1024, 'x');
/**
 * What the runtime has resident besides what it holds: its heap, 640 clients, and what it has not collected yet.
 * Where nothing bounded all nodes together, the test saw 400 MiB and more.
 */
const BESIDE_BYTES = 240 * MIB;

let part: Server;
/** Calls that are under way at the relays. */
let answering = 0;
let socket: string;
let edge: TunnelEdge;
let runtime: number;
const nodes: Tunnels[] = [];
beforeAll(async () => {
  socket = join(tmpdir(), `causeway-part-${crypto.randomUUID()}.sock`);
  part = createServer(({ url }, response) => {
    answering += 1;
    response.once('close', () => {
      answering -= 1;
    });
    if (url === '/small') response.end('small');
    else Readable.from(large()).pipe(response);
  }).listen(socket);
  await once(part, 'listening');
  const before = new Set(childrenOf(process.pid).map(({ pid }) => pid));
  edge = await startTunnelEdge();
  const own = childrenOf(process.pid).find(
    ({ pid, command }) => !before.has(pid) && command.includes('workerd'),
  );
  if (own === undefined) throw new Error('The edge runtime has no process');
  runtime = own.pid;
  const log = createLog({ logFormat: 'json', logLevel: 'error' }, { write() {} });
  for (let at = 0; at < NODES; at += 1) {
    const signed = async () => ({ 'Causeway-Instance': 'one', 'Test-Node': `node-${at}` });
    const credentials = { url: edge.url, signed };
    const tunnels = new Tunnels({
      log,
      credentials,
      node: 'n',
      socketFor: () => socket,
      health: () => ({ status: 200, headers: {}, body: new Uint8Array() }),
      refused() {},
    });
    nodes.push(tunnels);
    await tunnels.start();
  }
});
afterAll(async () => {
  for (const tunnels of nodes) await tunnels.stop();
  part.closeAllConnections();
  part.close();
  await edge?.stop();
});

function* large() {
  for (let sent = 0; sent < RESULT_BYTES; sent += PART.byteLength) yield PART;
}

/** A reply as far as its head. */
async function ask(path: string, node: number, more = {}): Promise<IncomingMessage> {
  const headers = { 'Test-Node': `node-${node}`, ...more };
  const [reply] = await once(get(`${edge.url}${path}`, { agent: false, headers }), 'response');
  // It may be broken off.
  return (reply as IncomingMessage).on('error', () => {}); // What the event tells.
}

/** Memory that the runtime has resident. */
async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${runtime}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

test('the runtime grows by no more than the bound, and serves calls of every node meanwhile', async () => {
  for (let node = 0; node < NODES; node += 1) await text(await ask('/small', node));
  const before = await residentBytes();
  const replies: IncomingMessage[] = [];
  let most = 0;
  for (let node = 0; node < NODES; node += 1) {
    replies.push(
      ...(await Promise.all(
        Array.from({ length: CALLS }, () => ask('/large', node, { 'Test-Unread': '1' })),
      )),
    );
    await sleep(100);
    most = Math.max(most, await residentBytes());
  }
  const served = [];
  for (let node = 0; node < NODES; node += 1) served.push(await text(await ask('/small', node)));
  expect(served).toEqual(Array.from({ length: NODES }, () => 'small'));
  for (let look = 0; look < 10; look += 1) {
    await sleep(100);
    most = Math.max(most, await residentBytes());
  }
  // Relays are told of what was given up, by the object whose tunnel it came through.
  expect(answering).toBeLessThan(replies.length / 2);
  for (const reply of replies) reply.destroy();
  expect(most - before).toBeLessThan(HELD_BYTES + BESIDE_BYTES);
}, 90_000);
