/** Tokens that no trusted identity provider made, or not for this gateway. Contract §3, §13. */
import { env } from 'cloudflare:test';
import { base64url, CompactSign, exportSPKI, importJWK, type JWTHeaderParameters } from 'jose';
import { describe, expect, test } from 'vitest';
import { failure, insertOrganization } from '../../test/gateway.ts';
import {
  AUDIENCE,
  type Claims,
  openProvider,
  SECONDS,
  type SigningKey,
  signingKey,
  startTrusting,
} from '../../test/identity-provider.ts';

const INVALID = { status: 401, body: failure('TOKEN_INVALID', 'Invalid token format') };
const by = (rule: string) => ({
  status: 401,
  body: failure('TOKEN_INVALID', 'Invalid token format', [{ rule }]),
});
const EXPIRED = {
  status: 401,
  body: failure('TOKEN_EXPIRED', 'Token has expired', [{ rule: 'expired' }]),
};
const REVOKED = { status: 401, body: failure('TOKEN_REVOKED', 'Token is no longer valid') };
const encoder = new TextEncoder();

const [rsa, ec, ed] = [
  await signingKey('RS256'),
  await signingKey('ES256'),
  await signingKey('EdDSA'),
];
const stranger = await signingKey('ES256', 'of a stranger');
const shared = { kty: 'oct', k: base64url.encode('s'.repeat(32)), kid: 'shared', alg: 'HS256' };

async function start(algorithms: string[] = ['RS256', 'ES256', 'EdDSA']) {
  const provider = openProvider([rsa, ec, ed, shared]);
  const gateway = await startTrusting(provider, { entry: { algorithms } });
  return { ...gateway, help: (token: string) => gateway.call('GET', '/help', undefined, token) };
}
type Trusting = Awaited<ReturnType<typeof start>>;

test.each([rsa, ec, ed])('a token that $alg signed is taken', async (key) => {
  const { help, sign } = await start();
  expect((await help(await sign(key))).status).toBe(200);
});

describe('claims', () => {
  const taken: [string, Claims][] = [
    ['that has expired within the skew', { exp: SECONDS - 29 }],
    ['that begins within the skew', { nbf: SECONDS + 30 }],
    ['for several audiences', { aud: ['https://else.example.com', AUDIENCE] }],
    ['without the time of its issue', { iat: undefined }],
  ];
  test.each(taken)('a token %s is taken', async (_what, other) => {
    const { help, sign } = await start();
    expect((await help(await sign(ec, other))).status).toBe(200);
  });

  const refused: [string, Claims, object][] = [
    ['that has expired', { exp: SECONDS - 30 }, EXPIRED],
    ['that never expires', { exp: undefined }, INVALID],
    ['that begins later', { nbf: SECONDS + 31 }, INVALID],
    ['for another audience', { aud: 'https://else.example.com' }, by('audience')],
    ['for no audience', { aud: undefined }, by('audience')],
    ['of an issuer that differs by a slash', { iss: 'https://idp.test' }, by('issuer')],
    ['without an issuer', { iss: undefined }, INVALID],
    ['without a subject', { sub: undefined }, INVALID],
    ['of an empty subject', { sub: '' }, INVALID],
    ['of a subject with a line break', { sub: 'a\nb' }, INVALID],
    ['without an organization', { org: undefined }, by('organization')],
    ['of several organizations', { org: ['a', 'b'] }, by('organization')],
    ['of an organization that is nowhere', { org: 'nowhere' }, by('organization')],
    ['bound to a key of its holder', { cnf: { jkt: 'x' } }, INVALID],
  ];
  test.each(refused)('a token %s is refused', async (_what, other, reply) => {
    const { help, sign } = await start();
    expect(await help(await sign(ec, other))).toEqual(reply);
  });

  test('a token is no longer taken once it has expired, also where it was remembered', async () => {
    const { help, sign, clock } = await start();
    const token = await sign(ec, { exp: SECONDS + 60 });
    expect((await help(token)).status).toBe(200);
    clock.now += 90_000;
    expect(await help(token)).toEqual(EXPIRED);
  });
});

describe('organizations', () => {
  test('one that the issuer may not speak for is refused, by id and by UUID', async () => {
    const { help, sign } = await start();
    const other = await insertOrganization(env);
    expect(await help(await sign(ec, { org: other.id }))).toEqual(by('organization'));
    expect(await help(await sign(ec, { org: other.uuid }))).toEqual(by('organization'));
  });

  test('may be listed by id and named by UUID, and the other way round', async () => {
    const provider = openProvider([ec]);
    const gateway = await startTrusting(provider, {
      issuers: ({ uuid }) => [provider.entry(uuid.toUpperCase())],
    });
    const { id, uuid } = gateway.organization;
    for (const org of [id, uuid, uuid.toUpperCase()]) {
      const token = await gateway.sign(ec, { org });
      expect((await gateway.call('GET', '/help', undefined, token)).status).toBe(200);
    }
    const { help, sign, organization } = await start();
    expect((await help(await sign(ec, { org: organization.uuid }))).status).toBe(200);
  });

  test('one that was deleted has no more tokens, remembered or new', async () => {
    const gateway = await startTrusting(openProvider([ec]), { level: 'SuperAdmin' });
    const help = (token: string) => gateway.call('GET', '/help', undefined, token);
    const token = await gateway.sign(ec);
    expect((await help(token)).status).toBe(200);
    const deleted = await gateway.call('DELETE', '/organizations');
    expect(deleted).toMatchObject({ status: 200 });
    expect(await help(token)).toEqual(REVOKED);
    expect(await help(await gateway.sign(ec, { jti: 'new' }))).toEqual(REVOKED);
  });
});

type Forge = (gateway: Trusting, header: JWTHeaderParameters) => Promise<string> | string;
const part = (value: object) => base64url.encode(JSON.stringify(value));
const hmac = (gateway: Trusting, secret: Uint8Array, header: JWTHeaderParameters) =>
  new CompactSign(encoder.encode(JSON.stringify(gateway.claims)))
    .setProtectedHeader({ ...header, alg: 'HS256' })
    .sign(secret);
/** Signed by a stranger, under the name of a key that is known, with what `embed` gives for a header. */
const embedding =
  (embed: () => object): Forge =>
  (gateway) =>
    gateway.sign(stranger, {}, { kid: ec.kid, ...embed() });

const forgeries: [string, Forge, object][] = [
  ['of a stranger', ({ sign }) => sign(stranger), by('signature')],
  ['of a stranger under a known name', embedding(() => ({})), by('signature')],
  [
    'of a stranger without a name',
    ({ sign }) => sign(stranger, {}, { kid: undefined }),
    by('signature'),
  ],
  ['with its own key in it', embedding(() => ({ jwk: stranger.published })), by('signature')],
  [
    'that points to its own keys',
    embedding(() => ({ jku: 'https://evil.test/keys' })),
    by('signature'),
  ],
  [
    'that points to its own certificate',
    embedding(() => ({ x5u: 'https://evil.test/x5u' })),
    by('signature'),
  ],
  ['with its own certificate in it', embedding(() => ({ x5c: ['MIIB'] })), by('signature')],
  [
    'without an algorithm',
    ({ claims }) => `${part({ alg: 'none' })}.${part(claims)}.`,
    by('algorithm'),
  ],
  [
    'of the algorithm nOnE',
    ({ claims }) => `${part({ alg: 'nOnE' })}.${part(claims)}.`,
    by('algorithm'),
  ],
  [
    'that HS256 signed with the public key as PEM',
    async (gateway, header) => {
      const key = await importJWK(rsa.published, 'RS256', { extractable: true });
      if (key instanceof Uint8Array) throw new Error('not a key pair');
      return hmac(gateway, encoder.encode(await exportSPKI(key)), { ...header, kid: rsa.kid });
    },
    by('algorithm'),
  ],
  [
    'that HS256 signed with the public key as JWK',
    (gateway, header) =>
      hmac(gateway, encoder.encode(JSON.stringify(rsa.published)), { ...header, kid: rsa.kid }),
    by('algorithm'),
  ],
  [
    'that HS256 signed with a symmetric key of the key set',
    (gateway, header) => hmac(gateway, base64url.decode(shared.k), { ...header, kid: shared.kid }),
    by('algorithm'),
  ],
  [
    'that HS256 signed with our own secret',
    (gateway, header) => hmac(gateway, encoder.encode(gateway.settings.JWT_SECRET), header),
    by('algorithm'),
  ],
  ['with a critical member', ({ sign }) => critical(sign), INVALID],
  ['for logging out', ({ sign }) => sign(ec, {}, { typ: 'logout+jwt' }), INVALID],
  ['with padding', async ({ sign }) => `${await sign(ec)}=`, INVALID],
  ['of two parts', async ({ sign }) => (await sign(ec)).split('.').slice(0, 2).join('.'), INVALID],
  ['of five parts', async ({ sign }) => `${await sign(ec)}.e30.e30`, INVALID],
];

async function critical(sign: Trusting['sign']): Promise<string> {
  const [, payload = ''] = (await sign(ec)).split('.');
  return new CompactSign(base64url.decode(payload))
    .setProtectedHeader({ alg: 'ES256', kid: ec.kid, crit: ['beyond'], beyond: 1 })
    .sign(ec.privateKey, { crit: { beyond: true } });
}

test.each(forgeries)('a token %s is refused', async (_what, forge, reply) => {
  const gateway = await start();
  const token = await forge(gateway, { alg: 'ES256', kid: ec.kid });
  expect(await gateway.help(token)).toEqual(reply);
});

test.each(['at+jwt', 'JWT', 'application/at+jwt'])('a token of type %s is taken', async (typ) => {
  const { help, sign } = await start();
  expect((await help(await sign(ec, {}, { typ }))).status).toBe(200);
});

describe('algorithms', () => {
  test('only those of the setting are taken, whatever keys are published', async () => {
    const { help, sign } = await start(['ES256']);
    expect((await help(await sign(ec))).status).toBe(200);
    for (const key of [rsa, ed]) expect(await help(await sign(key))).toEqual(by('algorithm'));
  });

  test("a key's own algorithm binds it", async () => {
    const provider = openProvider([{ ...rsa.published, alg: 'PS256' }]);
    const gateway = await startTrusting(provider, { entry: { algorithms: ['RS256', 'PS256'] } });
    const reply = await gateway.call('GET', '/help', undefined, await gateway.sign(rsa));
    expect(reply).toEqual(by('signature'));
  });
});

const unfit: [string, (key: SigningKey) => object][] = [
  ['for encryption', ({ published }) => ({ ...published, use: 'enc' })],
  ['for signing only', ({ published }) => ({ ...published, key_ops: ['sign'] })],
  ['twice under one name', ({ published }) => published],
  ['with a private half', ({ published }) => ({ ...published, d: 'AAAA' })],
  ['off its curve', ({ published }) => ({ ...published, x: published.y })],
  ['of another curve', ({ published }) => ({ ...published, crv: 'P-384' })],
];
test.each(unfit)('a key %s verifies nothing', async (what, change) => {
  const key = change(ec);
  const provider = openProvider(what === 'twice under one name' ? [key, key] : [key]);
  const gateway = await startTrusting(provider);
  const reply = await gateway.call('GET', '/help', undefined, await gateway.sign(ec));
  expect(reply).toEqual(by('signature'));
});

test("one provider's key signs for no other", async () => {
  const [mine, others] = [openProvider([ec]), openProvider([stranger])];
  const gateway = await startTrusting(mine, {
    fetch: (request) =>
      request.url.startsWith(others.issuer) ? others.fetch(request) : mine.fetch(request),
    issuers: ({ id }) => [mine.entry(id), others.entry(id)],
  });
  const status = async (key: SigningKey, iss: string) =>
    (await gateway.call('GET', '/help', undefined, await gateway.sign(key, { iss }))).status;
  expect([
    await status(ec, mine.issuer),
    await status(stranger, others.issuer),
    await status(stranger, mine.issuer),
    await status(ec, others.issuer),
  ]).toEqual([200, 200, 401, 401]);
});
