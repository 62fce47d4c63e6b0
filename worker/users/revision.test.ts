/** A user's revision: their ETag, and what is held to it. */
import { describe, expect, test } from 'vitest';
import { givePassword, PASSWORD, storedAccount, tryLogin } from '../test/accounts.ts';
import { ask, etagOf, STALE } from '../test/conditional.ts';
import { failure, startGateway } from '../test/gateway.ts';

async function start() {
  const gateway = await startGateway('SuperAdmin');
  const user = await gateway.addUser('Read');
  return { gateway, user, path: `/iam/users/${user.uuid}`, own: await gateway.token(user) };
}
const statuses = (replies: readonly { readonly status: number }[]) =>
  replies.map(({ status }) => status).toSorted();

describe('the ETag of a user', () => {
  test('changes with membership, account and level', async () => {
    const { gateway, user, path, own } = await start();
    const seen = [await etagOf(gateway, path)];
    const described = await ask(gateway, 'PATCH', path, { body: { description: 'x' } });
    seen.push(await etagOf(gateway, path));
    const username = `renamed-${user.uuid}`;
    const renamed = await ask(gateway, 'PATCH', path, { body: { username }, bearer: own });
    seen.push(await etagOf(gateway, path));
    await gateway.call('POST', '/iam/rbac/organizations/subjects', {
      subject: username,
      access: 'Write',
    });
    seen.push(await etagOf(gateway, path));
    expect([described.etag, renamed.etag]).toEqual([seen[1], seen[2]]);
    expect(new Set(seen).size).toBe(4);
  });

  test('does not tell of logins, and is 304 to who has it', async () => {
    const { gateway, user, path } = await start();
    await givePassword(user);
    const etag = await etagOf(gateway, path);
    expect((await tryLogin(gateway, { user: user.username })).status).toBe(200);
    expect(await ask(gateway, 'GET', path, { ifNoneMatch: etag })).toEqual({
      status: 304,
      etag,
      body: undefined,
    });
  });

  test('is another when they were removed and comes again', async () => {
    const { gateway, user, path } = await start();
    const ifMatch = await etagOf(gateway, path);
    await gateway.call('DELETE', path);
    gateway.clock.now += 1;
    const again = await gateway.call('POST', '/iam/users', ['Read', user.uuid]);
    expect(again.status).toBe(200);
    expect(await ask(gateway, 'DELETE', path, { ifMatch })).toEqual(STALE);
  });
});

describe('a change held to a revision', () => {
  test.each(['description', 'username'] as const)(
    'of the %s is done once of many at the same time',
    async (field) => {
      const { gateway, user, path, own } = await start();
      const ifMatch = await etagOf(gateway, path);
      const changes = [1, 2, 3, 4].map((each) => {
        const body = { [field]: `${each}-${user.uuid}` };
        return ask(gateway, 'PATCH', path, { ifMatch, body, bearer: own });
      });
      expect(statuses(await Promise.all(changes))).toEqual([200, 412, 412, 412]);
    },
  );

  test('changes neither account nor membership where it is another', async () => {
    const { gateway, user, path, own } = await start();
    await givePassword(user);
    const before = await storedAccount(user.username);
    const etag = await etagOf(gateway, path);
    const body = {
      username: `other-${user.uuid}`,
      password: 'staple battery horse',
      current_password: PASSWORD,
      description: 'x',
    };
    for (const ifMatch of ['"1"', `W/${etag}`, etag.replace('Read', 'Write')]) {
      expect(await ask(gateway, 'PATCH', path, { ifMatch, body, bearer: own })).toEqual(STALE);
    }
    expect([await storedAccount(user.username), await etagOf(gateway, path)]).toEqual([
      before,
      etag,
    ]);
    const done = await ask(gateway, 'PATCH', path, { ifMatch: etag, body, bearer: own });
    expect([done.status, done.etag]).toEqual([200, await etagOf(gateway, path)]);
  });

  test('of nothing is refused where it is another', async () => {
    const { gateway, path } = await start();
    expect(await ask(gateway, 'PATCH', path, { ifMatch: '"1"', body: {} })).toEqual(STALE);
    const etag = await etagOf(gateway, path);
    const reply = await ask(gateway, 'PATCH', path, { ifMatch: etag, body: {} });
    expect([reply.status, reply.etag]).toEqual([200, etag]);
  });

  test('is refused first for what else is wrong with it', async () => {
    const { gateway, path, own, user } = await start();
    await givePassword(user);
    const ifMatch = '"1"';
    const replies = await Promise.all([
      ask(gateway, 'PATCH', path, { ifMatch, body: { username: 'x' } }),
      ask(gateway, 'PATCH', '/iam/users/nobody', { ifMatch, body: {} }),
      ask(gateway, 'PATCH', path, { ifMatch, body: { colour: 1 }, bearer: own }),
      ask(gateway, 'PATCH', path, { ifMatch: 'x', body: {}, bearer: own }),
      ask(gateway, 'PATCH', path, {
        ifMatch,
        body: { password: 'staple battery horse', current_password: 'guess' },
        bearer: own,
      }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([403, 404, 400, 400, 401]);
  });
});

test('of changes of one account at the same time, held to nothing, one is done and told', async () => {
  const { gateway, user, path, own } = await start();
  const changes = [1, 2, 3].map((each) =>
    ask(gateway, 'PATCH', path, { body: { username: `${each}-${user.uuid}` }, bearer: own }),
  );
  const replies = await Promise.all(changes);
  expect(statuses(replies)).toEqual([200, 409, 409]);
  expect(replies.find(({ status }) => status === 409)?.body).toEqual(
    failure('EDIT_CONFLICT', 'The account was changed meanwhile'),
  );
});

describe('a removal held to a revision', () => {
  test('removes nothing where it is another', async () => {
    const { gateway, path } = await start();
    const before = await ask(gateway, 'GET', path);
    expect(await ask(gateway, 'DELETE', path, { ifMatch: '"1"' })).toEqual(STALE);
    expect(await ask(gateway, 'GET', path)).toEqual(before);
  });

  test('happens once where it is the one that is', async () => {
    const { gateway, path } = await start();
    const ifMatch = await etagOf(gateway, path);
    const twice = [1, 2].map(() => ask(gateway, 'DELETE', path, { ifMatch }));
    expect(statuses(await Promise.all(twice))).toEqual([200, 404]);
  });

  test('tells of the last SuperAdmin where it is the one that is', async () => {
    const { gateway } = await start();
    const path = `/iam/users/${gateway.user.uuid}`;
    const ifMatch = await etagOf(gateway, path);
    expect((await ask(gateway, 'DELETE', path, { ifMatch })).status).toBe(409);
    expect(await ask(gateway, 'DELETE', path, { ifMatch: '"1"' })).toEqual(STALE);
  });
});
