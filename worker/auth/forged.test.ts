/** Tokens that this gateway did not issue, or not like this. Spec: "Errors". Contract §13, "token faults". */
import { base64url, CompactSign, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import vectors from '../../test/conformance/jose/json_web_signature_test.json?raw';
import { payloadUnder } from '../access/tokens.ts';
import { failure, NOW, startGateway, type TestGateway } from '../test/gateway.ts';

const encoder = new TextEncoder();
const SECONDS = NOW / 1000;
const INVALID = { status: 401, body: failure('TOKEN_INVALID', 'Invalid token format') };

const claimsOf = ({ user, organization }: TestGateway): JWTPayload => ({
  user_id: user.username,
  user_uuid: user.uuid,
  org_id: organization.id,
  org_uuid: organization.uuid,
  iat: SECONDS,
  exp: SECONDS + 3600,
  jti: `${NOW}.${NOW}.x`,
});
const header = { alg: 'HS256', typ: 'JWT' };
const sign = (claims: unknown, key: Uint8Array, protectedHeader: object = header) =>
  new CompactSign(encoder.encode(JSON.stringify(claims)))
    .setProtectedHeader({ ...header, ...protectedHeader })
    .sign(key, { crit: { beyond: true } });
const without = (claims: JWTPayload, name: string) =>
  Object.fromEntries(Object.entries(claims).filter(([each]) => each !== name));
const part = (value: object) => base64url.encode(JSON.stringify(value));

/** Made by hand, so that the table below refuses what it means to refuse. */
test('a token of these claims under the gateway’s key is taken', async () => {
  const gateway = await startGateway('Read');
  const token = await sign(claimsOf(gateway), encoder.encode(gateway.settings.JWT_SECRET));
  expect((await gateway.call('POST', '/auth/refresh', undefined, token)).status).toBe(200);
});

type Forgery = (claims: JWTPayload, key: Uint8Array) => Promise<string> | string;
const forgeries: [string, Forgery][] = [
  ['no algorithm', (claims) => `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`],
  ['the algorithm None', (claims) => `${part({ alg: 'None', typ: 'JWT' })}.${part(claims)}.`],
  ['another key', (claims) => sign(claims, encoder.encode('x'.repeat(32)))],
  ['HS384', (claims, key) => sign(claims, key, { alg: 'HS384' })],
  ['HS512', (claims, key) => sign(claims, key, { alg: 'HS512' })],
  ['another type', (claims, key) => sign(claims, key, { typ: 'at+jwt' })],
  ['a critical member', (claims, key) => sign(claims, key, { crit: ['beyond'], beyond: 1 })],
  ['nbf in the future', (claims, key) => sign({ ...claims, nbf: SECONDS + 60 }, key)],
  ['exp as a text', (claims, key) => sign({ ...claims, exp: `${claims.exp}` }, key)],
  ['an audience', (claims, key) => sign({ ...claims, aud: 'another service' }, key)],
  ['a fractional exp', (claims, key) => sign({ ...claims, exp: SECONDS + 0.5 }, key)],
  ['a user that is no UUID', (claims, key) => sign({ ...claims, user_uuid: 'me' }, key)],
  ['a jti of another form', (claims, key) => sign({ ...claims, jti: 'x' }, key)],
  ['no claims at all', (_claims, key) => sign([], key)],
  [
    'no JSON',
    (_claims, key) => new CompactSign(encoder.encode('x')).setProtectedHeader(header).sign(key),
  ],
  ...['user_id', 'user_uuid', 'org_id', 'org_uuid', 'iat', 'exp', 'jti'].map(
    (name): [string, Forgery] => [`no ${name}`, (claims, key) => sign(without(claims, name), key)],
  ),
  [
    'RS256',
    async (claims) => {
      const algorithm = {
        name: 'RSASSA-PKCS1-v1_5',
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
        hash: 'SHA-256',
      };
      const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
      if (!('privateKey' in pair)) throw new Error('not a pair');
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .sign(pair.privateKey);
    },
  ],
];

test.each(forgeries)('a token with %s is refused', async (_what, forge) => {
  const gateway = await startGateway('SuperAdmin');
  const token = await forge(claimsOf(gateway), encoder.encode(gateway.settings.JWT_SECRET));
  expect(await gateway.call('POST', '/auth/refresh', undefined, token)).toEqual(INVALID);
});

test('a token whose any part was changed is refused', async () => {
  const gateway = await startGateway('SuperAdmin');
  const parts = (await gateway.token()).split('.');
  for (const index of [0, 1, 2]) {
    const changed = parts.map((each, at) =>
      at === index ? `${each.slice(0, 9)}${each[9] === 'A' ? 'B' : 'A'}${each.slice(10)}` : each,
    );
    const reply = await gateway.call('POST', '/auth/refresh', undefined, changed.join('.'));
    expect(reply).toEqual(INVALID);
  }
});

interface Vectors {
  readonly testGroups: readonly {
    readonly private?: { readonly kty: string; readonly k?: string };
    readonly tests: readonly { tcId: number; comment: string; jws: string; result: string }[];
  }[];
}
const { testGroups } = JSON.parse(vectors) as Vectors; // The file's own schema.

/** Whether the signature holds; the payloads are texts, so no vector gets further than that. */
async function isAuthentic(key: Uint8Array, jws: string): Promise<boolean> {
  const code = await payloadUnder(key, jws, NOW).then(
    () => 'TAKEN',
    (thrown: { code?: string }) => thrown.code,
  );
  return code === 'ERR_JWT_INVALID';
}

describe('Wycheproof, JSON web signatures', () => {
  // Marked valid for decoders that skip what is no base64url; RFC 7515 §2 does not, nor do we.
  const stricter = new Set([372, 373]);
  // Marked invalid for a padding that their texts lack: they are the text of 357, which is valid.
  const padded = new Set([367, 370]);
  const symmetric = testGroups.flatMap(({ private: key, tests }) =>
    key?.kty === 'oct'
      ? tests.map((each) => ({ ...each, key: base64url.decode(key.k ?? '') }))
      : [],
  );
  const other = testGroups
    .filter(({ private: key }) => key?.kty !== 'oct')
    .flatMap(({ tests }) => tests);

  test('there are as many as published', () => {
    expect([symmetric.length, other.length]).toEqual([40, 361]);
  });

  test.each(symmetric)('$tcId $comment: $result', async ({ tcId, key, jws, result }) => {
    const expected = padded.has(tcId) || (result === 'valid' && !stricter.has(tcId));
    expect(await isAuthentic(key, jws)).toBe(expected);
  });

  test('none of another algorithm is authentic under a key of ours', async () => {
    const key = encoder.encode('x'.repeat(32));
    const authentic = await Promise.all(other.map(({ jws }) => isAuthentic(key, jws)));
    expect(authentic.filter(Boolean)).toEqual([]);
  });
});
