/** POST /new: creating an organization in both documented shapes. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { memberships, organizations, rules } from '../db/schema.ts';
import { seal, unseal } from '../secrets/seal.ts';
import { givePassword, PASSWORD, storedAccount, tryLogin } from '../test/accounts.ts';
import { failure, NOW, startGateway } from '../test/gateway.ts';
import { mailbox } from '../test/mailbox.ts';

const db = drizzle(env.DB);
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const unique = (name: string) => `${name}-${crypto.randomUUID().slice(0, 8)}`;

async function start(setup: Parameters<typeof startGateway>[1] = {}) {
  const gateway = await startGateway('Read', setup);
  const create = (body: Json, bearer = '') => gateway.call('POST', '/new', body, bearer);
  return { ...gateway, gateway, create };
}
const created = (id: string) => ({
  status: 200,
  body: {
    Ok: expect.stringMatching(new RegExp(`^Organization ${id} was created with UUID ${UUID}$`)),
  },
});
async function stored(id: string) {
  const [organization] = await db.select().from(organizations).where(eq(organizations.id, id));
  const of = organization?.uuid ?? '';
  return {
    organization,
    memberships: await db.select().from(memberships).where(eq(memberships.orgUuid, of)),
    rules: await db.select().from(rules).where(eq(rules.orgUuid, of)),
  };
}

describe('the shape with super_admins', () => {
  test('makes the organization, its accounts, and each a SuperAdmin who can log in', async () => {
    const { gateway, create, settings } = await start();
    const [id, ada, grace] = [unique('org'), unique('Ada'), unique('Grace')];
    const reply = await create({
      id,
      description: 'Engines',
      super_admins: [
        { username: ada, password: PASSWORD, description: 'Analyst' },
        { username: grace, password: 'another password' },
      ],
    });
    expect(reply).toEqual(created(id));

    const accounts = [await storedAccount(ada), await storedAccount(grace)];
    const [first = '', second = ''] = accounts.map((each) => each?.uuid);
    const now = await stored(id);
    const uuid = now.organization?.uuid ?? '';
    expect((reply.body as { Ok: string }).Ok).toContain(uuid);
    expect(now.organization).toEqual({
      uuid,
      id,
      name: id,
      description: 'Engines',
      settings: {},
      sealedDataKey: expect.any(String),
      createdAt: NOW,
      updatedAt: NOW,
      lastModifiedBy: first,
      revision: NOW,
      rulesRevision: NOW,
      deletedAt: null,
      membersEndedAt: 0,
    });
    expect(accounts[0]).toEqual({
      uuid: first,
      username: ada,
      usernameKey: ada.toLowerCase(),
      passwordHash: expect.stringMatching(/^\$scrypt\$/),
      passwordChangedAt: NOW,
      verifiedAt: null,
      createdByOrg: uuid,
      createdAt: NOW,
      revision: NOW,
    });
    const made = { orgUuid: uuid, createdAt: NOW, createdBy: first };
    const modified = {
      lastModifiedAt: NOW,
      lastModifiedBy: first,
      lastLoginAt: null,
      loginCount: 0,
      revision: NOW,
    };
    expect(new Set(now.memberships)).toEqual(
      new Set([
        { ...made, ...modified, accountUuid: first, description: 'Analyst' },
        { ...made, ...modified, accountUuid: second, description: '' },
      ]),
    );
    const rule = { ...made, resourceKind: 'organization', resourceUuid: uuid, level: 'SuperAdmin' };
    expect(new Set(now.rules)).toEqual(
      new Set([
        { ...rule, subject: first },
        { ...rule, subject: second },
      ]),
    );
    const login = await tryLogin(gateway, { organization: id, user: ada });
    expect(login).toMatchObject({
      status: 200,
      body: { user: { username: ada, accessLevel: 'SuperAdmin' } },
    });
    // Its data key opens, so that it can store secrets.
    const sealedDataKey = now.organization?.sealedDataKey ?? '';
    const context = { settings, orgUuid: uuid, sealedDataKey, purpose: 'test' };
    expect(await unseal(context, await seal(context, 'a secret'))).toBe('a secret');
  });

  test('keeps quotes and any script in names and passwords as they are', async () => {
    const { gateway, create } = await start();
    const [id, username] = [unique('org'), unique(`O'Brien "密码" \`;--`)];
    const password = `'"\`; drop table accounts; --`;
    const reply = await create({ id, super_admins: [{ username, password }] });
    expect(reply).toEqual(created(id));
    const login = await tryLogin(gateway, { organization: id, user: username, password });
    expect(login).toMatchObject({ status: 200, body: { user: { username } } });
  });

  test('an account that exists comes with its own password, in any letter case of its name', async () => {
    const { gateway, user, create } = await start();
    await givePassword(user);
    const id = unique('org');
    const before = await storedAccount(user.username);
    const admin = { username: user.username.toUpperCase(), password: PASSWORD };
    expect(await create({ id, super_admins: [admin] })).toEqual(created(id));
    expect(await storedAccount(user.username)).toEqual(before);
    expect((await tryLogin(gateway, { organization: id })).status).toBe(200);
  });

  test('nobody takes over an account by naming it, and nothing is left of the attempt', async () => {
    const { user, create } = await start();
    await givePassword(user);
    const [id, fresh] = [unique('org'), unique('fresh')];
    const taken = (username: string) => ({
      status: 409,
      body: failure(
        'ACCOUNT_EXISTS',
        `User ${username} already exists: name it with the password it has`,
      ),
    });
    const attempt = (username: string) =>
      create({
        id,
        super_admins: [
          { username: fresh, password: PASSWORD },
          { username, password: 'not the password' },
        ],
      });
    expect(await attempt(user.username)).toEqual(taken(user.username));
    expect(await storedAccount(fresh)).toBeUndefined();
    expect((await stored(id)).organization).toBeUndefined();
  });
});

describe('the shape with adminEmail', () => {
  test('makes the id from the name, keeps settings, and sends the SuperAdmin a link', async () => {
    const box = mailbox();
    const { gateway, create } = await start(box.setup);
    const [name, email] = [unique('Acme & Søns'), `${unique('Ada')}@example.com`];
    const id = name.toLowerCase().replace(' & s', '-s').replace('ø', '-');
    const reply = await create({
      name,
      adminEmail: email,
      description: 'Anvils',
      settings: { defaultRegion: 'eu', enableAdvancedFeatures: true },
    });
    expect(reply).toEqual(created(id));
    await gateway.settle();
    expect((await stored(id)).organization).toMatchObject({
      name,
      description: 'Anvils',
      settings: { defaultRegion: 'eu', enableAdvancedFeatures: true },
    });
    expect(box.delivered).toMatchObject([{ mail: { to: email } }]);
    expect(box.delivered[0]?.mail.link).toMatch(/^https:\/\/app\.test\/reset\?token=/);
    expect((await tryLogin(gateway, { organization: id, user: email })).status).toBe(401);

    const body = { username: email, token: box.token(), new_password: PASSWORD };
    expect((await gateway.call('POST', '/auth/password/reset', body, '')).status).toBe(200);
    expect(await tryLogin(gateway, { organization: id, user: email })).toMatchObject({
      body: { user: { username: email, accessLevel: 'SuperAdmin' } },
    });
  });

  test('without a list, the link leads to our own /docs', async () => {
    const box = mailbox();
    const PUBLIC_URL = 'https://gateway.example/data/';
    const bindings = { ...box.setup.bindings, RESET_REDIRECT_URLS: '', PUBLIC_URL };
    const { gateway, create } = await start({ ...box.setup, bindings });
    await create({ name: unique('Acme'), adminEmail: `${unique('ada')}@example.com` });
    await gateway.settle();
    expect(box.delivered[0]?.mail.link).toMatch(/^https:\/\/gateway\.example\/data\/docs\?token=/);
  });

  test('without a list and an address of our own, no link is sent, which the reply says', async () => {
    const box = mailbox();
    const bindings = { ...box.setup.bindings, RESET_REDIRECT_URLS: '' };
    const { gateway, create } = await start({ ...box.setup, bindings });
    const id = unique('acme');
    const why =
      'no link to set a password was sent, as neither PUBLIC_URL nor RESET_REDIRECT_URLS is set';
    expect(await create({ name: id, adminEmail: `${unique('ada')}@example.com` })).toEqual({
      status: 200,
      body: {
        Ok: expect.stringMatching(
          new RegExp(`^Organization ${id} was created with UUID \\S+; ${why}$`),
        ),
      },
    });
    await gateway.settle();
    expect(box.delivered).toEqual([]);
  });

  test('an account that exists is not taken: the other shape is named', async () => {
    const box = mailbox();
    const { gateway, user, create } = await start(box.setup);
    const name = unique('acme');
    const message = `User ${user.username} already exists: create the organization with id and super_admins, and that user's password`;
    expect(await create({ name, adminEmail: user.username })).toEqual({
      status: 409,
      body: failure('ACCOUNT_EXISTS', message),
    });
    await gateway.settle();
    expect([box.delivered, (await stored(name)).organization]).toEqual([[], undefined]);
  });
});

describe('an organization of the id exists', () => {
  const exists = (id: string) => ({
    status: 409,
    body: failure('ORGANIZATION_EXISTS', `Organization ${id} already exists`),
  });

  test('and nothing is changed, in either shape', async () => {
    const { organization, create } = await start();
    const before = await stored(organization.id);
    const username = `${unique('ada')}@example.com`;
    const admin = { username, password: PASSWORD };
    const { id } = organization;
    expect(await create({ id, super_admins: [admin] })).toEqual(exists(id));
    expect(await create({ name: id, adminEmail: username })).toEqual(exists(id));
    expect(await stored(id)).toEqual(before);
    expect(await storedAccount(username)).toBeUndefined();
  });

  test('or comes to be at the same time: one is created, of the other nothing is left', async () => {
    const { create } = await start();
    const id = unique('race');
    const names = [unique('ada'), unique('grace')];
    const replies = await Promise.all(
      names.map((username) => create({ id, super_admins: [{ username, password: PASSWORD }] })),
    );
    expect(replies).toContainEqual(created(id));
    expect(replies).toContainEqual(exists(id));
    const [winner, loser] = replies[0]?.status === 200 ? names : names.toReversed();
    const account = await storedAccount(winner ?? '');
    expect(await storedAccount(loser ?? '')).toBeUndefined();
    const now = await stored(id);
    expect(now.memberships.map((each) => each.accountUuid)).toEqual([account?.uuid]);
    expect(now.rules.map((each) => each.subject)).toEqual([account?.uuid]);
  });
});

test.each([
  ['super_admins', (username: string) => ({ super_admins: [{ username, password: PASSWORD }] })],
  ['adminEmail', (username: string) => ({ adminEmail: username })],
])('a username that two name at the same time goes to one, with %s', async (shape, naming) => {
  const { create } = await start();
  const username = `${unique('ada')}@example.com`;
  const ids = [unique('first'), unique('second')];
  const replies = await Promise.all(
    ids.map((id) =>
      create({ ...naming(username), ...(shape === 'adminEmail' ? { name: id } : { id }) }),
    ),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const lost = ids[replies[0]?.status === 200 ? 1 : 0] ?? '';
  expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'ACCOUNT_EXISTS',
  });
  expect((await stored(lost)).organization).toBeUndefined();
});
