/** Tokens of a real identity provider, over real sockets. Contract §3, "External tokens". */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts';
import { ask, newOrganization, type Organization, refusal } from './organization.ts';

const AUDIENCE = 'https://gateway.example.com';
const ELSEWHERE = 'https://elsewhere.example.com';
const ID = `org-${randomUUID().slice(0, 8)}`;
const by = (rule: string) => refusal('TOKEN_INVALID', 'Invalid token format', [{ rule }]);

let provider: IdentityProvider;
let another: IdentityProvider;
let gone: IdentityProvider;
let gateway: OwnGateway;
let organization: Organization;

const clients = [
  { id: 'reader', claims: { org_id: ID, groups: ['readers'] } },
  { id: 'deployer', claims: { org_id: ID } },
  { id: 'admin', claims: { org_id: ID, groups: ['admins'] } },
  { id: 'stranger', claims: { org_id: 'of-strangers', groups: ['readers'] } },
];

beforeAll(async () => {
  provider = await startIdentityProvider(clients);
  another = await startIdentityProvider(clients);
  gone = await startIdentityProvider(clients);
  const entry = ({ issuer }: IdentityProvider) => ({
    issuer,
    audience: AUDIENCE,
    jwks_url: `${issuer}/jwks`,
    algorithms: ['ES256'],
    organizations: [ID],
    claims: { permissions: 'scope' },
  });
  const AUTH_EXTERNAL = JSON.stringify([entry(provider), entry(gone)]);
  gateway = await startGateway({ env: { AUTH_EXTERNAL } });
  organization = await newOrganization(gateway, ID);
  for (const [subject, access_level] of [
    ['group:readers', 'Read'],
    ['group:deploy', 'Write'],
    ['group:admins', 'SuperAdmin'],
  ]) {
    const grant = { access_level, subject };
    await organization.call('POST', '/iam/rbac/organizations/subjects', grant);
  }
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([provider.stop(), another.stop()]);
});

const call = async (method: string, path: string, token: string) =>
  ask(gateway, method, path, undefined, { Authorization: `Bearer ${token}` });

describe('a token of the provider', () => {
  test('opens what its groups and permissions have rules for, and no more', async () => {
    const reader = await provider.token('reader', AUDIENCE);
    expect(await call('GET', '/endpoints', reader)).toMatchObject({ status: 200 });
    expect(await call('GET', '/iam/users', reader)).toMatchObject({ status: 403 });
    const admin = await provider.token('admin', AUDIENCE);
    expect(await call('GET', '/iam/users', admin)).toMatchObject({
      status: 403,
      body: { message: 'This operation needs Admin access on the organization' },
    });
  });

  test('has a record of its own that answers from its claims', async () => {
    const deployer = await provider.token('deployer', AUDIENCE);
    const userId = `${provider.issuer}#deployer`;
    expect(await call('GET', `/iam/users/${encodeURIComponent(userId)}`, deployer)).toMatchObject({
      status: 200,
      body: { userId, accessLevel: 'Write', groups: ['deploy'], createdBy: provider.issuer },
    });
  });

  test('is refused for another audience, and for an organization that is not the provider’s', async () => {
    const elsewhere = await provider.token('reader', ELSEWHERE);
    expect(await call('GET', '/help', elsewhere)).toEqual(by('audience'));
    const stranger = await provider.token('stranger', AUDIENCE);
    expect(await call('GET', '/help', stranger)).toEqual(by('organization'));
  });

  test('is refused of a provider that is not trusted', async () => {
    const token = await another.token('reader', AUDIENCE);
    expect(await call('GET', '/help', token)).toEqual(by('issuer'));
    expect(another.keyFetches()).toBe(0);
  });

  test('is refused for the next request once its group is', async () => {
    const reader = await provider.token('reader', AUDIENCE);
    expect(await call('GET', '/endpoints', reader)).toMatchObject({ status: 200 });
    const path = '/iam/rbac/organizations/subjects';
    await organization.call('DELETE', `${path}/group:deploy`);
    expect(await call('GET', '/endpoints', reader)).toMatchObject({ status: 200 });
    await organization.call('DELETE', `${path}/group:readers`);
    expect(await call('GET', '/endpoints', reader)).toMatchObject({ status: 403 });
  });
});

test('a change of keys is followed with the first token of the new one', async () => {
  const before = provider.keyFetches();
  await provider.rotate();
  const token = await provider.token('reader', AUDIENCE);
  expect(await call('GET', '/help', token)).toMatchObject({ status: 200 });
  expect(provider.keyFetches()).toBe(before + 1);
  await provider.rotate();
  for (let at = 0; at < 5; at += 1) {
    expect(await call('GET', '/help', await provider.token('reader', AUDIENCE))).toEqual(
      by('signature'),
    );
  }
  expect(provider.keyFetches()).toBe(before + 1);
});

test('while a provider is out of reach, its tokens cannot be verified and all others can', async () => {
  const token = await gone.token('reader', AUDIENCE);
  await gone.stop();
  expect(await call('GET', '/help', token)).toEqual(
    refusal('SERVICE_UNAVAILABLE', 'The keys of the identity provider cannot be fetched'),
  );
  expect(await organization.call('GET', '/help')).toMatchObject({ status: 200 });
});
