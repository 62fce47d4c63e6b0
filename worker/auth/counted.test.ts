/** Every hash is a check of a password, counted before it; what is refused for another reason hashes nothing. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { givePassword, PASSWORD, storeHash, tryLogin } from '../test/accounts.ts';
import { failure, insertOrganization, startGateway } from '../test/gateway.ts';

const TOO_MANY = {
  status: 429,
  body: failure('RATE_LIMITED', 'Too many requests: try again later'),
};
/** scrypt of "password" with other parameters than are in force: RFC 7914 §12, cut to 32 bytes. */
const OUTDATED = '$scrypt$ln=10,r=8,p=16$TmFDbA$_bq-HJ00cgB4VucZDQHp_nxq18vII3gw53N2Y0s3MWI';

/** Limiters that take the first `quota`, and a hasher, which tell in what order they were asked. */
function counting(quota = Number.POSITIVE_INFINITY) {
  const asked: string[] = [];
  const limiter = (name: string, most: number) => ({
    limit: async ({ key }: { key: string }) => {
      asked.push(`${name} ${key}`);
      return { success: asked.filter((each) => each.startsWith(name)).length <= most };
    },
  });
  const object = env.PASSWORD_HASHERS.getByName('hasher:0');
  const bindings = {
    RATE_LIMITS: 'on',
    LIMIT_PASSWORD_BY_ADDRESS: limiter('address', quota),
    LIMIT_PASSWORD_BY_ACCOUNT: limiter('account', Number.POSITIVE_INFINITY),
    PASSWORD_HASHER: {
      fetch(url: string, init: RequestInit<RequestInitCfProperties>) {
        asked.push('hash');
        return object.fetch(url, init);
      },
    },
  };
  const kinds = () => asked.map((each) => each.split(' ')[0]);
  return { asked, kinds, bindings };
}

const name = () => `user-${crypto.randomUUID()}`;
const founding = (count: number, id = `org-${crypto.randomUUID()}`) => ({
  id,
  super_admins: Array.from({ length: count }, () => ({ username: name(), password: PASSWORD })),
});

describe('POST /new', () => {
  test('counts each password before the first is hashed', async () => {
    const { asked, bindings } = counting();
    const gateway = await startGateway('Read', { bindings });
    const body = founding(2);
    expect((await gateway.call('POST', '/new', body, '')).status).toBe(200);
    expect(asked).toEqual([
      'address local',
      'address local',
      ...body.super_admins.map(({ username }) => `account local ${username}`),
      'hash',
      'hash',
    ]);
  });

  test('hashes nothing where there is one too many', async () => {
    const { kinds, bindings } = counting(2);
    const gateway = await startGateway('Read', { bindings });
    const body = founding(3);
    expect(await gateway.call('POST', '/new', body, '')).toEqual(TOO_MANY);
    expect(kinds()).toEqual(['address', 'address', 'address']);
  });

  test('hashes nothing where the id is taken, or a name is none', async () => {
    const { kinds, bindings } = counting();
    const gateway = await startGateway('Read', { bindings });
    const taken = await insertOrganization(gateway.bindings);
    const replies = [
      await gateway.call('POST', '/new', founding(3, taken.id), ''),
      await gateway.call('POST', '/new', founding(3, '-'), ''),
    ];
    expect(replies.map(({ status }) => status)).toEqual([409, 400]);
    expect(kinds()).not.toContain('hash');
  });
});

test('a login counts one, and another where the hash is outdated', async () => {
  const { kinds, bindings } = counting();
  const gateway = await startGateway('Read', { bindings });
  await storeHash(gateway.user, OUTDATED);
  await tryLogin(gateway, { password: 'password' });
  await gateway.settle();
  expect(kinds()).toEqual(['address', 'account', 'hash', 'address', 'account', 'hash']);
});

test('an outdated hash stays where a second check is one too many', async () => {
  const { kinds, bindings } = counting(1);
  const gateway = await startGateway('Read', { bindings });
  await storeHash(gateway.user, OUTDATED);
  expect((await tryLogin(gateway, { password: 'password' })).status).toBe(200);
  await gateway.settle();
  expect(kinds()).toEqual(['address', 'account', 'hash', 'address']);
});

test('a change of one’s own password counts the old one, and the new one before it is hashed', async () => {
  const { kinds, bindings } = counting();
  const gateway = await startGateway('Read', { bindings });
  await givePassword(gateway.user);
  const body = { password: 'a new password', current_password: PASSWORD };
  const path = `/iam/users/${gateway.user.uuid}`;
  expect((await gateway.call('PATCH', path, body)).status).toBe(200);
  expect(kinds()).toEqual(['address', 'account', 'hash', 'address', 'account', 'hash']);
});

test('one that brings a wrong password counts one', async () => {
  const { kinds, bindings } = counting();
  const gateway = await startGateway('Read', { bindings });
  await givePassword(gateway.user);
  const body = { password: 'a new password', current_password: 'a wrong password' };
  const path = `/iam/users/${gateway.user.uuid}`;
  expect(await gateway.call('PATCH', path, body)).toMatchObject({
    status: 401,
    body: { code: 'INVALID_CREDENTIALS' },
  });
  expect(kinds()).toEqual(['address', 'account', 'hash']);
});

test('a new password is not hashed where it is one too many', async () => {
  const { kinds, bindings } = counting(1);
  const gateway = await startGateway('Read', { bindings });
  await givePassword(gateway.user);
  const body = { password: 'a new password', current_password: PASSWORD };
  expect(await gateway.call('PATCH', `/iam/users/${gateway.user.uuid}`, body)).toEqual(TOO_MANY);
  expect(kinds()).toEqual(['address', 'account', 'hash', 'address']);
});

test('a user that is made with a password counts one, one without none', async () => {
  const { kinds, bindings } = counting();
  const gateway = await startGateway('SuperAdmin', { bindings });
  const add = (body: Record<string, string>) => gateway.call('POST', '/iam/users', body);
  expect((await add({ username: name(), password: PASSWORD })).status).toBe(200);
  expect((await add({ username: name() })).status).toBe(200);
  expect(kinds()).toEqual(['address', 'account', 'hash']);
});
