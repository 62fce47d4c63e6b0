/** What is left of a Redis session when the relay that holds it dies. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { killRelay } from './processes.ts';
import { type RedisEndpoint, redisEndpoint } from './redis-endpoint.ts';

let gateway: OwnGateway;
let redis: RedisEndpoint;

beforeAll(async () => {
  gateway = await startGateway();
  redis = await redisEndpoint(gateway);
}, 60_000);
afterAll(async () => {
  await redis?.drop();
  await gateway?.stop();
});

test('a transaction that was open is not kept, and its session is gone', async () => {
  const { write, open, say } = redis;
  const headers = await open();
  await write({ type: 'multi' }, headers);
  expect(await write({ type: 'set', args: ['held', '1'] }, headers)).toMatchObject({ status: 200 });
  killRelay(gateway.pid);
  await expect
    .poll(async () => (await write({ type: 'exists', args: ['held'] })).body, {
      timeout: 15_000,
      interval: 200,
    })
    .toMatchObject({ data: { result: 0 } });
  expect(await write({ type: 'exec' }, headers)).toMatchObject({ status: 404 });
  expect(await say('EXISTS held')).toBe(0);
}, 30_000);
