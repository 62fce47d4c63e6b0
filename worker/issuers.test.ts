/** What the setting `AUTH_EXTERNAL` may say. Contract §13. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { settingsOf } from './settings.ts';

const entry = {
  issuer: 'https://idp.example.com',
  audience: 'gateway',
  jwks_url: 'https://idp.example.com/keys',
  algorithms: ['RS256'],
  organizations: ['acme'],
};
const read = (list: unknown) =>
  settingsOf({ ...env, AUTH_EXTERNAL: JSON.stringify(list) }).AUTH_EXTERNAL;

test('without it no issuer is trusted', () => {
  expect(settingsOf({ ...env }).AUTH_EXTERNAL).toEqual([]);
});

test('an entry gives at most Write, and finds claims under their usual names, unless it says otherwise', () => {
  const claims = {
    organization: 'org_id',
    subject: 'sub',
    groups: 'groups',
    permissions: 'permissions',
  };
  const usual = { ...entry, audience: ['gateway'], max_level: 'Write', claims };
  expect(read([entry])).toEqual([usual]);
  const other = {
    ...usual,
    issuer: 'https://other.example.com',
    audience: ['a', 'b'],
    max_level: 'SuperAdmin',
    claims: { organization: 'o', subject: 's', groups: 'realm_access.roles', permissions: 'scope' },
  };
  expect(read([entry, other])).toEqual([usual, other]);
});

test.each(['http://127.0.0.1:4444/keys', 'http://localhost/keys', 'http://[::1]:4444/keys'])(
  'keys may come from %s',
  (url) => {
    expect(read([{ ...entry, jwks_url: url }])).toMatchObject([{ jwks_url: url }]);
  },
);

describe('is refused', () => {
  const faults: [string, unknown][] = [
    ['no list', entry],
    ['keys over http', [{ ...entry, jwks_url: 'http://idp.example.com/keys' }]],
    ['keys from a file', [{ ...entry, jwks_url: 'file:///keys' }]],
    ['http to a name that looks like loopback', [{ ...entry, jwks_url: 'http://127.0.0.1.evil/' }]],
    ['an issuer that is no URL', [{ ...entry, issuer: 'me' }]],
    ['an issuer with a fragment', [{ ...entry, issuer: 'https://idp.example.com#a' }]],
    ['an issuer twice', [entry, { ...entry, audience: 'b' }]],
    ['no audience', [{ ...entry, audience: [] }]],
    ['no algorithms', [{ ...entry, algorithms: [] }]],
    ['a symmetric algorithm', [{ ...entry, algorithms: ['RS256', 'HS256'] }]],
    ['the algorithm none', [{ ...entry, algorithms: ['none'] }]],
    ['no organizations', [{ ...entry, organizations: [] }]],
    ['a bound of None', [{ ...entry, max_level: 'None' }]],
    ['a member that there is not', [{ ...entry, secret: 'x' }]],
  ];
  test.each(faults)('%s', (_what, list) => {
    expect(() => read(list)).toThrow(/^Settings: AUTH_EXTERNAL/);
  });
});
