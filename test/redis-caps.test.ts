/** An endpoint with one connection in all: its holder makes others wait within bounds, and none for ever. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscribe } from './event-stream.ts';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { onRedis, ownRedis, type RedisServer } from './servers/redis-server.ts';

let server: RedisServer;
let organization: Organization;
const endpoint = `one-${randomUUID().slice(0, 8)}`;
beforeAll(async () => {
  server = await ownRedis({ modules: false });
  organization = await newOrganization(await sharedGateway());
  const made = await organization.call('POST', '/endpoints', {
    endpoint,
    kind: 'redis',
    config: { write_conn: { url: server.url } },
    backend_pool_limits: { total_max_connections: 1, production_max_connections: 1 },
  });
  expect(made).toMatchObject({ status: 200 });
});
afterAll(() => server?.stop());

const at = (path: string) => `/endpoints/${endpoint}/${path}`;
const ping = (timeout_ms: number, headers = {}) =>
  organization.call('POST', at('read'), { type: 'ping', timeout_ms }, headers);
const PONG = { status: 200, body: { data: { result: 'PONG' } } };
const FULL = { status: expect.toBeOneOf([503, 504]) };

test('a subscription holds it, and gives it to who waits for a session', async () => {
  const subscription = await subscribe(organization, at('read'), {
    type: 'subscribe',
    channels: ['wire'],
  });
  const waiting = organization.call('POST', at('sessions'));
  expect(await ping(1_000)).toMatchObject(FULL);
  subscription.leave();
  // What is told meanwhile shows that nobody listens.
  await onRedis(server.url, ['PUBLISH', 'wire', 'is anybody there?'], ['PUBLISH', 'wire', 'no']);
  const opened = await waiting;
  expect(opened).toMatchObject({ status: 200 });
  const { session_id } = (opened.body as { data: { session_id: string } }).data;
  expect(await ping(30_000, { 'X-Session-Id': session_id })).toMatchObject(PONG);
  expect(await ping(1_000)).toMatchObject(FULL);
  expect(await organization.call('DELETE', at(`sessions/${session_id}`))).toMatchObject({
    status: 200,
  });
  expect(await ping(30_000)).toMatchObject(PONG);
});

test('commands that wait and shared ones take turns', async () => {
  const blocking = { type: 'blpop', keys: ['queue'], timeout: 1 };
  const [waited, ...others] = await Promise.all([
    organization.call('POST', at('write'), blocking),
    ...Array.from({ length: 20 }, () => ping(30_000)),
  ]);
  expect(waited).toMatchObject({ status: 200, body: { data: { result: null } } });
  for (const reply of others) expect(reply).toMatchObject(PONG);
});
