/** What names of groups and keys begin with, as callers write it. */
import { expect, test } from 'vitest';
import { startGateway } from '../test/gateway.ts';

const ON_ORGANIZATION = '/iam/rbac/organizations/subjects';

test('the word before a group’s name, or a key’s, is read in any letter case', async () => {
  const gateway = await startGateway('Admin');
  const key = { name: 'Till', access_level: 'Read' };
  expect(await gateway.call('POST', '/iam/keys', key)).toMatchObject({ status: 200 });
  for (const [subject, told] of [
    ['GROUP:Ops', 'group:Ops'],
    ['Key:Till', 'key:Till'],
  ] as const) {
    const path = `${ON_ORGANIZATION}/${subject}`;
    expect(await gateway.call('POST', ON_ORGANIZATION, { access: 'Write', subject })).toMatchObject(
      { status: 200, body: { subject: told } },
    );
    expect(await gateway.call('GET', path)).toMatchObject({
      status: 200,
      body: { subject: told, organizations: { [gateway.organization.id]: 'Write' } },
    });
    expect(await gateway.call('DELETE', path)).toMatchObject({
      status: 200,
      body: { subject: told },
    });
  }
  expect(
    await gateway.call('POST', ON_ORGANIZATION, { access: 'Read', subject: 'GROUP:' }),
  ).toMatchObject({ status: 400 });
});
