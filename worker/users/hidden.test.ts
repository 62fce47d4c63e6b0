/** Users whose names have hidden characters from before: shown with them written out, everywhere. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import { type AuditEntry, linkOf, START } from '../audit/hash.ts';
import { verify } from '../audit/verify.ts';
import { accounts } from '../db/schema.ts';
import { visible } from '../shapes/visible.ts';
import { givePassword, tryLogin } from '../test/accounts.ts';
import { startGateway } from '../test/gateway.ts';

const HIDDEN = '\u202e\u200b\u2028';
const WRITTEN_OUT = '\\u{202e}\\u{200b}\\u{2028}';

/** A gateway with a member of such a name. */
async function start() {
  const gateway = await startGateway('SuperAdmin');
  const user = await gateway.addUser('Write');
  await givePassword(user);
  const username = `${HIDDEN}${user.username}`;
  const named = { username, usernameKey: username };
  await drizzle(env.DB).update(accounts).set(named).where(eq(accounts.uuid, user.uuid));
  return { gateway, user: { ...user, username }, shown: `${WRITTEN_OUT}${user.username}` };
}

test('lists, records, rules, sessions, refusals and the audit show it written out', async () => {
  const { gateway, user, shown } = await start();
  const login = await tryLogin(gateway, { user: user.username });
  expect(login).toMatchObject({ status: 200, body: { user: { username: shown } } });
  const bearer = (login.body as { readonly token: string }).token;
  const own = (path: string) => gateway.call('GET', path, undefined, bearer);
  await own('/audit');
  const body = { username: 'x' };
  // What is written after replies may wait for another test's flush.
  const audit = async () => JSON.stringify((await gateway.call('GET', '/audit')).body);
  await expect.poll(audit).toContain(JSON.stringify(shown).slice(1, -1));
  const replies = [
    await gateway.call('GET', '/iam/users'),
    await own(`/iam/users/${user.uuid}`),
    await own('/org'),
    await gateway.call('GET', '/iam/rbac/organizations'),
    await own(`/iam/rbac/subjects/${user.uuid}/endpoints`),
    await own('/audit'),
    await gateway.call('PATCH', `/iam/users/${user.uuid}`, body),
    await gateway.call('GET', '/audit'),
    await gateway.call('GET', `/audit?actor=${encodeURIComponent(shown)}`),
  ];
  for (const reply of replies) {
    const text = JSON.stringify(reply.body);
    expect(text).toContain(JSON.stringify(shown).slice(1, -1));
    expect([...HIDDEN].filter((one) => text.includes(one))).toEqual([]);
  }
});

test.each([...HIDDEN, '\u{e0041}', '\ufe0f', '\\u{202e}'])(
  'no new user or group is called %j',
  async (one) => {
    const gateway = await startGateway('SuperAdmin');
    const username = `ada${one}@example.com`;
    const group = { subject: `group:a${one}`, access_level: 'Read' };
    const asked = [
      ['POST', '/iam/users', { username }],
      ['PATCH', `/iam/users/${gateway.user.uuid}`, { username }],
      ['POST', '/iam/rbac/organizations/subjects', group],
    ] as const;
    for (const [method, path, body] of asked) {
      expect((await gateway.call(method, path, body)).status).toBe(400);
    }
  },
);

test('an entry that was chained with one is still whole, as it is shown now', async () => {
  const stored: AuditEntry = {
    org_uuid: crypto.randomUUID(),
    seq: 1,
    time: '2026-01-01T00:00:00.000Z',
    actor: `${HIDDEN}ada@example.com`,
    action: 'auth.login',
    resource: 'organization:of-the-test',
    outcome: 'success',
    address: 'local',
    request_id: 'request-of-the-test',
    details: { subject: `group:${HIDDEN}` },
    repeats: 1,
    hash: null,
  };
  const { hash } = await linkOf(stored, START);
  const details = { subject: visible(`group:${HIDDEN}`) };
  const shown = { ...stored, hash, actor: visible(stored.actor), details };
  expect(shown.actor).not.toBe(stored.actor);
  const verified = async (each: AuditEntry) =>
    (await verify({ entries: [each], heads: [], keys: [] })).faults;
  expect(await verified(shown)).toEqual([]);
  expect(await verified({ ...shown, actor: 'another' })).toHaveLength(1);
});
