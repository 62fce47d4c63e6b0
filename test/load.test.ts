/** The load generator of the benchmarks: what it counts, and when it gives up. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { generateLoad } from '../bench/load.ts';

async function serve(handle: RequestListener): Promise<number> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const LOAD = { path: '/measured', headers: { Authorization: 'Bearer t' }, seconds: 0.2 };

test('sends each connection the request that is its own, and counts every reply once', async () => {
  const bodies = new Map<string, number>();
  const port = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { method, url, headers } = request;
    bodies.set(body, (bodies.get(body) ?? 0) + 1);
    expect([method, url, headers.authorization]).toEqual(['POST', '/measured', 'Bearer t']);
    response.end('ok');
  });
  const body = (connection: number) => `of ${connection}`;
  const measured = await generateLoad({ ...LOAD, port, body, connections: 3, batch: 2 });
  expect([...bodies.keys()].toSorted()).toEqual(['of 0', 'of 1', 'of 2']);
  const served = bodies.values().reduce((sum, each) => sum + each, 0);
  expect(measured.replies * 2).toBe(served);
  expect(measured.throughput).toBeCloseTo(measured.replies / measured.seconds, 6);
  expect(measured.seconds).toBeGreaterThanOrEqual(LOAD.seconds);
  expect(measured.p50).toBeLessThanOrEqual(measured.p99);
});

test('counts the time that the last reply takes beyond the end', async () => {
  const port = await serve((_request, response) => void setTimeout(() => response.end('ok'), 500));
  const measured = await generateLoad({ ...LOAD, port, body: '', connections: 1 });
  expect(measured.replies).toBe(1);
  expect(measured.seconds).toBeGreaterThan(0.45);
  expect(measured.throughput).toBeLessThan(2.3);
});

test.each<[string, RequestListener, RegExp]>([
  [
    'a reply that is no 200',
    (_request, response) => void response.writeHead(429, { 'Content-Length': 0 }).end(),
    /^Not a 200: HTTP\/1\.1 429/,
  ],
  [
    'a connection that the server ends',
    (request) => void request.socket.destroy(),
    /^The server closed the connection$/,
  ],
])('ends at %s', async (_, handle, message) => {
  const port = await serve(handle);
  await expect(generateLoad({ ...LOAD, port, body: '', connections: 2 })).rejects.toThrow(message);
});
