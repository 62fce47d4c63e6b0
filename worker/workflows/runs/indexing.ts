/** Writes to D1 how an object's runs stand, and tells the organization's events of them: at most a second late. */
import { type Bindings, databaseOf } from '../../context.ts';
import type { WorkflowRunRow } from '../../db/workflows.ts';
import type { NewEvent } from '../../events/object.ts';
import { compensationOf } from './compensation.ts';
import type { RunEffect } from './head.ts';
import type { RunRow } from './journal.ts';
import type { Keeper } from './keeper.ts';
import { INDEX_STEP, upsertRuns } from './store.ts';

/** Milliseconds for which changes gather. */
export const GATHER_MS = 200;
/** Events that are told at a time. */
const TOLD_STEP = 100;

interface Told extends Record<string, SqlStorageValue> {
  readonly id: number;
  readonly run: number;
  readonly body: string;
}

/** Writes what was not written yet. @throws what D1 fails with */
export async function writeIndex(env: Bindings, keeper: Keeper): Promise<void> {
  const { sql } = keeper;
  for (;;) {
    const rows = sql
      .exec<{ run: number }>('SELECT run FROM unindexed LIMIT ?', INDEX_STEP)
      .toArray()
      .flatMap(({ run }) => keeper.at(run) ?? []);
    sql.exec('DELETE FROM unindexed WHERE run NOT IN (SELECT run FROM runs)');
    if (rows.length === 0) return;
    await upsertRuns(
      databaseOf(env),
      rows.map((row) => indexRow(keeper, row)),
    );
    // What changed meanwhile is written again.
    for (const { run, seq } of rows) {
      const where = 'run = ? AND EXISTS (SELECT 1 FROM runs WHERE run = ? AND seq = ?)';
      sql.exec(`DELETE FROM unindexed WHERE ${where}`, run, run, seq);
    }
    if (rows.length < INDEX_STEP) return;
  }
}

function indexRow({ vault }: Keeper, { run, id, head, body }: RunRow): WorkflowRunRow {
  const { caller, trigger, workflow, parent, forkedFrom, retentionMs } = head;
  const hasEnded = body.endedAt !== 0;
  const error = body.error === undefined ? undefined : vault.text(run, body.error);
  return {
    orgUuid: head.orgUuid,
    uuid: id,
    workflowUuid: workflow.uuid,
    version: workflow.version,
    status: body.status,
    cause: trigger.type as WorkflowRunRow['cause'],
    triggerIndex: trigger.index ?? null,
    triggerId: trigger.id,
    key: body.key ?? null,
    startedBy: caller.userUuid,
    startedByName: head.startedBy,
    parentUuid: parent?.run ?? null,
    forkedFrom: forkedFrom ?? null,
    compensation: hasEnded && body.status !== 'succeeded' ? compensationOf(body) : null,
    errorCode: error === undefined ? null : (JSON.parse(error) as { code: string }).code,
    startedAt: body.startedAt,
    endedAt: hasEnded ? body.endedAt : null,
    expiresAt: hasEnded ? body.endedAt + retentionMs : null,
  };
}

/** Tells the organization's events of what happened in its runs. @throws what their object fails with */
export async function tellEvents(env: Bindings, keeper: Keeper): Promise<void> {
  const { sql, owner } = keeper;
  for (;;) {
    const rows = sql
      .exec<Told>(
        "SELECT id, run, body FROM outbox WHERE kind = 'tell' ORDER BY id LIMIT ?",
        TOLD_STEP,
      )
      .toArray();
    const events = rows.flatMap(({ id, run, body }) => eventOf(keeper, id, run, body));
    if (events.length > 0) {
      await env.ORGANIZATION_EVENTS.getByName(owner.orgUuid).append(owner, events);
    }
    const last = rows.at(-1)?.id ?? 0;
    sql.exec("DELETE FROM outbox WHERE kind = 'tell' AND id <= ?", last);
    if (rows.length < TOLD_STEP) return;
  }
}

function eventOf(keeper: Keeper, id: number, run: number, body: string): NewEvent[] {
  const effect = JSON.parse(body) as RunEffect; // As the journal wrote it.
  const row = keeper.at(run);
  if (effect.do !== 'tell' || !row) return [];
  const data = {
    workflow: row.head.workflow.id,
    run_id: row.id,
    ...(effect.path === '' ? {} : { path: effect.path }),
    ...effect.data,
  };
  return [
    {
      source: 'causeway',
      event: effect.event,
      id: `${row.id}:${id}`,
      time: new Date().toISOString(),
      data: JSON.stringify(data),
    },
  ];
}
