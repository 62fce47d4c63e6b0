/** A large reply holds up those alone that were sent before it came. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testHost } from '../test/host.ts';
import type { RedisServer } from './link.ts';
import { bounds, open, plain, say, words } from './test/server.ts';

const SIZE = 3_000_000;

let program: Server;
let server: RedisServer;
/** Connections on which the beginning of a large reply was sent; the rest is to come. */
let begun: Socket[];
let opened: number;

beforeEach(async () => {
  begun = [];
  opened = 0;
  program = createServer((socket) => {
    opened += 1;
    socket.on('error', () => {});
    socket.on('data', (said) => {
      for (const _ of said.toString().match(/ping/gi) ?? []) socket.write('+PONG\r\n');
      if (!/big/.test(said.toString())) return;
      socket.write(`$${SIZE}\r\nxxxx`);
      begun.push(socket);
    });
  });
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
  const { port } = program.address() as AddressInfo; // It listens on a port.
  server = await open(`redis://127.0.0.1:${port}?protocol=2`, testHost(4));
});
afterEach(async () => {
  await server.close();
  program.close();
});

/** Asks for a large reply; resolves when its beginning has been taken. */
async function ask(): Promise<{ readonly size: Promise<number> }> {
  const before = begun.length;
  const replies = server.send([words('get', 'big')], bounds('read'));
  await expect.poll(() => begun.length).toBe(before + 1);
  // A moment for it to arrive.
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { size: replies.then(([reply]) => String(plain(reply)).length) };
}

const finish = (socket: Socket | undefined) => socket?.write(`${'x'.repeat(SIZE - 4)}\r\n`);
const ping = () => say(server, [words('ping')], 'read');

test('others go by another connection, and both are used again', async () => {
  const { size } = await ask();
  expect(await Promise.all([ping(), ping()])).toEqual([['PONG'], ['PONG']]);
  finish(begun[0]);
  expect(await size).toBe(SIZE);
  expect(await ping()).toEqual(['PONG']);
  expect(opened).toBe(2);
});

test('many large replies take two connections, not all', async () => {
  const [first, second] = [await ask(), await ask()];
  const waiting = ping();
  for (const socket of begun) finish(socket);
  expect([await first.size, await second.size, await waiting]).toEqual([SIZE, SIZE, ['PONG']]);
  expect(opened).toBe(2);
});

test('a connection that is lost under its large reply is replaced', async () => {
  const { size } = await ask();
  expect(await ping()).toEqual(['PONG']);
  begun[0]?.destroy();
  await expect.poll(() => begun.length).toBe(2);
  expect(await ping()).toEqual(['PONG']);
  finish(begun[1]);
  expect(await size).toBe(SIZE);
});
