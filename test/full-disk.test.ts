/**
 * A full disk under the data folder: what needs it is 503, and all that was answered is there once there
 * is room. The gateway runs on a small file system of its own, in a mount namespace that ends with it.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataFolder, type OwnGateway, startGateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { newOrganization } from './organization.ts';

/** Enough to start on, and filled at once. */
const SIZE = '32m';
const NEEDS = 'This test needs Linux with unshare (util-linux) and user namespaces';

let mounted: string;
let gateway: OwnGateway;
beforeAll(async () => {
  mounted = await dataFolder();
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const unshare = ['unshare', ...asRoot, '--mount', '--'];
  const mount = `mount -t tmpfs -o size=${SIZE} tmpfs ${mounted}`;
  const tried = spawnSync(unshare[0] ?? '', [...unshare.slice(1), 'sh', '-c', mount]);
  if (tried.status !== 0) throw new Error(`${NEEDS}: ${tried.stderr ?? tried.error}`);
  gateway = await startGateway({
    data: join(mounted, 'data'),
    under: [...unshare, 'sh', '-c', `${mount} && exec "$@"`, 'sh'],
    env: { HTTP_ALLOW_PRIVATE: 'true', RELAY_ALLOW: '*' },
  });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(mounted, { recursive: true, force: true });
});

/** A file that only the gateway and what runs next to it see, by the gateway's eyes. */
const filling = () => join(`/proc/${gateway.pid}/root`, mounted, 'filling');

function fill(): void {
  // It ends when there is no room for more.
  const { stderr } = spawnSync('dd', ['if=/dev/zero', `of=${filling()}`, 'bs=4k']);
  expect(String(stderr)).toContain('No space left on device');
}

test('is 503 until there is room, and nothing that was answered is lost', async () => {
  let written = 0;
  const backend = createServer((request, reply) => {
    if (request.method === 'POST') written += 1;
    reply.setHeader('Content-Type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await expect.poll(() => backend.listening).toBe(true);
  const { port } = backend.address() as AddressInfo; // It listens on a port.
  const { call, token } = await newOrganization(gateway);
  const endpoint = (name: string) => ({
    endpoint: name,
    kind: 'http',
    config: { write_conn: { url: `http://127.0.0.1:${port}/` } },
  });
  const post = { method: 'POST', path: '/', body: {} };
  expect(await call('POST', '/endpoints', endpoint('before'))).toMatchObject({ status: 200 });
  expect(await call('POST', '/endpoints/before/write', post)).toMatchObject({ status: 200 });
  fill();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const ask = (method: string, path: string, body?: object, more: Record<string, string> = {}) =>
    checkedFetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(body && { body: JSON.stringify(body) }),
    });
  const replies = [
    await ask('POST', '/endpoints', endpoint('during')),
    await ask('GET', '/audit'),
    await ask('POST', '/endpoints/before/write', post, { 'Idempotency-Key': 'during' }),
    await ask('POST', '/new', {
      id: `full-${crypto.randomUUID().slice(0, 8)}`,
      super_admins: [{ username: 'full@example.com', password: 'long enough' }],
    }),
  ];
  const told = await Promise.all(
    replies.map(async (reply) => [reply, await reply.json()] as const),
  );
  for (const [reply, body] of told) {
    expect({ status: reply.status, retry: Number(reply.headers.get('Retry-After')), body }).toEqual(
      {
        status: 503,
        retry: expect.toSatisfy((seconds: number) => seconds > 0),
        body: expect.objectContaining({
          error: 'Service unavailable',
          code: 'SERVICE_UNAVAILABLE',
        }),
      },
    );
  }
  // The write that was refused has not happened.
  expect(written).toBe(1);
  expect((await checkedFetch(`${gateway.url}/healthz`)).status).toBe(200);
  rmSync(filling());
  expect(await call('POST', '/endpoints', endpoint('after'))).toMatchObject({ status: 200 });
  const { body } = await call('GET', '/endpoints');
  expect(JSON.stringify(body)).toMatch(/"after"[\s\S]*"before"/);
  expect(JSON.stringify(body)).not.toContain('"during"');
  const again = await ask('POST', '/endpoints/before/write', post, { 'Idempotency-Key': 'during' });
  expect(again.status).toBe(200);
  expect(written).toBe(2);
  backend.close();
});
