/** A relay that sends what no call asks for loses its tunnels, and takes no thread from other organizations. docs/nodes.md. */
import { env, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NODE_HEADERS } from '../../proto/node-signature.ts';
import { encode, type Frame, MESSAGE_MAX_BYTES } from '../../proto/tunnel/frame.ts';
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

/** A tunnel whose relay does as it likes; `closed` has the code that it was closed with. */
async function openTunnel() {
  const instance = crypto.randomUUID();
  await node.admit(crypto.randomUUID(), Date.now() + 60_000, Date.now(), instance);
  const headers = { Upgrade: 'websocket', [NODE_HEADERS.instance]: instance };
  const { webSocket: socket } = await node.fetch(OPEN_URL, { headers });
  if (!socket) throw new Error('There is no tunnel');
  sockets.push(socket);
  socket.binaryType = 'arraybuffer';
  socket.accept();
  const closed: number[] = [];
  socket.addEventListener('close', ({ code }) => {
    closed.push(code);
  });
  return { socket, closed };
}

/** As many of a frame as go into a message. */
function full(frame: Frame): Uint8Array {
  const count = Math.floor(MESSAGE_MAX_BYTES / encode([frame]).byteLength);
  return encode(Array.from({ length: count }, () => frame));
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

describe('a tunnel is closed', () => {
  test.each<[string, Frame]>([
    ['answers to no question', { type: 'pong', nonce: 99 }],
    ['goodbyes', { type: 'goaway' }],
    ['parts of no call', { type: 'data', call: 1, bytes: new Uint8Array(32 * 1024) }],
    ['heads of no call', { type: 'head', call: 1, head: { status: 200, headers: { a: 'b' } } }],
    ['ends of no call', { type: 'end', call: 1 }],
    ['room for no call', { type: 'window', call: 1, credit: 1 }],
    ['beginnings', { type: 'start', epoch: 1 }],
  ])('that sends %s', async (_, frame) => {
    const { socket, closed } = await openTunnel();
    const message = full(frame);
    let sent = 0;
    for (; sent < 40 && closed.length === 0; sent += 1) {
      socket.send(message);
      await turn();
    }
    await expect.poll(() => closed).toEqual([4400]);
    expect(sent).toBeLessThan(40);
  });

  test('that sends a reply a byte at a time', async () => {
    const { socket, closed } = await openTunnel();
    socket.addEventListener('message', ({ data }) => {
      if (!(data instanceof ArrayBuffer)) return;
      // The first frame of the gateway begins the numbers of calls.
      socket.send(new Uint8Array(data).slice(0, 10));
      socket.send(encode([{ type: 'head', call: 1, head: { status: 200, headers: {} } }]));
      const part = full({ type: 'data', call: 1, bytes: new Uint8Array(1) });
      for (let sent = 0; sent < 20; sent += 1) socket.send(part);
    });
    const reply = await node.fetch('http://node/method', { method: 'POST', body: '' });
    await reply.arrayBuffer().catch(() => {});
    await expect.poll(() => closed).toEqual([4400]);
  });
});

test('its organization opens no other for a while', async () => {
  const { socket, closed } = await openTunnel();
  for (let sent = 0; sent < 3; sent += 1) socket.send(full({ type: 'goaway' }));
  await expect.poll(() => closed).toHaveLength(1);
  const other = env.RELAY_NODES.getByName(
    node.name?.replace(/:.*/, `:${crypto.randomUUID()}`) ?? '',
  );
  const instance = crypto.randomUUID();
  await other.admit(crypto.randomUUID(), Date.now() + 60_000, Date.now(), instance);
  const headers = { Upgrade: 'websocket', [NODE_HEADERS.instance]: instance };
  expect((await other.fetch(OPEN_URL, { headers })).status).toBe(429);
});

test('a relay that goes on in a closed tunnel loses the object, and so its connection', async () => {
  const objects: object[] = [];
  const flooded = runInDurableObject(node, (object) => {
    objects.push(object);
    const { 0: closed } = new WebSocketPair();
    for (let sent = 0; sent < 3_000; sent += 1) object.webSocketMessage(closed, 'text');
  });
  await expect(flooded).rejects.toThrow('A relay goes on sending');
  const again = env.RELAY_NODES.getByName(node.name ?? '');
  await runInDurableObject(again, (object) => void objects.push(object));
  expect(new Set(objects).size).toBe(2);
});

test('a tunnel that is closed takes no calls, whatever its relay still sends', async () => {
  const { socket } = await openTunnel();
  for (let sent = 0; sent < 10; sent += 1) socket.send('text');
  await turn();
  const { status, headers } = await node.fetch('http://node/method', { method: 'POST', body: '' });
  expect([status, headers.get('Causeway-Tunnel')]).toEqual([503, 'refused']);
});
