/** With whose rights a run goes on, when these have changed meanwhile. Contract §9; access.md. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import type { ExternalIdentity } from '../../access/external/identity.ts';
import { startDoors } from '../../reach/doors/test/doors.ts';
import { contextOf } from './contexts.ts';

const ISSUER = {
  ...{ issuer: 'https://id.example.com', audience: 'gateway', algorithms: ['ES256'] },
  ...{ jwks_url: 'https://id.example.com/keys', organizations: ['acme'] },
};
const EXTERNAL: ExternalIdentity = {
  ...{ issuer: ISSUER.issuer, groups: ['group:ops'], maxLevel: 'Write', digest: 'd' },
};

/** The present identity of who started a run by their provider's token. */
function external(issuers: Json) {
  const times = { issuedAt: 0, loginAt: 0, expiresAt: 0 };
  const of = { userUuid: 'u', userId: 'u', orgUuid: 'o', orgId: 'acme', ...times };
  const head = { caller: { ...of, external: EXTERNAL }, address: '' };
  const bindings = { ...env, AUTH_EXTERNAL: JSON.stringify(issuers) };
  const { signal } = new AbortController();
  return contextOf(bindings, head, crypto.randomUUID(), signal, () => {}).caller.external;
}

test.each<[string, Json, ExternalIdentity]>([
  ['as it was', [ISSUER], EXTERNAL],
  [
    'lower',
    [{ ...ISSUER, max_level: 'Read' }],
    { ...EXTERNAL, maxLevel: 'Read', digest: 'd:Read' },
  ],
  ['none of an issuer that was removed', [], { ...EXTERNAL, maxLevel: 'None', digest: 'd:None' }],
  [
    'none of one that speaks for others now',
    [{ ...ISSUER, organizations: ['other'] }],
    { ...EXTERNAL, maxLevel: 'None', digest: 'd:None' },
  ],
])('the highest level is that of the setting now: %s', (_, issuers, identity) => {
  expect(external(issuers)).toEqual(identity);
});

test('a run whose account is deleted says so', async () => {
  const { demand, call, person } = await startDoors({ POLICY_TTL_MS: 0 });
  const starter = await person('Write');
  const wait = { id: 'wait', type: 'wait', eventSource: 'shop', eventPattern: 'go', next: 'put' };
  const put = { id: 'put', type: 'endpoint', endpoint: 'orders', operation: 'write' };
  const actions: JsonObject[] = [wait, { ...put, input: { query: 'insert into a values (1)' } }];
  await demand('POST', '/workflows', { id: 'flow', name: 'Flow', actions });
  const { body } = await call('POST', '/workflows/flow', {}, starter);
  const path = `/workflows/flow/executions/${String((body as JsonObject).run_id)}`;
  await expect.poll(async () => (await demand('GET', path)).status).toBe('waiting');
  await demand('DELETE', `/iam/users/${starter.username}`);
  await call('POST', '/events', { source: 'shop', event: 'go', data: null });
  await expect.poll(async () => (await demand('GET', path)).status).toBe('failed');
  expect((await demand('GET', path)).error).toEqual({
    ...{ code: 'FORBIDDEN', action: 'put' },
    message: 'The account or key that the run acts for is gone',
  });
});
