/** What servers that send much leave of each turn of the loop. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byTurns } from './socket-turns.ts';

const SENT = 1024 * 1024;
const PART = 64 * 1024;
const SOCKETS = 8;

let server: Server;
beforeAll(async () => {
  // Each byte gives its place.
  const bytes = Uint8Array.from({ length: SENT }, (_, at) => at % 251);
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

async function dialled(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return byTurns(socket);
}

/** Time that reading a part takes. */
function work(): void {
  const until = performance.now() + 2;
  while (performance.now() < until);
}

test('all sockets together bring a part or two in one turn of the loop, and all bytes in the end', async () => {
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, dialled));
  await sleep(50); // Much has arrived on each.
  let inThisTurn = 0;
  const turns: number[] = [];
  const count = setInterval(() => {}, 1);
  const look = (): void => {
    if (inThisTurn > 0) turns.push(inThisTurn);
    inThisTurn = 0;
    looking = setImmediate(look);
  };
  let looking = setImmediate(look);
  const whole = await Promise.all(
    sockets.map(async (socket) => {
      let [at, isRight] = [0, true];
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        isRight &&= chunk[0] === at % 251 && chunk.at(-1) === (at + chunk.length - 1) % 251;
        at += chunk.length;
        inThisTurn += chunk.length;
        work();
      }
      return { at, isRight };
    }),
  );
  clearImmediate(looking);
  clearInterval(count);
  expect(whole).toEqual(sockets.map(() => ({ at: SENT, isRight: true })));
  // In the first one each brings what it brings first.
  const most = turns.slice(1).toSorted((one, other) => other - one)[0];
  expect(most).toBeLessThanOrEqual(4 * PART);
});

test('a socket that is held back brings no more than it keeps', async () => {
  const socket = await dialled();
  let brought = 0;
  socket.on('data', (chunk: Buffer) => {
    brought += chunk.length;
    socket.pause();
  });
  await sleep(100);
  expect([brought > 0, socket.readableLength <= 3 * PART]).toEqual([true, true]);
  while (brought < SENT) {
    socket.resume();
    await sleep(0);
  }
  expect(brought).toBe(SENT);
});
