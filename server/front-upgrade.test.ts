/** WebSockets through the front. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { front, type Handler, stopFronts } from './test/front.ts';

afterEach(stopFronts);

const plain: Handler = (_incoming, reply) => void reply.end();

describe('a WebSocket', () => {
  test('is passed on, both ways, with the address of its caller', async () => {
    const { port, upstream } = await front(plain);
    const heard: IncomingMessage[] = [];
    const webSockets = new WebSocketServer({ server: upstream });
    webSockets.on('connection', (socket, incoming) => {
      heard.push(incoming);
      socket.on('message', (message) => socket.send(`heard ${message.toString()}`));
    });
    const socket = new WebSocket(`ws://127.0.0.1:${port}/tunnel`, 'a', {
      headers: { 'X-Causeway-Peer': 'secret 6.6.6.6' },
    });
    await once(socket, 'open');
    socket.send('hello');
    const [answer] = (await once(socket, 'message')) as [Buffer];
    expect(answer.toString()).toBe('heard hello');
    expect([heard[0]?.url, heard[0]?.headers['x-causeway-peer']]).toEqual([
      '/tunnel',
      'secret 127.0.0.1',
    ]);
    socket.close();
    await once(socket, 'close');
  });

  test('that is refused has the reply that says why', async () => {
    const { port } = await front((_incoming, reply) => {
      reply.writeHead(401, { 'Causeway-Nonce': 'n' }).end('{"code":"NODE_SIGNATURE_INVALID"}');
    });
    const socket = new WebSocket(`ws://127.0.0.1:${port}/tunnel`);
    socket.on('error', () => {});
    const [, reply] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect([reply.statusCode, reply.headers['causeway-nonce']]).toEqual([401, 'n']);
    expect((await reply.toArray()).join('')).toBe('{"code":"NODE_SIGNATURE_INVALID"}');
  });

  test('does not hold up the stop of the front', async () => {
    const { port, upstream, started } = await front(plain);
    new WebSocketServer({ server: upstream });
    const socket = new WebSocket(`ws://127.0.0.1:${port}/tunnel`);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await started.stop(300);
    expect((await closed)[0]).toBe(1006);
  });
});
