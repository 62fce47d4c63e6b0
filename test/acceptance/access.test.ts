/**
 * The story of an organization over real sockets: it is founded, users join at each level, levels
 * on an endpoint are given, denied and taken away, a user is removed, and the audit reports it all.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, runScript, sharedGateway } from '../gateway.ts';
import { ask, newOrganization, type Organization, type Reply, refusal } from '../organization.ts';
import { freshDatabase } from '../servers/backends.ts';

const LEVELS = ['None', 'Read', 'Write', 'Admin', 'SuperAdmin'] as const;
type Level = (typeof LEVELS)[number];

const PASSWORD = 'each has a password of 32 signs.';

let gateway: Gateway;
let founder: Organization;
let endpoint: string;
let folder: string;
/** Tokens of the users, by the level that each joined with. */
const tokens = new Map<Level, string>();

const nameOf = (level: Level) => `${level.toLowerCase()}@${founder.id}.example`;

/** One call as the user who joined with that level. */
function as(level: Level, method: string, path: string, body?: unknown): Promise<Reply> {
  const authorization = { Authorization: `Bearer ${tokens.get(level)}` };
  return ask(gateway, method, path, body, authorization);
}

/** An operation of each level: of the endpoint, and of the organization. */
const OPERATIONS = {
  read: (user: Level) => as(user, 'POST', `/endpoints/${endpoint}/read`, { query: 'select 1' }),
  write: (user: Level) =>
    as(user, 'POST', `/endpoints/${endpoint}/write`, { query: 'update items set n = n + 1' }),
  change: (user: Level) => as(user, 'PATCH', `/endpoints/${endpoint}`, { description: 'changed' }),
  list: (user: Level) => as(user, 'GET', '/iam/users'),
  settings: (user: Level) => as(user, 'PATCH', '/org', { description: 'changed' }),
} as const;

/** The status that the user gets from each operation. */
async function statuses(user: Level): Promise<Record<string, number>> {
  const told: Record<string, number> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    told[name] = (await operation(user)).status;
  }
  return told;
}

const ROWS: Readonly<Record<Level, Record<keyof typeof OPERATIONS, number>>> = {
  None: { read: 403, write: 403, change: 403, list: 403, settings: 403 },
  Read: { read: 200, write: 403, change: 403, list: 403, settings: 403 },
  Write: { read: 200, write: 200, change: 403, list: 403, settings: 403 },
  Admin: { read: 200, write: 200, change: 200, list: 200, settings: 403 },
  SuperAdmin: { read: 200, write: 200, change: 200, list: 200, settings: 200 },
};

const SUBJECTS = '/iam/rbac/endpoints/subjects';
const grant = (user: Level, level: Level) =>
  founder.call('POST', SUBJECTS, {
    subject: nameOf(user),
    access_level: level,
    endpoint_id: endpoint,
  });

beforeAll(async () => {
  const [shared, database] = await Promise.all([sharedGateway(), freshDatabase()]);
  gateway = shared;
  folder = await mkdtemp(join(tmpdir(), 'causeway-access-'));
  founder = await newOrganization(gateway);
  endpoint = await founder.addPostgres(database.url);
  await founder.call('POST', `/endpoints/${endpoint}/write`, {
    query: 'create table items (n int)',
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a user who joins', () => {
  test.each(LEVELS)('with %s logs in', async (level) => {
    expect(
      await founder.call('POST', '/iam/users', {
        username: nameOf(level),
        password: PASSWORD,
        access_level: level,
      }),
    ).toEqual({
      status: 200,
      body: { message: expect.any(String), userId: nameOf(level), accessLevel: level },
    });
    const login = await ask(gateway, 'POST', '/auth/login', undefined, {
      Authorization: `Basic ${Buffer.from(`${nameOf(level)}:${PASSWORD}`).toString('base64')}`,
      'X-Org-Id': founder.id,
    });
    expect(login.status).toBe(200);
    tokens.set(level, (login.body as { token: string }).token);
  });

  test.each(LEVELS)('with %s may do what that level allows, and nothing else', async (level) => {
    expect(await statuses(level)).toEqual(ROWS[level]);
  });
});

describe('a level on the endpoint', () => {
  test('that is higher is in force for the next request, there alone', async () => {
    expect(await grant('Read', 'Admin')).toMatchObject({ status: 200 });
    expect(await statuses('Read')).toEqual({ ...ROWS.Admin, list: 403 });
  });

  test('that is lower replaces the one on the organization', async () => {
    expect(await grant('Admin', 'Read')).toMatchObject({ status: 200 });
    expect(await statuses('Admin')).toEqual({ ...ROWS.Read, list: 200 });
  });

  test('of None denies the endpoint', async () => {
    expect(await grant('Write', 'None')).toMatchObject({ status: 200 });
    expect(await statuses('Write')).toEqual(ROWS.None);
  });

  test('opens nothing to who is denied the organization', async () => {
    expect(await grant('None', 'Admin')).toMatchObject({ status: 200 });
    expect(await statuses('None')).toEqual(ROWS.None);
  });

  test('takes nothing from a SuperAdmin', async () => {
    expect(await grant('SuperAdmin', 'None')).toMatchObject({ status: 200 });
    expect(await statuses('SuperAdmin')).toEqual(ROWS.SuperAdmin);
  });

  test('may not be given by who holds less than Admin', async () => {
    const body = { subject: nameOf('Write'), access_level: 'Write', endpoint_id: endpoint };
    expect(await as('Write', 'POST', SUBJECTS, body)).toEqual(
      refusal('FORBIDDEN', 'This operation needs Admin access on the organization', [
        expect.objectContaining({ allowed: false, needed: 'Admin' }),
      ]),
    );
  });

  test('counts no more once it is taken away', async () => {
    const path = `${SUBJECTS}/${encodeURIComponent(nameOf('Write'))}?endpoint_id=${endpoint}`;
    expect(await founder.call('DELETE', path)).toMatchObject({ status: 200 });
    expect(await statuses('Write')).toEqual(ROWS.Write);
  });
});

describe('a decision', () => {
  const check = (user: Level, operation: string) =>
    founder.call(
      'GET',
      `/iam/rbac/check?${new URLSearchParams({
        resource: `endpoint:${endpoint}`,
        operation,
        subject: nameOf(user),
      })}`,
    );
  const denied = () => ({
    allowed: false,
    level: 'Read',
    needed: 'Write',
    rule: `endpoint ${endpoint}: Read for ${nameOf('Admin')}`,
    considered: [
      {
        rule: `organization: Admin for ${nameOf('Admin')}`,
        decides: false,
        why: "A rule on the resource replaces the organization's level",
      },
      {
        rule: `endpoint ${endpoint}: Read for ${nameOf('Admin')}`,
        decides: true,
        why: "A rule on the resource replaces the organization's level",
      },
    ],
    grant: { access_level: 'Write', subject: nameOf('Admin'), endpoint_id: endpoint },
  });

  test('is explained, to an Admin and with the refusal itself', async () => {
    expect(await check('Admin', 'write')).toEqual({ status: 200, body: denied() });
    expect(await OPERATIONS.write('Admin')).toEqual(
      refusal('FORBIDDEN', `This operation needs Write access on endpoint ${endpoint}`, [denied()]),
    );
  });

  test('changes with the grant that the explanation names', async () => {
    expect(await founder.call('POST', SUBJECTS, denied().grant)).toMatchObject({ status: 200 });
    expect(await check('Admin', 'write')).toMatchObject({
      body: { allowed: true, level: 'Write' },
    });
    expect((await OPERATIONS.write('Admin')).status).toBe(200);
  });
});

test('the very next request of a removed user is refused, and their login', async () => {
  const path = `/iam/users/${encodeURIComponent(nameOf('Write'))}`;
  expect((await OPERATIONS.read('Write')).status).toBe(200);
  expect(await founder.call('DELETE', path)).toEqual({
    status: 200,
    body: {
      message: `User ${nameOf('Write')} removed from ${founder.id}`,
      userId: nameOf('Write'),
    },
  });
  expect(await OPERATIONS.read('Write')).toEqual(
    refusal('TOKEN_REVOKED', 'Token is no longer valid'),
  );
  const again = await ask(gateway, 'POST', '/auth/login', undefined, {
    Authorization: `Basic ${Buffer.from(`${nameOf('Write')}:${PASSWORD}`).toString('base64')}`,
    'X-Org-Id': founder.id,
  });
  expect(again.status).toBe(401);
});

describe('the audit', () => {
  interface Entry {
    readonly seq: number | null;
    readonly actor: string;
    readonly action: string;
    readonly outcome: string;
  }
  const page = async () => {
    const { body } = await founder.call('GET', '/audit?limit=200');
    return body as { entries: Entry[]; next_cursor?: string };
  };
  const soon = { interval: 200 };

  test('tells who did what, was denied what, and logged in', async () => {
    const lines = async () =>
      (await page()).entries.map(({ actor, action, outcome }) => `${actor} ${action} ${outcome}`);
    const expected = [
      `${founder.username} endpoint.create success`,
      `${founder.username} user.create success`,
      `${nameOf('Read')} auth.login success`,
      `${founder.username} rbac.endpoints.subjects.create success`,
      `${nameOf('Read')} endpoint.update success`,
      `${nameOf('None')} endpoint.read denied`,
      `${nameOf('Write')} rbac.endpoints.subjects.create denied`,
      `${founder.username} rbac.endpoints.subjects.delete success`,
      `${nameOf('SuperAdmin')} organization.update success`,
      `${founder.username} user.delete success`,
      `${nameOf('Write')} endpoint.read denied`,
    ];
    await expect.poll(lines, soon).toEqual(expect.arrayContaining(expected));
  });

  test('is verified against an earlier head, and an edited entry is found', async () => {
    const unchained = async () => (await page()).entries.filter(({ seq }) => seq === null).length;
    await expect.poll(unchained, soon).toBe(0);
    const head = join(folder, 'head.json');
    const { body } = await founder.call('GET', '/audit/head');
    await writeFile(head, JSON.stringify(body));
    const { seq } = body as { seq: number };
    const privateKey = await readFile(join(gateway.data, 'keys/gateway-key.jwk'), 'utf8');
    const publicKey = join(folder, 'key.jwk');
    const { kty, crv, x } = JSON.parse(privateKey);
    await writeFile(publicKey, JSON.stringify({ kty, crv, x }));
    const against = ['--head', head, '--public-key', publicKey];

    const whole = runScript('server/audit-verify.ts', ['--url', gateway.url, ...against], {
      AUDIT_TOKEN: founder.token,
    });
    expect(await whole.ended).toEqual({ code: 0, signal: null });
    expect(whole.output.stdout()).toMatch(
      new RegExp(`^The chain is whole from 1 to \\d+; a head vouches for it up to ${seq};`),
    );

    const { entries, next_cursor } = await page();
    expect(next_cursor).toBeUndefined();
    const edited = entries.map((entry) =>
      entry.seq === seq - 1 ? { ...entry, actor: 'somebody else' } : entry,
    );
    const file = join(folder, 'edited.json');
    await writeFile(file, JSON.stringify({ entries: edited }));
    const broken = runScript('server/audit-verify.ts', ['--export', file, ...against]);
    expect(await broken.ended).toEqual({ code: 1, signal: null });
    expect(broken.output.stdout()).toContain(
      `Entry ${seq - 1} is not what it was when it was chained.\n`,
    );
  });
});
