/** Limits on checks of passwords, on resets, and on new organizations. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import configuration from '../../wrangler.toml?raw';
import { subscriberOf } from '../limits/rate.ts';
import { basic, givePassword, PASSWORD } from '../test/accounts.ts';
import { failure, startGateway } from '../test/gateway.ts';

const TOO_MANY = failure('RATE_LIMITED', 'Too many requests: try again later');
const ON = {
  RATE_LIMITS: 'on',
  PEER: 'header:X-Test-Peer',
  RESET_REDIRECT_URLS: 'https://a.test/',
};
const START = { email: 'ada@example.com', redirectUrl: 'https://a.test/' };

/** A limiter that refuses from the first on, or takes all, and remembers what it counted. */
function limiter(success: boolean) {
  const counted: string[] = [];
  return {
    counted,
    limit: async ({ key }: { key: string }) => ({ success, key: counted.push(key) }),
  };
}

/** Whatever is hashed is refused as one too many. */
function refusingHasher() {
  return { fetch: async () => new Response(null, { status: 503 }) };
}

async function limitedGateway(bindings: Record<string, unknown>, address = '203.0.113.7') {
  const gateway = await startGateway('Read', { bindings: { ...ON, ...bindings } });
  await givePassword(gateway.user);
  const send = async (path: string, headers: Record<string, string>, body?: Json) => {
    const response = await gateway.send(path, {
      method: 'POST',
      headers: {
        'X-Test-Peer': address,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status, headers: replied } = response;
    return {
      status,
      retryAfter: replied.get('Retry-After'),
      policy: replied.get('RateLimit-Policy'),
      body: await response.json(),
    };
  };
  return {
    ...gateway,
    send,
    login: (user: string, password = PASSWORD) =>
      send('/auth/login', {
        Authorization: basic(user, password),
        'X-Org-Id': gateway.organization.id,
      }),
  };
}
const refusal = (policy: string) => ({ status: 429, retryAfter: '60', policy, body: TOO_MANY });

describe('a login', () => {
  test('over a limit is refused before the hash', async () => {
    const PASSWORD_HASHER = refusingHasher();
    const byAddress = await limitedGateway({
      LIMIT_PASSWORD_BY_ADDRESS: limiter(false),
      PASSWORD_HASHER,
    });
    const byAccount = await limitedGateway({
      LIMIT_PASSWORD_BY_ACCOUNT: limiter(false),
      PASSWORD_HASHER,
    });
    const replies = [
      await byAddress.login(byAddress.user.username),
      await byAccount.login(byAccount.user.username),
    ];
    expect(replies).toEqual([
      refusal('"password-by-address";q=50;w=60'),
      refusal('"password-by-account";q=30;w=60'),
    ]);
  });

  test('counts one account under one key, however it is named, right or wrong', async () => {
    const [address, account] = [limiter(true), limiter(true)];
    const gateway = await limitedGateway({
      LIMIT_PASSWORD_BY_ADDRESS: address,
      LIMIT_PASSWORD_BY_ACCOUNT: account,
    });
    const { username, uuid } = gateway.user;
    await gateway.login(username);
    await gateway.login(username.toUpperCase(), 'wrong');
    await gateway.login(uuid, 'wrong');
    await gateway.login('Unknown');
    const key = `203.0.113.7 ${username}`;
    expect(account.counted).toEqual([key, key, key, '203.0.113.7 unknown']);
    expect(address.counted).toEqual(Array.from({ length: 4 }, () => '203.0.113.7'));
  });

  test('without a password is not counted', async () => {
    const address = limiter(true);
    const gateway = await limitedGateway({ LIMIT_PASSWORD_BY_ADDRESS: address });
    await gateway.send('/auth/login', { 'X-Org-Id': gateway.organization.id });
    expect(address.counted).toEqual([]);
  });
});

describe('a reset', () => {
  test('is counted by account and address, its completion under the same key', async () => {
    const [address, account] = [limiter(true), limiter(true)];
    const gateway = await limitedGateway({
      LIMIT_PASSWORD_BY_ADDRESS: address,
      LIMIT_PASSWORD_BY_ACCOUNT: account,
    });
    const { username, uuid } = gateway.user;
    const complete = { username: uuid, token: 'wrong', new_password: 'a new password' };
    await gateway.send('/auth/password/reset', {}, { ...START, email: username });
    await gateway.send('/auth/password/reset', {}, complete);
    expect(account.counted).toEqual([`203.0.113.7 ${username}`, `203.0.113.7 ${username}`]);
    expect(address.counted).toEqual(['203.0.113.7', '203.0.113.7']);
  });

  test('is refused by the platform’s own limiter after 30 of an account in a minute', async () => {
    const gateway = await limitedGateway({}, `2001:db8:${Date.now() % 9999}:1::1`);
    const start = () => gateway.send('/auth/password/reset', {}, START);
    let taken = 0;
    let last = await start();
    // Twice as many at the most: the limiter's minute may end in the midst.
    for (; last.status === 200 && taken < 60; taken += 1) last = await start();
    expect(last).toEqual(refusal('"password-by-account";q=30;w=60'));
    expect(taken).toBeGreaterThanOrEqual(30);
  });
});

test('a new organization is counted by address, before its body and its token are looked at', async () => {
  const gateway = await limitedGateway({
    LIMIT_NEW_BY_ADDRESS: limiter(false),
    NEW_ORG_TOKEN: 'token',
  });
  expect(await gateway.send('/new', {}, { nonsense: true })).toEqual(
    refusal('"new-by-address";q=60;w=60'),
  );
});

test.each([
  ['POST', '/nodes/enrol'],
  ['POST', `/nodes/${crypto.randomUUID()}/beat`],
  ['GET', `/nodes/${crypto.randomUUID()}/tunnel`],
])('what a relay sends is counted by address before anything else: %s %s', async (method, path) => {
  const gateway = await startGateway('Read', {
    bindings: { ...ON, LIMIT_NODES_BY_ADDRESS: limiter(false) },
  });
  expect(await gateway.call(method, path, undefined, '')).toMatchObject({
    status: 429,
    body: { code: 'RATE_LIMITED' },
  });
});

test('RATE_LIMITS=off counts nothing', async () => {
  const off = limiter(false);
  const gateway = await limitedGateway({ RATE_LIMITS: 'off', LIMIT_PASSWORD_BY_ADDRESS: off });
  expect((await gateway.login(gateway.user.username)).status).toBe(200);
  expect(off.counted).toEqual([]);
});

test.each([
  ['LIMIT_PASSWORD_BY_ACCOUNT', 30],
  ['LIMIT_PASSWORD_BY_ADDRESS', 50],
  ['LIMIT_NEW_BY_ADDRESS', 60],
  ['LIMIT_NODES_BY_ADDRESS', 600],
])('%s is bound with the quota that refusals name: %i a minute', (name, quota) => {
  const bound = new RegExp(
    `name = "${name}"\nnamespace_id = "\\d+"\nsimple = \\{ limit = ${quota}, period = 60 \\}`,
  );
  expect(configuration).toMatch(bound);
});

describe('a subscriber', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['local', 'local'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
    ['a:b', 'a:b'],
  ])('%s is %s', (address, subscriber) => expect(subscriberOf(address)).toBe(subscriber));
});
