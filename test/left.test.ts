/** Clients that leave while their large requests are worked on: the work is dropped, and its places are free. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { type Gateway, sharedGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';

/** Large requests of an organization that may be in work. */
const PLACES = 8;
const LARGE = JSON.stringify({
  value: Array.from({ length: 60_000 }, (_, id) => ({ id, name: `product ${id}`, tags: ['a'] })),
});

let gateway: Gateway;
let organization: Organization;

beforeAll(async () => {
  gateway = await sharedGateway();
  organization = await newOrganization(gateway);
});

test('leave their places to who comes next', async () => {
  const sockets = Array.from({ length: PLACES }, flatten);
  await sleep(500);
  for (const socket of sockets) socket.resetAndDestroy();
  const small = { value: 'x'.repeat(200_000) };
  // The places of who did not say goodbye would be free after 5 s.
  await expect
    .poll(() => organization.call('POST', '/json/flatten', small), { timeout: 4_500 })
    .toEqual({ status: 200, body: { '': small.value } });
});

function flatten(): Socket {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    [
      'POST /api/v1/json/flatten HTTP/1.1',
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${organization.token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(LARGE)}`,
      '',
      LARGE,
    ].join('\r\n'),
  );
  return socket;
}
