/** Through a gateway: an organization with a part of its own loses nothing when the parts die that all share. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization } from './organization.ts';

let gateway: OwnGateway | undefined;
afterEach(async () => {
  await gateway?.stop('SIGKILL');
});

/** Ids of the processes that are parts now, by their names in the log. */
function partsOf({ output }: OwnGateway): Map<string, number> {
  const lines = output.stderr().matchAll(/"part":"([^"]+)","pid":(\d+),[^\n]*"relay part ready"/g);
  return new Map([...lines].map(([, part = '', pid]) => [part, Number(pid)]));
}

test('no call of either fails with the part of the other', async () => {
  const held: (() => void)[] = [];
  const backend = createServer((request, reply) => {
    reply.setHeader('Content-Type', 'application/json');
    if (request.url === '/held') held.push(() => reply.end('{}'));
    else reply.end('{}');
  }).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const { port } = backend.address() as AddressInfo; // It listens on a port.
  const running = await startGateway({
    env: { HTTP_ALLOW_PRIVATE: 'true', RELAY_ALLOW: '*', RELAY_PARTS: '1', RELAY_STAND_INS: '2' },
  });
  gateway = running;
  const endpoint = {
    endpoint: 'shop',
    kind: 'http',
    config: { write_conn: { url: `http://127.0.0.1:${port}/` } },
  };
  const [hostile, neighbour] = [await newOrganization(running), await newOrganization(running)];
  for (const { call } of [hostile, neighbour]) {
    expect(await call('POST', '/endpoints', endpoint)).toMatchObject({ status: 200 });
  }
  type Caller = typeof hostile;
  const read = ({ call }: Caller, path: string) =>
    call('POST', '/endpoints/shop/read', { method: 'GET', path });
  const write = ({ call }: Caller) =>
    call('POST', '/endpoints/shop/write', { method: 'POST', path: '/', body: {} });
  const kill = async (part: string): Promise<void> => {
    const pid = partsOf(running).get(part) ?? 0;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => partsOf(running).get(part)).not.toBe(pid);
  };

  for (let death = 0; death < 2; death += 1) {
    const asked = read(hostile, '/held');
    await expect.poll(() => held.length).toBe(1);
    await kill('0');
    expect(await asked).toMatchObject({ status: 503 });
    held.splice(0);
  }
  await expect.poll(() => partsOf(running).has('own-1')).toBe(true);

  /** Calls without a break while the part of that name dies; what did not succeed. */
  async function failuresOf(caller: Caller, part: string): Promise<unknown[]> {
    const replies: unknown[] = [];
    let on = true;
    const asking = (async () => {
      while (on) replies.push(await read(caller, '/now'), await write(caller));
    })();
    await kill(part);
    await sleep(500);
    on = false;
    await asking;
    return replies.filter((reply) => (reply as { status: number }).status !== 200);
  }
  expect(await read(hostile, '/now')).toMatchObject({ status: 200 });
  expect(await failuresOf(hostile, '0')).toEqual([]);
  expect(await read(neighbour, '/now')).toMatchObject({ status: 200 });
  expect(await failuresOf(neighbour, 'own-1')).toEqual([]);
  backend.close();
  backend.closeAllConnections();
});
