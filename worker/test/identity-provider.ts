/** An identity provider in memory: real keys, a key set behind a URL, and gateways that trust it. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { Json } from '../../proto/json.ts';
import { rules } from '../db/schema.ts';
import type { Level } from '../levels.ts';
import { NOW, type Setup, startGateway, type TestGateway } from './gateway.ts';

/** Seconds. */
export const SECONDS = NOW / 1000;
/** Claims that differ; one that is undefined is left out. */
export type Claims = Readonly<Record<string, unknown>>;
export const AUDIENCE = 'https://gateway.example.com';

/** A key pair, and its public half as it is published. */
export interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly published: JWK;
}

const made = new Map<string, Promise<SigningKey>>();

/** A key pair of that name; made once for all tests. */
export function signingKey(alg: string, kid = `key of ${alg}`): Promise<SigningKey> {
  const known = made.get(kid) ?? makeKey(alg, kid);
  made.set(kid, known);
  return known;
}

async function makeKey(alg: string, kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const published = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { alg, kid, privateKey, published };
}

/** A provider that publishes the keys, at an address of its own. */
export function openProvider(keys: readonly (SigningKey | JWK)[]) {
  const issuer = `https://idp-${crypto.randomUUID()}.test/`;
  const published = (each: SigningKey | JWK): unknown =>
    'published' in each ? each.published : each;
  const state = {
    keys: keys.map(published),
    fetches: 0,
    /** Answers instead of the key set. */
    instead: undefined as (() => Promise<Response> | Response) | undefined,
  };
  return {
    issuer,
    state,
    publish(...others: readonly (SigningKey | JWK)[]): void {
      state.keys = others.map(published);
    },
    /** What it is to the outside. */
    async fetch(request: Request): Promise<Response> {
      if (request.url !== `${issuer}keys`) throw new Error(`${request.url} is nothing of mine`);
      if (request.redirect !== 'manual') throw new Error('it would follow a redirect');
      state.fetches += 1;
      return state.instead?.() ?? Response.json({ keys: state.keys });
    },
    /** An entry of `AUTH_EXTERNAL` for it. */
    entry: (organization: string, more: { readonly [member: string]: Json } = {}) => ({
      issuer,
      audience: AUDIENCE,
      jwks_url: `${issuer}keys`,
      algorithms: ['RS256', 'ES256', 'EdDSA'],
      organizations: [organization],
      claims: { organization: 'org' },
      ...more,
    }),
  };
}
export type Provider = ReturnType<typeof openProvider>;

/** A gateway that trusts the provider with its organization, and tokens for it. */
export async function startTrusting(
  provider: Provider,
  {
    entry,
    level,
    ...setup
  }: { readonly entry?: { readonly [member: string]: Json }; readonly level?: Level } & Setup = {},
) {
  const gateway = await startGateway(level, {
    fetch: provider.fetch,
    issuers: ({ id }) => [provider.entry(id, entry)],
    ...setup,
  });
  const claims = {
    iss: provider.issuer,
    aud: AUDIENCE,
    sub: 'ada',
    org: gateway.organization.id,
    iat: SECONDS,
    exp: SECONDS + 600,
  };
  return {
    ...gateway,
    claims,
    /** A token as the provider makes them, except for what is given. */
    sign: (key: SigningKey, other: Claims = {}, header: Readonly<Record<string, unknown>> = {}) =>
      new SignJWT({ ...claims, ...other })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
        .sign(key.privateKey),
  };
}

/** Gives a group a level, on the organization unless a resource is named. */
export async function grantGroup(
  { organization }: Pick<TestGateway, 'organization'>,
  name: string,
  level: Level,
  endpointUuid?: string,
): Promise<void> {
  await drizzle(env.DB)
    .insert(rules)
    .values({
      orgUuid: organization.uuid,
      resourceKind: endpointUuid === undefined ? 'organization' : 'endpoint',
      resourceUuid: endpointUuid ?? organization.uuid,
      subject: `group:${name}`,
      level,
      createdAt: NOW,
      createdBy: 'test',
    });
}
