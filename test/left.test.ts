/** Clients that leave while their large requests are worked on: the work is dropped, and its places are free. */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';

/** Large requests of an organization that may be in work. */
const PLACES = 8;
const LARGE = JSON.stringify({
  value: Array.from({ length: 60_000 }, (_, id) => ({ id, name: `product ${id}`, tags: ['a'] })),
});

const METRICS_TOKEN = 'token-for-metrics';
const IN_FLIGHT = /^gateway_requests_in_flight (\d+)$/m;
const DROPPED = /^gateway_requests_total\{.*\/json\/flatten",status="503"\} (\d+)$/m;
/** Longer than any machine takes to see that all have left: there is no other end to wait for. */
const SEEN_MAX_MS = 120_000;

let gateway: OwnGateway;
let organization: Organization;

beforeAll(async () => {
  gateway = await startGateway({ env: { METRICS_TOKEN } });
  organization = await newOrganization(gateway);
});
afterAll(() => gateway.stop());

test(
  'leave their places to who comes next',
  async () => {
    const small = { value: 'x'.repeat(200_000) };
    const sockets = Array.from({ length: PLACES }, flatten);
    const itself = 1;
    await expect.poll(() => counted(IN_FLIGHT), { timeout: SEEN_MAX_MS }).toBe(PLACES + itself);
    for (const socket of sockets) socket.resetAndDestroy();
    // The runtime ends those whose leaving nobody watches, uncounted, and their places stay taken for a while.
    const isDone = 1; // At most: the one in work.
    await expect
      .poll(() => counted(DROPPED), { timeout: SEEN_MAX_MS })
      .toBeGreaterThanOrEqual(PLACES - isDone);
    expect(await organization.call('POST', '/json/flatten', small)).toEqual({
      status: 200,
      body: { '': small.value },
    });
  },
  3 * SEEN_MAX_MS,
);

/** What the gateway itself counts. */
async function counted(line: RegExp): Promise<number> {
  // biome-ignore lint/style/noRestrictedGlobals: metrics are no part of the API's description.
  const reply = await fetch(`${gateway.url}/metrics`, {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });
  const [, count = '0'] = line.exec(await reply.text()) ?? [];
  return Number(count);
}

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
