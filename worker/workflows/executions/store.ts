/** Statements that read the index of runs, tasks and dead letters; the organization comes first in each. */
import {
  and,
  desc,
  eq,
  gt,
  gte,
  isNull,
  lt,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { workflowDeadLetters, workflowRuns } from '../../db/workflows.ts';
import type { Filter, LetterFilter } from './schema.ts';

/** Where a page begins: after an entry of that time and name, the newest first. */
export interface After {
  readonly time: number;
  readonly uuid: string;
}

/** A part of a list. */
interface Part {
  readonly after: After | undefined;
  readonly limit: number;
}

function before(time: SQLWrapper, uuid: SQLWrapper, after: After | undefined): SQL | undefined {
  return after && sql`(${time}, ${uuid}) < (${after.time}, ${after.uuid})`;
}

/** What started them: the index of a trigger, or a word. */
function byTrigger(trigger: string | undefined): SQL | undefined {
  if (trigger === undefined) return undefined;
  if (/^\d+$/.test(trigger)) return eq(workflowRuns.triggerIndex, Number(trigger));
  return sql`${workflowRuns.cause} = ${trigger}`;
}

/** Runs of a workflow that are kept, the newest first. */
export function selectRuns(
  db: Database,
  orgUuid: string,
  workflow: string,
  filter: Filter,
  { after, limit }: Part,
  now: number,
) {
  const { status, version, key, since, until, parent, trigger } = filter;
  return db
    .select()
    .from(workflowRuns)
    .where(
      and(
        eq(workflowRuns.orgUuid, orgUuid),
        eq(workflowRuns.workflowUuid, workflow),
        status === undefined ? undefined : eq(workflowRuns.status, status),
        version === undefined ? undefined : eq(workflowRuns.version, version),
        key === undefined ? undefined : eq(workflowRuns.key, key),
        parent === undefined ? undefined : eq(workflowRuns.parentUuid, parent),
        byTrigger(trigger),
        since === undefined ? undefined : gte(workflowRuns.startedAt, Date.parse(since)),
        until === undefined ? undefined : lt(workflowRuns.startedAt, Date.parse(until)),
        or(isNull(workflowRuns.expiresAt), gt(workflowRuns.expiresAt, now)),
        before(workflowRuns.startedAt, workflowRuns.uuid, after),
      ),
    )
    .orderBy(desc(workflowRuns.startedAt), desc(workflowRuns.uuid))
    .limit(limit);
}

/** Dead letters of a workflow that are kept, the newest first. */
export function selectLetters(
  db: Database,
  orgUuid: string,
  workflow: string,
  { version, since, until }: LetterFilter,
  { after, limit }: Part,
  now: number,
) {
  return db
    .select()
    .from(workflowDeadLetters)
    .where(
      and(
        eq(workflowDeadLetters.orgUuid, orgUuid),
        eq(workflowDeadLetters.workflowUuid, workflow),
        gt(workflowDeadLetters.expiresAt, now),
        version === undefined ? undefined : eq(workflowDeadLetters.version, version),
        since === undefined ? undefined : gte(workflowDeadLetters.createdAt, Date.parse(since)),
        until === undefined ? undefined : lt(workflowDeadLetters.createdAt, Date.parse(until)),
        before(workflowDeadLetters.createdAt, workflowDeadLetters.uuid, after),
      ),
    )
    .orderBy(desc(workflowDeadLetters.createdAt), desc(workflowDeadLetters.uuid))
    .limit(limit);
}

/** At most one row. */
export function selectLetter(db: Database, orgUuid: string, workflow: string, uuid: string) {
  return db
    .select()
    .from(workflowDeadLetters)
    .where(
      and(
        eq(workflowDeadLetters.orgUuid, orgUuid),
        eq(workflowDeadLetters.uuid, uuid),
        eq(workflowDeadLetters.workflowUuid, workflow),
      ),
    );
}

/** Marks a dead letter as redriven; no row comes back when it was before, or may not be. */
export function redriveLetter(db: Database, orgUuid: string, uuid: string, now: number) {
  return db
    .update(workflowDeadLetters)
    .set({ redrivenAt: now })
    .where(
      and(
        eq(workflowDeadLetters.orgUuid, orgUuid),
        eq(workflowDeadLetters.uuid, uuid),
        eq(workflowDeadLetters.retryable, true),
        isNull(workflowDeadLetters.redrivenAt),
        gt(workflowDeadLetters.expiresAt, now),
      ),
    )
    .returning({ uuid: workflowDeadLetters.uuid });
}

/** Takes back that it was. */
export function restoreLetter(db: Database, orgUuid: string, uuid: string) {
  return db
    .update(workflowDeadLetters)
    .set({ redrivenAt: null })
    .where(and(eq(workflowDeadLetters.orgUuid, orgUuid), eq(workflowDeadLetters.uuid, uuid)));
}

/** Runs among which a caller's newest start is looked for. */
const LOOKED_AT = 1_000;

/** One row: when a caller last started a run, as far as the newest runs tell. */
export function selectLastCall(db: Database, orgUuid: string, workflow: string) {
  const newest = db
    .select({ cause: workflowRuns.cause, startedAt: workflowRuns.startedAt })
    .from(workflowRuns)
    .where(and(eq(workflowRuns.orgUuid, orgUuid), eq(workflowRuns.workflowUuid, workflow)))
    .orderBy(desc(workflowRuns.startedAt))
    .limit(LOOKED_AT)
    .as('newest');
  return db
    .select({ last: sql<number | null>`max(${newest.startedAt})` })
    .from(newest)
    .where(eq(newest.cause, 'api'));
}
