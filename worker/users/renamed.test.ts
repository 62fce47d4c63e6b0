/** A rename is told to every organization that knows the account, and to no other. */
import { expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../test/gateway.ts';

/** Its audit of changed accounts. */
async function changesSeenIn(gateway: TestGateway) {
  await gateway.settle();
  return (await gateway.call('GET', '/audit?action=user.update')).body;
}

test('the organizations of an account see that it was renamed, by its name until then', async () => {
  const [first, second, stranger] = [
    await startGateway('SuperAdmin'),
    await startGateway('SuperAdmin'),
    await startGateway('SuperAdmin'),
  ];
  const { uuid, username } = await first.addUser('Read');
  expect((await second.call('POST', '/iam/users', ['Read', username])).status).toBe(200);
  const token = await first.token({ uuid, username });
  const renamed = { username: `renamed-${uuid}x` };
  expect((await first.call('PATCH', `/iam/users/${uuid}`, renamed, token)).status).toBe(200);
  const entry = {
    actor: username,
    resource: `user:${uuid}`,
    outcome: 'success',
    details: { actor_uuid: uuid, fields: ['username'] },
  };
  expect(await changesSeenIn(first)).toMatchObject({ entries: [entry] });
  expect(await changesSeenIn(second)).toMatchObject({ entries: [entry] });
  expect(await changesSeenIn(stranger)).toEqual({ entries: [] });
});

test('a rename that was refused is told to none', async () => {
  const gateway = await startGateway('SuperAdmin');
  const user = await gateway.addUser('Read');
  const taken = { username: gateway.user.username };
  const reply = await gateway.call(
    'PATCH',
    `/iam/users/${user.uuid}`,
    taken,
    await gateway.token(user),
  );
  expect(reply.status).toBe(409);
  expect(await changesSeenIn(gateway)).toEqual({ entries: [] });
});
