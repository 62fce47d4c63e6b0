/**
 * Removes what deleted organizations had, in steps that D1 ends in time. Each step can be the
 * last: the clock's next round goes on from there.
 */
import { deleteEntries } from '../../audit/store.ts';
import type { PublicContext } from '../../context.ts';
import { clearChanges } from '../../data-changes/tell.ts';
import { releaseEndpoint } from '../../endpoints/release.ts';
import { clearKeys } from '../../idempotency/clear.ts';
import { forgetNodes } from '../../nodes/forget.ts';
import { clearRuns } from '../../workflows/runs/clear.ts';
import {
  type DeletedOrganization,
  deleteEndpoints,
  deleteMarked,
  deleteSome,
  selectMarked,
  selectSomeEndpoints,
} from './store.ts';

/** Rows of each table that one batch removes. */
const ROWS_MAX = 5_000;
/** Batches of one sweep of one organization. */
const STEPS_MAX = 50;
/** Endpoints whose connections are closed at the same time. */
const RELEASES_AT_ONCE = 6;
/** Endpoints of one sweep of one organization: each is a request to the relay. */
const RELEASES_MAX = 500;
/** Organizations of one round. */
const ORGANIZATIONS_MAX = 50;
/**
 * Milliseconds for which the mark stays. Longer than any request that began before it runs, with
 * POLICY_TTL_MS on top: what such a request still writes is swept with the mark.
 */
const MARK_STAYS_MS = 10 * 60 * 1000;

/**
 * One round over all organizations that are marked; for the cron trigger.
 * @throws AggregateError when some of them could not be swept; the others are
 */
export async function sweepDeleted(ctx: PublicContext): Promise<void> {
  const failures: unknown[] = [];
  for (const marked of await selectMarked(ctx.db, ORGANIZATIONS_MAX)) {
    await sweepOrganization(ctx, marked).catch((thrown: unknown) => failures.push(thrown));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Organizations were not swept');
}

/** Removes what a marked organization has, and once the mark is old enough, the mark. */
export async function sweepOrganization(
  ctx: PublicContext,
  marked: DeletedOrganization,
): Promise<void> {
  const isOld = ctx.now() - marked.deletedAt >= MARK_STAYS_MS;
  const released = await removeEndpoints(ctx, marked.uuid, isOld);
  await forgetNodes(ctx, marked.uuid);
  const emptied = await removeRows(ctx, marked.uuid);
  if (!isOld || !released || !emptied) return;
  await ctx.env.AUDIT_CHAIN.getByName(marked.uuid).forget();
  await clearKeys(ctx.env, marked.uuid);
  await clearRuns(ctx.env, marked.uuid);
  await ctx.env.WEBHOOK_DELIVERIES.getByName(marked.uuid).clear();
  await ctx.env.TRANSACTION_LOGS.getByName(marked.uuid).clear();
  await ctx.db.batch([
    ...deleteSome(ctx.db, marked.uuid, ROWS_MAX),
    deleteMarked(ctx.db, marked.uuid),
  ]);
}

/**
 * Has relays close the connections of each endpoint, then removes it. One whose relay did not
 * answer stays for the next round, until the mark is old: by then idle connections are closed.
 * Answers whether none is left.
 */
async function removeEndpoints(ctx: PublicContext, orgUuid: string, isOld: boolean) {
  for (let released = 0; released < RELEASES_MAX; released += RELEASES_AT_ONCE) {
    const rows = await selectSomeEndpoints(ctx.db, orgUuid, RELEASES_AT_ONCE);
    if (rows.length === 0) return true;
    const outcomes = await Promise.allSettled(
      rows.map((row) => releaseEndpoint(ctx, { row: { ...row, orgUuid } })),
    );
    await clearChanges(
      ctx.env,
      orgUuid,
      rows.map(({ uuid }) => uuid),
    );
    const done = rows.filter((_row, at) => isOld || outcomes[at]?.status === 'fulfilled');
    await deleteEndpoints(
      ctx.db,
      orgUuid,
      done.map(({ uuid }) => uuid),
    );
    if (done.length < rows.length) return false;
  }
  return false;
}

/** Answers whether nothing is left. */
async function removeRows({ db }: PublicContext, orgUuid: string): Promise<boolean> {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const removed = await db.batch(deleteSome(db, orgUuid, ROWS_MAX));
    const results = [...removed, await deleteEntries(db, orgUuid, ROWS_MAX)];
    if (results.every(({ meta }) => meta.changes < ROWS_MAX)) return true;
  }
  return false;
}
