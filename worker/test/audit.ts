/** Audits in tests: entries besides changes, chains brought up to date, and whole exports. */
import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import type { NewEntry } from '../audit/entry.ts';
import type { AuditEntry, SignedHead } from '../audit/hash.ts';
import { selectPage } from '../audit/store.ts';
import { entryOnWire } from '../audit/wire.ts';
import { insertEntries } from '../audit/write/store.ts';
import { type Context, openContext } from '../context.ts';
import { auditLimits } from '../limits/quotas/audit.ts';
import { settingsOf } from '../settings.ts';
import type { TestGateway } from './gateway.ts';

/** The organization's entries as they are in the database, newest first. */
export async function entriesOf(orgUuid: string): Promise<AuditEntry[]> {
  const rows = await selectPage(
    drizzle(env.DB),
    orgUuid,
    {},
    { limit: 100_000, before: undefined },
  );
  return rows.map(({ row }) => entryOnWire(row));
}

/** Writes an entry as it is written after a reply. */
export async function writeEntry(entry: NewEntry): Promise<void> {
  const db = drizzle(env.DB);
  const limits = auditLimits(settingsOf(env));
  await db.batch(insertEntries(db, entry.orgUuid, [entry], limits));
}

/** The object that owns an organization's chain. */
export function chainOf(orgUuid: string) {
  return env.AUDIT_CHAIN.getByName(orgUuid);
}

/** Numbers what there is, as the alarm does, without waiting for it. */
export async function numberAll(orgUuid: string): Promise<void> {
  const chain = chainOf(orgUuid);
  await chain.poke(orgUuid);
  await runDurableObjectAlarm(chain);
}

/** Stops the alarm, so that the test alone moves the chain. */
export async function silence(orgUuid: string): Promise<void> {
  await runInDurableObject(chainOf(orgUuid), (_chain, state) => state.storage.deleteAlarm());
}

/** All pages of `GET /audit`, as one list. */
export async function exportOf(
  gateway: TestGateway,
  limit = 1000,
): Promise<{ entries: AuditEntry[]; removed?: SignedHead }> {
  const entries: AuditEntry[] = [];
  let cursor = '';
  for (;;) {
    const { status, body } = await gateway.call('GET', `/audit?limit=${limit}${cursor}`);
    if (status !== 200) throw new Error(`GET /audit answered ${status}`);
    // The reply of the gateway under test; whatever is wrong in it shows in what is compared.
    const page = body as unknown as {
      entries: AuditEntry[];
      removed?: SignedHead;
      next_cursor?: string;
    };
    entries.push(...page.entries);
    if (page.next_cursor === undefined) {
      return { entries, ...(page.removed ? { removed: page.removed } : {}) };
    }
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

/** The context of a request by the gateway's user, for what is called without a route. */
export function contextOf({ bindings, clock, organization, user }: TestGateway): Context {
  const open = openContext({
    signal: new AbortController().signal,
    env: bindings,
    outside: {
      now: () => clock.now,
      fetch: () => Promise.reject(new Error('Nothing outside is reachable')),
    },
    requestId: 'request-of-the-test',
    address: 'local',
    // Runs on by itself: the runtime of the tests outlives it.
    waitUntil() {},
  });
  const caller = {
    userUuid: user.uuid,
    userId: user.username,
    orgUuid: organization.uuid,
    orgId: organization.id,
    issuedAt: clock.now,
    loginAt: clock.now,
    expiresAt: clock.now + 3_600_000,
  };
  return { ...open, caller };
}
