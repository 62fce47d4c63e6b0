/** Public test vectors, each through the place where tokens of identity providers are verified. */
import { env } from 'cloudflare:test';
import { base64url, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import rsaPkcs1 from '../../../test/conformance/jose/cookbook-jws/4_1.rsa_v15_signature.json?raw';
import rsaPss from '../../../test/conformance/jose/cookbook-jws/4_2.rsa-pss_signature.json?raw';
import ecdsa from '../../../test/conformance/jose/cookbook-jws/4_3.ecdsa_signature.json?raw';
import hmac from '../../../test/conformance/jose/cookbook-jws/4_4.hmac-sha2_integrity_protection.json?raw';
import detached from '../../../test/conformance/jose/cookbook-jws/4_5.signature_with_detached_content.json?raw';
import specific from '../../../test/conformance/jose/cookbook-jws/4_6.protecting_specific_header_fields.json?raw';
import contentOnly from '../../../test/conformance/jose/cookbook-jws/4_7.protecting_content_only.json?raw';
import multiple from '../../../test/conformance/jose/cookbook-jws/4_8.multiple_signatures.json?raw';
import keyVectors from '../../../test/conformance/jose/json_web_key_test.json?raw';
import signatureVectors from '../../../test/conformance/jose/json_web_signature_test.json?raw';
import differences from '../../../test/suites/differences/jose.json' with { type: 'json' };
import { openContext } from '../../context.ts';
import { Issuers } from '../../issuers.ts';
import { settingsOf } from '../../settings.ts';
import { failure, NOW, startGateway } from '../../test/gateway.ts';
import { payloadUnder } from '../tokens.ts';
import { verifyExternal } from './verify.ts';

const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
];
const ISSUER = {
  issuer: 'https://vectors.test',
  audience: 'gateway',
  jwks_url: 'https://vectors.test/keys',
  algorithms: ALGORITHMS,
  organizations: ['acme'],
};

type Key = Readonly<Record<string, unknown>>;
interface Vector {
  readonly name: string;
  readonly jws: string;
  readonly keys: readonly Key[];
  readonly isValid: boolean;
}
interface Vectors {
  readonly testGroups: readonly {
    readonly public?: Key | { readonly keys: readonly Key[] };
    readonly private: Key | { readonly keys: readonly Key[] };
    readonly tests: readonly { tcId: number; comment: string; jws: string; result: string }[];
  }[];
}

function vectorsOf(file: string): Vector[] {
  const { testGroups } = JSON.parse(file) as Vectors; // The file's own schema.
  return testGroups.flatMap(({ public: open, private: secret, tests }) => {
    const given = open ?? secret;
    const keys = Array.isArray(given.keys) ? (given.keys as Key[]) : [given];
    return tests.map(({ tcId, comment, jws, result }) => {
      return { name: `${tcId} ${comment}`, jws, keys, isValid: result === 'valid' };
    });
  });
}

interface Example {
  readonly input: { readonly key: Key | readonly Key[] };
  readonly output: { readonly compact?: string; readonly json?: Key; readonly json_flat?: Key };
}

/** Each form that an example is written in; of these only the compact one with its content is a token. */
function formsOf(file: string): Vector[] {
  const { input, output } = JSON.parse(file) as Example; // The file's own schema.
  const keys = [input.key].flat() as Key[];
  return Object.entries(output).map(([form, written]) => {
    const jws = typeof written === 'string' ? written : JSON.stringify(written);
    const isValid = form === 'compact' && !jws.includes('..');
    return { name: form, jws, keys: keys.map(publicHalf), isValid };
  });
}

function publicHalf(key: Key): Key {
  const secret = ['d', 'p', 'q', 'dp', 'dq', 'qi'];
  return Object.fromEntries(Object.entries(key).filter(([member]) => !secret.includes(member)));
}

const signatures = vectorsOf(signatureVectors);
const keys = vectorsOf(keyVectors);
const examples = [rsaPkcs1, rsaPss, ecdsa, hmac, detached, specific, contentOnly, multiple].flatMap(
  formsOf,
);
const isSymmetric = ({ keys: all }: Vector): boolean => all.some(({ kty }) => kty === 'oct');

/** Whether the signature holds under these keys; the contents are texts, so no vector gets further. */
async function isAuthentic({ jws, keys: published }: Vector): Promise<boolean> {
  const [issuer] = Issuers.parse([ISSUER]);
  if (!issuer) throw new Error('no issuer');
  const open = openContext({
    signal: new AbortController().signal,
    env,
    outside: { now: () => NOW, fetch: async () => Response.json({ keys: published }) },
    requestId: 'test',
    address: 'local',
    waitUntil() {},
  });
  const thrown: unknown = await verifyExternal(open, issuer, jws).catch((fault: unknown) => fault);
  if (!(thrown instanceof GatewayError) || thrown.code !== 'TOKEN_INVALID') throw thrown;
  const { cause } = thrown;
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_JWT_INVALID';
}

describe('Wycheproof, JSON web signatures', () => {
  const listed = new Set(differences.flatMap(({ cases }) => cases));

  test('there are as many as published', () => {
    expect([signatures.length, signatures.filter(isSymmetric).length]).toEqual([401, 40]);
    expect(signatures.filter(({ name }) => listed.has(name)).length).toBe(listed.size);
  });

  test.each(signatures.filter((each) => !isSymmetric(each)))('$name: $isValid', async (vector) => {
    expect((await isAuthentic(vector)) !== vector.isValid).toBe(listed.has(vector.name));
  });

  test('a symmetric key makes none authentic', async () => {
    const authentic = await Promise.all(signatures.filter(isSymmetric).map(isAuthentic));
    expect(authentic).toEqual(authentic.map(() => false));
  });
});

describe('Wycheproof, JSON web keys', () => {
  test('there are as many as published', () => {
    expect(keys.length).toBe(26);
  });

  test.each(keys)('as the key set of a provider, $name: $isValid', async (vector) => {
    expect(await isAuthentic(vector)).toBe(vector.isValid && !isSymmetric(vector));
  });
});

describe('RFC 7520, signatures', () => {
  test('there are as many forms as published', () => {
    expect([examples.length, examples.filter(({ isValid }) => isValid).length]).toEqual([20, 4]);
  });

  test.each(examples)('as the keys of a provider, $name: $isValid', async (vector) => {
    expect(await isAuthentic(vector)).toBe(vector.isValid && !isSymmetric(vector));
  });
});

/** Whether the signature holds under the symmetric key of its name, if our settings take such a secret. */
async function isOurs({ jws, keys: all }: Vector): Promise<boolean> {
  const { kid } = decodeProtectedHeader(jws);
  const secret = base64url.decode(String(all.find((key) => key.kid === kid)?.k ?? ''));
  const JWT_SECRET = String.fromCharCode(...secret);
  if (JWT_SECRET === '') return false; // Counts as not set.
  try {
    settingsOf({ ...env, JWT_SECRET });
  } catch {
    return false;
  }
  const fault: unknown = await payloadUnder(secret, jws, NOW).catch((thrown: unknown) => thrown);
  return fault instanceof Error && 'code' in fault && fault.code === 'ERR_JWT_INVALID';
}

describe('as secrets of our own, symmetric keys', () => {
  // We have one key at a time and it is for HS256: no sets that mix keys or name two alike, no keys
  // that say what they are for.
  const elsewhere = /^(1|4|25|26) /;
  const other = /HS384|HS512/;
  const ours = [...keys, ...examples].filter(
    (each) => isSymmetric(each) && !elsewhere.test(each.name) && /^[\w-]+\./.test(each.jws),
  );

  test.each(ours)('$name: $isValid', async (vector) => {
    const isHs256 = !other.test(JSON.stringify(vector.keys));
    expect(await isOurs(vector)).toBe(vector.isValid && isHs256);
  });
});

test('as bearer tokens none of them opens anything, and none is our failure', async () => {
  const all = [...signatures, ...keys, ...examples].filter(({ jws }) => /^[\x20-\x7e]+$/.test(jws));
  const published = all.flatMap((vector) => vector.keys);
  const gateway = await startGateway('SuperAdmin', {
    issuers: ({ id }) => [{ ...ISSUER, organizations: [id] }],
    fetch: async () => Response.json({ keys: published }),
  });
  const replies = await Promise.all(
    all.map(({ jws }) => gateway.call('GET', '/help', undefined, jws)),
  );
  expect(all.length).toBeGreaterThan(400);
  const refusal = { status: 401, body: failure('TOKEN_INVALID', 'Invalid token format') };
  expect(replies.filter(({ status }) => status !== 401)).toEqual([]);
  expect(replies).toEqual(replies.map(() => refusal));
});
