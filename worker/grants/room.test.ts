/** Rules take storage: without any left nobody is given more rights, and rights can still be taken away. */
import { expect, test } from 'vitest';
import { failure, startGateway } from '../test/gateway.ts';

const ON_ORGANIZATION = '/iam/rbac/organizations/subjects';
const USED_UP = {
  status: 403,
  body: failure('QUOTA_EXCEEDED', "The organization's storage is used up"),
};

test('groups get rules until the storage is used up', async () => {
  const bindings = { QUOTAS: JSON.stringify({ storage: 20_000 }) };
  const gateway = await startGateway('Admin', { bindings });
  const { username: user } = await gateway.addUser(undefined);
  const give = (subject: string, level: string) =>
    gateway.call('POST', ON_ORGANIZATION, { access_level: level, subject });
  const given: string[] = [];
  for (let at = 0; at < 100; at += 1) {
    const subject = `group:${'g'.repeat(200)}${at}`;
    const reply = await give(subject, 'Read');
    if (reply.status === 200) given.push(subject);
    else expect(reply).toEqual(USED_UP);
  }
  expect(given.length).toBeGreaterThan(5);
  expect(given.length).toBeLessThan(40);
  expect(await give(user, 'Read')).toEqual(USED_UP);
  expect(await give('group:denied', 'None')).toEqual(USED_UP);
  const [kept = ''] = given;
  const statuses = [await give(user, 'None'), await give(kept, 'None')].map(({ status }) => status);
  expect(statuses).toEqual([200, 200]);
  expect(await gateway.call('DELETE', `${ON_ORGANIZATION}/${kept}`)).toMatchObject({ status: 200 });
});
