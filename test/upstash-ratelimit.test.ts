/** The vendor's rate limiter through the facade: its scripts ask for a flag that Redis does not know. */
import { Ratelimit } from '@upstash/ratelimit';
import { Redis } from '@upstash/redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization } from './organization.ts';
import { ownRedis, type RedisServer } from './servers/redis-server.ts';

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await ownRedis();
  const gateway = await sharedGateway();
  const organization = await newOrganization(gateway);
  const config = { write_conn: { url: server.url } };
  const added = { endpoint: 'limits', kind: 'redis', config };
  expect(await organization.call('POST', '/endpoints', added)).toMatchObject({ status: 200 });
  const url = `${gateway.url}/upstash/limits`;
  redis = new Redis({ url, token: organization.token, retry: false });
});
afterAll(() => server?.stop());

describe.each([
  ['fixed window', () => Ratelimit.fixedWindow(3, '60 s')],
  ['sliding window', () => Ratelimit.slidingWindow(3, '60 s')],
  ['token bucket', () => Ratelimit.tokenBucket(3, '60 s', 3)],
] as const)('%s', (name, algorithm) => {
  test('lets three through, and tells what is left', async () => {
    const limit = new Ratelimit({
      redis,
      limiter: algorithm(),
      prefix: name,
      ephemeralCache: false,
    });
    const answers = [];
    for (let count = 0; count < 5; count += 1) answers.push(await limit.limit('somebody'));
    expect(answers.map(({ success }) => success)).toEqual([true, true, true, false, false]);
    expect(await limit.getRemaining('somebody')).toMatchObject({ remaining: 0 });
    expect(await limit.getRemaining('another')).toMatchObject({ remaining: 3 });
    await limit.resetUsedTokens('somebody');
    expect(await limit.limit('somebody')).toMatchObject({ success: true });
  });
});

test('a script that is loaded runs by the digest of what was written', async () => {
  const script = redis.createScript<string>(
    '#!lua flags=allow-key-locking\nreturn "ran " .. ARGV[1]',
  );
  const loaded = await redis.scriptLoad(script.script);
  expect(await redis.scriptExists(loaded)).toEqual([1]);
  expect(await redis.evalsha(loaded, [], ['twice'])).toBe('ran twice');
  expect(await script.exec([], ['again'])).toBe('ran again');
});
