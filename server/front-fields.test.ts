/** A request's head through the front: however many fields a client sends, none that a proxy adds is lost. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { front, stopFronts } from './test/front.ts';

afterEach(stopFronts);

/** What a front behind a proxy answers to a request with so many fields, of which the last is the proxy's. */
async function sent(fields: number, first = 'GET / HTTP/1.1'): Promise<string> {
  const { port } = await front(
    (incoming, reply) => void reply.end(`for ${incoming.headers['x-causeway-peer']}`),
    '127.0.0.1',
  );
  const padding = Array.from({ length: fields - 3 }, (_, at) => `${at.toString(36)}:`);
  const own = ['Host: a', 'Connection: close'];
  const socket = connect(port, '127.0.0.1');
  socket.write([first, ...own, ...padding, 'X-Forwarded-For: 203.0.113.7', '', ''].join('\r\n'));
  let text = '';
  socket.on('data', (part: Buffer) => {
    text += part.toString();
  });
  await once(socket, 'close');
  return text;
}

test('with as many fields as are taken, the last one is read', async () => {
  expect(await sent(256)).toMatch(/^HTTP\/1.1 200 [\s\S]*for secret 203\.0\.113\.7/);
});

test.each([257, 2_000, 2_100])(
  'with %i fields it is refused, and not passed on',
  async (fields) => {
    const text = await sent(fields);
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain('"message":"The request has more than 256 header fields"');
  },
);

test('so it is where it asks for a WebSocket', async () => {
  expect(await sent(300, 'GET /tunnel HTTP/1.1\r\nUpgrade: websocket')).toMatch(/^HTTP\/1.1 400 /);
});
