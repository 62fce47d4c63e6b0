/** Where passwords are hashed, and what happens when too many are, or nobody can be asked. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { Derivation, WAITING_MAX } from '../../proto/derivation.ts';
import { GatewayError } from '../../proto/errors.ts';
import { basic, countedCheck, givePassword, tryLogin } from '../test/accounts.ts';
import { failure, startGateway } from '../test/gateway.ts';
import { derive } from './hasher.ts';

/** One of RFC 7914, section 12: scrypt of the empty text, 2^4, 1, 1. */
const CHEAP = { ln: 4, r: 1, p: 1, length: 64 };
const CHEAP_KEY =
  '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906';
const NONE = new Uint8Array();

const hex = (bytes: Uint8Array) =>
  [...bytes].map((each) => each.toString(16).padStart(2, '0')).join('');

async function contextOf(address: string, hasher?: (request: Request) => Promise<Response>) {
  const { ctx } = await countedCheck(address);
  const fetch = (input: RequestInfo, init?: RequestInit) => hasher?.(new Request(input, init));
  return hasher ? { ...ctx, env: { ...ctx.env, PASSWORD_HASHER: { fetch } as never } } : ctx;
}

test.each(['local', '203.0.113.7', '2001:db8::1', 'whatever'])(
  'for %s an object answers what the RFC says',
  async (address) => {
    expect(hex(await derive(await contextOf(address), NONE, NONE, CHEAP))).toBe(CHEAP_KEY);
  },
);

test('a process next to the worker is asked first, for the caller’s network', async () => {
  const asked: unknown[] = [];
  const ctx = await contextOf('2001:db8::1', async (request) => {
    asked.push(Derivation.parse(await request.json()));
    return new Response(new Uint8Array([1, 2, 3]));
  });
  const password = new TextEncoder().encode('secret');
  expect(await derive(ctx, password, new Uint8Array([255]), CHEAP)).toEqual(
    new Uint8Array([1, 2, 3]),
  );
  expect(asked).toEqual([{ who: '2001:db8:0:0::/64', password: 'c2VjcmV0', salt: '_w', ...CHEAP }]);
});

test('one that dies is asked again', async () => {
  let tries = 0;
  const ctx = await contextOf('local', async () => {
    tries += 1;
    if (tries < 3) throw new Error('Network connection lost.');
    return new Response(new Uint8Array([1]));
  });
  expect(await derive(ctx, NONE, NONE, CHEAP)).toEqual(new Uint8Array([1]));
});

test('one that is not there is a 503', async () => {
  const ctx = await contextOf('local', () => Promise.reject(new Error('connect failed')));
  await expect(derive(ctx, NONE, NONE, CHEAP)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    retryAfter: 5,
  });
});

test('a client that goes away asks no more', async () => {
  const gone = new AbortController();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const ctx = await contextOf('local', async ({ signal }) => {
    resolve();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  });
  const deriving = derive({ ...ctx, signal: gone.signal }, NONE, NONE, CHEAP);
  await asked;
  gone.abort();
  await expect(deriving).rejects.toBeInstanceOf(GatewayError);
});

test('a login that finds the line full is 503, with the time to come back', async () => {
  const gateway = await startGateway('Read', {
    bindings: { PASSWORD_HASHER: { fetch: async () => new Response(null, { status: 503 }) } },
  });
  const response = await gateway.send('/auth/login', {
    headers: { Authorization: basic('nobody', 'password'), 'X-Org-Id': 'nowhere' },
  });
  expect([response.status, response.headers.get('Retry-After'), await response.json()]).toEqual([
    503,
    '5',
    failure('SERVICE_UNAVAILABLE', 'Too many passwords wait to be checked'),
  ]);
});

test('an object takes its share of those that wait, and serves others among them', async () => {
  const gateway = await startGateway('Read');
  await givePassword(gateway.user);
  const address = '203.0.113.7';
  const costly = { ln: 15, r: 8, p: 1, length: 32 };
  const ctx = await contextOf(address);
  const share = WAITING_MAX / 4;
  const outcomes = await Promise.all(
    Array.from({ length: share + 5 }, () =>
      derive(ctx, NONE, NONE, costly).then(
        () => 'done',
        (thrown: unknown) => (thrown instanceof GatewayError ? thrown.code : thrown),
      ),
    ),
  );
  const done = outcomes.filter((each) => each === 'done').length;
  // One that ends while others still arrive makes room for one more.
  expect(done).toBeGreaterThanOrEqual(share + 1);
  expect(outcomes.filter((each) => each === 'SERVICE_UNAVAILABLE')).toHaveLength(share + 5 - done);
  expect(await tryLogin(gateway)).toMatchObject({ status: 200 });
});

test('an object refuses what is no question of ours', async () => {
  const object = env.PASSWORD_HASHERS.getByName('hasher:0');
  for (const body of [
    '',
    '{}',
    JSON.stringify({ ...CHEAP, ln: 30, who: 'a', password: '', salt: '' }),
  ]) {
    const response = await object.fetch('http://hasher.invalid/', { method: 'POST', body });
    expect(response.status).toBe(400);
    await response.body?.cancel();
  }
});
