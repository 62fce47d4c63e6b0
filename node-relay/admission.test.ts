/** Who may call a node: the gateway alone, by tokens of a minute. */
import { Code } from '@connectrpc/connect';
import { CompactSign, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { Admission } from './admission.ts';
import { callToken, type Keys, makeKeys } from './test/relay.ts';

const NODE = '0f8fad5b-d9cb-869f-a165-70867728950e';
const STARTED = Date.now() - 600_000;
let keys: Keys;
let other: Keys;
beforeAll(async () => {
  keys = await makeKeys();
  other = await makeKeys();
});

function admission(gatewayKeys = [keys.gatewayPublic]) {
  const onVerify = vi.fn();
  return {
    node: new Admission({ gatewayKeys, nodeId: NODE, startedMs: STARTED, onVerify }),
    onVerify,
  };
}
const bearer = (token: string) => `Bearer ${token}`;

describe('a call token', () => {
  const INVALID = 'The call token is not valid for this node';
  const now = () => Date.now() / 1000;

  test.each([
    { fault: 'is missing', message: 'A call token is required', token: async () => '' },
    { fault: 'is no token', token: async () => 'a.b.c' },
    { fault: 'has expired', token: () => callToken(keys, NODE, { issuedMs: Date.now() - 61_000 }) },
    { fault: 'is for another node', token: () => callToken(keys, crypto.randomUUID()) },
    { fault: 'is signed by another gateway', token: () => callToken(other, NODE) },
    {
      fault: 'is older than the node',
      message: 'The call token is older than this node',
      token: () => callToken(keys, NODE, { issuedMs: STARTED - 1, lifeS: 3600 }),
    },
    {
      fault: 'never expires',
      token: () =>
        new SignJWT({ aud: NODE, iat: now() })
          .setProtectedHeader({ alg: 'EdDSA' })
          .sign(keys.gatewayPrivate),
    },
    {
      fault: 'has no time of issue',
      token: () =>
        new SignJWT({ aud: NODE, exp: now() + 60 })
          .setProtectedHeader({ alg: 'EdDSA' })
          .sign(keys.gatewayPrivate),
    },
    {
      fault: 'is not signed',
      token: async () => new UnsecuredJWT({ aud: NODE, iat: now(), exp: now() + 60 }).encode(),
    },
    {
      fault: 'is signed with the public key as a secret',
      token: () =>
        new SignJWT({ aud: NODE, iat: now(), exp: now() + 60 })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(keys.gatewayPublic.x)),
    },
    {
      fault: 'has a critical header nobody knows',
      token: () =>
        new CompactSign(
          new TextEncoder().encode(JSON.stringify({ aud: NODE, iat: now(), exp: now() + 60 })),
        )
          .setProtectedHeader({ alg: 'EdDSA', crit: ['x'], x: 1 })
          .sign(keys.gatewayPrivate, { crit: { x: true } }),
    },
  ])('that $fault is refused', async ({ token, message = INVALID }) => {
    const { node } = admission();
    const header = bearer(await token());
    await expect((async () => node.admit(header))()).rejects.toMatchObject({
      connectCode: Code.Unauthenticated,
      code: 'NODE_UNAVAILABLE',
      message,
    });
  });

  test.each(['Basic x', 'bearer x', null])('is not read from the header %j', async (header) => {
    const { node } = admission();
    await expect((async () => node.admit(header))()).rejects.toThrow('A call token is required');
  });

  test('is verified once, however many calls bring it at a time', async () => {
    const { node, onVerify } = admission();
    const header = bearer(await callToken(keys, NODE));
    await Promise.all(Array.from({ length: 64 }, () => node.admit(header)));
    for (let call = 0; call < 64; call += 1) expect(node.admit(header)).toBeUndefined();
    expect(onVerify).toHaveBeenCalledTimes(1);
  });

  test('is refused once it has expired, though it was known', async () => {
    const { node } = admission();
    const header = bearer(await callToken(keys, NODE, { lifeS: 60 }));
    await node.admit(header);
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] });
    await expect((async () => node.admit(header))()).rejects.toThrow(INVALID);
    vi.useRealTimers();
  });

  test("is taken from the gateway's key before this one too", async () => {
    const { node } = admission([other.gatewayPublic, keys.gatewayPublic]);
    for (const signer of [keys, other]) {
      expect(await node.admit(bearer(await callToken(signer, NODE)))).toBeUndefined();
    }
  });

  test('of another key is not remembered', async () => {
    const { node, onVerify } = admission();
    const header = bearer(await callToken(other, NODE));
    for (const _ of [1, 2]) await expect(node.admit(header)).rejects.toThrow(INVALID);
    expect(onVerify).toHaveBeenCalledTimes(2);
  });
});
