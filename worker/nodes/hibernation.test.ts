/** Tunnels of a node whose object hibernates: it loses its memory, and the sockets go on. Spec: nodes.md §1. */
import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NODE_HEADERS } from '../../proto/node-signature.ts';
import { Budget } from '../../proto/tunnel/budget.ts';
import { type Serve, ServingEnd } from '../../proto/tunnel/end.ts';
import { byHand, echo } from '../../proto/tunnel/test/pair.ts';
import { OPEN_URL } from './node-object.ts';
import type { RelayNode } from './relay-node.ts';

let node: DurableObjectStub<RelayNode>;
const sockets: WebSocket[] = [];
beforeEach(() => {
  node = env.RELAY_NODES.getByName(`${crypto.randomUUID()}:${crypto.randomUUID()}`);
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** Opens a tunnel as a relay does; answers what it was closed with. */
async function openTunnel(serve: Serve) {
  const instance = crypto.randomUUID();
  const admitted = await node.admit(crypto.randomUUID(), Date.now() + 60_000, Date.now(), instance);
  expect(admitted).toEqual({ state: 'admitted' });
  const headers = { Upgrade: 'websocket', [NODE_HEADERS.instance]: instance };
  const { webSocket: socket } = await node.fetch(OPEN_URL, { headers });
  if (!socket) throw new Error('There is no tunnel');
  sockets.push(socket);
  socket.binaryType = 'arraybuffer';
  socket.accept();
  const wire = {
    send: (message: Uint8Array) => socket.send(message),
    close: (reason: string) => socket.close(4400, reason),
    soon: (work: () => void) => queueMicrotask(work),
  };
  const end = new ServingEnd(wire, new Budget(1024 * 1024), serve);
  const closed: number[] = [];
  socket.addEventListener('close', ({ code }) => closed.push(code));
  socket.addEventListener('message', ({ data }) => {
    if (data instanceof ArrayBuffer) end.receive(new Uint8Array(data));
  });
  return closed;
}

async function call(body: string): Promise<[number, string]> {
  const reply = await node.fetch('http://node/method', { method: 'POST', body });
  return [reply.status, new TextDecoder().decode(await reply.arrayBuffer())];
}

/** The instance in memory, by a number that each gets when it is seen first. */
const seen = new WeakMap<object, number>();
let counted = 0;
function memory(): Promise<number> {
  return runInDurableObject(node, (instance) => {
    const known = seen.get(instance);
    if (known !== undefined) return known;
    counted += 1;
    seen.set(instance, counted);
    return counted;
  });
}

test('goes on with its tunnel after it was evicted, as often as that happens', async () => {
  const closed = await openTunnel(echo);
  const memories = new Set<number>();
  for (const text of ['before', 'after it', 'after another']) {
    expect(await call(text)).toEqual([200, text]);
    memories.add(await memory());
    await evictDurableObject(node);
  }
  expect(await call('in the end')).toEqual([200, 'in the end']);
  expect([memories.size, closed]).toEqual([3, []]);
});

test('is woken by calls together, and each has its own answer', async () => {
  await openTunnel(echo);
  await call('before');
  await evictDurableObject(node);
  const texts = Array.from({ length: 20 }, (_, at) => `call ${at}`);
  expect(await Promise.all(texts.map(call))).toEqual(texts.map((text) => [200, text]));
});

test('is not evicted under a call: its answer comes, and calls after it pass', async () => {
  const { calls, serve } = byHand();
  const closed = await openTunnel(serve);
  const running = call('slow');
  await expect.poll(() => calls.length).toBe(1);
  const evicted = evictDurableObject(node);
  const answer = (at: number): void => {
    calls[at]?.call.head({ status: 200, headers: {} });
    calls[at]?.call.end();
  };
  await new Promise((resolve) => setTimeout(resolve, 100));
  answer(0);
  expect(await running).toEqual([200, '']);
  await evicted;
  const next = call('next');
  await expect.poll(() => calls.length).toBe(2);
  answer(1);
  expect([await next, closed]).toEqual([[200, ''], []]);
});
