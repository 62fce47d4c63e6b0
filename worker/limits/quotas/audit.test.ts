/**
 * An audit is bounded, whatever fills it: changes are refused, what nobody can be refused is counted,
 * and there is always a way out. Random operations; `TEST_RUNS` asks for more.
 */
import { env } from 'cloudflare:test';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { verify } from '../../audit/verify.ts';
import { chainOf, entriesOf, exportOf, numberAll, silence } from '../../test/audit.ts';
import { startGateway, type TestGateway } from '../../test/gateway.ts';
import { TIMES } from '../../test/runs.ts';

const KIBIBYTE = 1024;
const STORAGE = 32 * KIBIBYTE;
const AUDIT = 48 * KIBIBYTE;
const QUOTAS = JSON.stringify({ storage: STORAGE, audit: AUDIT });
/** An organization's own rows, and one entry that was let through last. */
const SLACK = 4 * KIBIBYTE;
/** Milliseconds after which the same refusal is an entry of its own. */
const LATER_MS = 6_000;
const LONGEST_MS = 120_000 * TIMES;

const WAYS = ['change', 'rename', 'foreign rename', 'refusal', 'removal', 'retention'] as const;

/** A tenant, and an account that is a member of another organization too. */
async function startTenant() {
  const gateway = await startGateway('SuperAdmin', { bindings: { QUOTAS } });
  const other = await startGateway('SuperAdmin', { bindings: { QUOTAS } });
  const reader = await gateway.addUser('Read');
  await env.DB.prepare(
    `insert into memberships (org_uuid, account_uuid, created_at, created_by, last_modified_at, last_modified_by)
     values (?, ?, 0, 'test', 0, 'test')`,
  )
    .bind(gateway.organization.uuid, other.user.uuid)
    .run();
  let made = 0;
  const self = (of: TestGateway) => `/iam/users/${of.user.uuid}`;
  const status = async (of: TestGateway, method: string, path: string, body?: Json) =>
    (await of.call(method, path, body)).status;
  const name = () => `user-${crypto.randomUUID().slice(1)}`;
  const later = () => {
    for (const each of [gateway, other]) each.clock.now += LATER_MS;
  };
  const ways: Readonly<Record<(typeof WAYS)[number], () => Promise<number>>> = {
    change: () => status(gateway, 'PATCH', '/organizations', { description: `the ${made}th` }),
    rename: () => status(gateway, 'PATCH', self(gateway), { username: name() }),
    'foreign rename': () => status(other, 'PATCH', self(other), { username: name() }),
    async refusal() {
      const bearer = await gateway.token(reader);
      return (await gateway.call('GET', '/audit', undefined, bearer)).status;
    },
    async removal() {
      const user = await gateway.addUser('Read');
      return status(gateway, 'DELETE', `/iam/users/${user.uuid}`);
    },
    retention: () =>
      status(gateway, 'PATCH', '/organizations', {
        settings: { dataRetentionDays: 20_000 + (made % 2) },
      }),
  };
  return {
    gateway,
    other,
    status,
    async do(what: (typeof WAYS)[number]) {
      made += 1;
      later();
      const answered = await ways[what]();
      // What goes on after replies waits for clocks of its own: the last of them is waited for at the end.
      return `${what} ${answered}`;
    },
  };
}

/** Bytes of the organization's entries, counted from what is stored, not from the usage record. */
async function audited({ organization }: TestGateway): Promise<number> {
  const [row] = (
    await env.DB.prepare(
      `select coalesce(sum(length(cast(details as blob)) + length(cast(actor as blob))
         + length(cast(resource as blob)) + length(cast(request_id as blob)) + 400), 0) as bytes
       from audit_entries where org_uuid = ?`,
    )
      .bind(organization.uuid)
      .all<{ bytes: number }>()
  ).results;
  return row?.bytes ?? 0;
}

async function booked({ organization }: TestGateway) {
  return env.DB.prepare('select bytes, not_kept from audit_totals where org_uuid = ?')
    .bind(organization.uuid)
    .first<{ bytes: number; not_kept: number }>();
}

type Tenant = Awaited<ReturnType<typeof startTenant>>;

/** Whatever is full: the retention is shortened, what is older goes, and all is as before. */
async function getOut({ gateway, status }: Tenant): Promise<void> {
  const { uuid } = gateway.organization;
  const lowered = { settings: { dataRetentionDays: 10 } };
  expect(await status(gateway, 'PATCH', '/organizations', lowered)).toBe(200);
  await numberAll(uuid);
  await chainOf(uuid).removeOlderThan(uuid, gateway.clock.now + 1);
  expect(await status(gateway, 'PATCH', '/organizations', { description: 'out' })).toBe(200);
  await numberAll(uuid);
  const { entries, removed } = await exportOf(gateway);
  const keys = [JSON.parse(env.GATEWAY_PUBLIC_KEY)];
  const head = await chainOf(uuid).head(uuid);
  expect(await verify({ entries, heads: [head], removed, keys })).toMatchObject({ faults: [] });
}

test('an audit takes no more than its part, and there is a way out of it', {
  timeout: LONGEST_MS,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...WAYS), { minLength: 240, maxLength: 280 }),
      async (operations) => {
        const tenant = await startTenant();
        const { gateway, other } = tenant;
        const outcomes = new Set<string>();
        for (const each of operations) outcomes.add(await tenant.do(each));
        await Promise.all([gateway.settle(), other.settle()]);
        const bytes = await audited(gateway);
        expect(bytes).toBe((await booked(gateway))?.bytes);
        expect(bytes).toBeLessThanOrEqual(STORAGE + AUDIT + AUDIT / 4 + SLACK);
        expect([...outcomes].filter((each) => !/ (?:200|403)$/.test(each))).toEqual([]);
        expect(outcomes).toContain('change 403');
        expect(outcomes).not.toContain('foreign rename 403');
        await getOut(tenant);
      },
    ),
    { numRuns: TIMES },
  );
});

test('what is not kept is counted, told, and an entry once there is room', async () => {
  const gateway = await startGateway('SuperAdmin', { bindings: { QUOTAS } });
  const reader = await gateway.token(await gateway.addUser('Read'));
  await env.DB.prepare('insert into audit_totals (org_uuid, bytes) values (?, 1000000)')
    .bind(gateway.organization.uuid)
    .run();
  expect((await gateway.call('PATCH', '/organizations', { description: 'x' })).status).toBe(403);
  for (let at = 0; at < 2; at += 1) {
    gateway.clock.now += LATER_MS;
    await gateway.call('GET', '/audit', undefined, reader);
    await gateway.settle();
    await silence(gateway.organization.uuid);
  }
  expect(await entriesOf(gateway.organization.uuid)).toEqual([]);
  expect((await gateway.call('GET', '/audit')).body).toEqual({ entries: [], not_kept: 3 });
  // The chain's own settings have room.
  await numberAll(gateway.organization.uuid);
  expect((await gateway.call('GET', '/audit')).body).toEqual({
    entries: [
      expect.objectContaining({
        seq: 1,
        actor: 'gateway',
        action: 'audit.not_kept',
        outcome: 'denied',
        repeats: 3,
        details: { code: 'QUOTA_EXCEEDED' },
      }),
    ],
  });
});
