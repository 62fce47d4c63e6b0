/** What audit says about who comes with an external token. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { entriesOf } from '../../test/audit.ts';
import { insertOrganization } from '../../test/gateway.ts';
import {
  grantGroup,
  openProvider,
  SECONDS,
  signingKey,
  startTrusting,
} from '../../test/identity-provider.ts';

const key = await signingKey('ES256');

async function told(orgUuid: string) {
  const entries = await entriesOf(orgUuid);
  return entries.map(({ actor, action, outcome, details }) => ({
    actor,
    action,
    outcome,
    details,
  }));
}

test('a refusal and a change name issuer and subject, and no account', async () => {
  const provider = openProvider([key]);
  const gateway = await startTrusting(provider, { entry: { max_level: 'Admin' } });
  await grantGroup(gateway, 'ops', 'Admin');
  const bearer = await gateway.sign(key, { groups: ['ops'] });
  const grant = { access_level: 'Read', subject: 'group:dev' };
  const made = await gateway.call('POST', '/iam/rbac/organizations/subjects', grant, bearer);
  expect(made.status).toBe(200);
  const refused = await gateway.call('DELETE', '/organizations', undefined, bearer);
  expect(refused.status).toBe(403);
  const actor = `${provider.issuer}#ada`;
  await expect
    .poll(() => told(gateway.organization.uuid))
    .toEqual([
      { actor, action: 'organization.delete', outcome: 'denied', details: { code: 'FORBIDDEN' } },
      {
        actor,
        action: 'rbac.organizations.subjects.create',
        outcome: 'success',
        details: { id: gateway.organization.id, subject: 'group:dev', level: 'Read' },
      },
    ]);
});

test('a token with claims of our own names nobody in an organization that is not its issuer’s', async () => {
  const gateway = await startTrusting(openProvider([key]));
  const other = await insertOrganization(env);
  const ours = { org_uuid: other.uuid, user_id: 'ada', user_uuid: gateway.user.uuid };
  const own = await gateway.sign(key, { jti: 'own' });
  await gateway.call('GET', '/endpoints', undefined, own);
  const expired = await gateway.sign(key, { ...ours, exp: SECONDS - 60 });
  await gateway.call('GET', '/endpoints', undefined, expired);
  await expect.poll(async () => (await told(gateway.organization.uuid)).length).toBe(1);
  expect(await told(other.uuid)).toEqual([]);
});
