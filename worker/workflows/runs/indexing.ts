/** Writes to D1 the state of an object's runs, and tells the organization's events of them: at most a second late. */
import { type Bindings, databaseOf } from '../../context.ts';
import { loggedFault } from '../../db/fault.ts';
import type { WorkflowRunRow } from '../../db/workflows.ts';
import type { NewEvent } from '../../events/object.ts';
import { log } from '../../log.ts';
import { toldCompensation } from './compensation.ts';
import type { RunRow } from './journal.ts';
import type { Keeper } from './keeper.ts';
import { keptUntil } from './run-rows.ts';
import { countIndexed, INDEX_STEP, upsertRuns } from './store.ts';
import { eventsOf } from './tells.ts';

/** Milliseconds for which changes gather; where there are always some, those between two writes. */
const GATHER_MS = 200;
const WRITE_EVERY_MS = 800;

/** What writes the index of one object. */
export class Indexer {
  readonly #env: Bindings;
  readonly #keeper: Keeper;
  #isPlanned = false;
  #last: Promise<unknown> = Promise.resolve();
  /** Unix epoch milliseconds of the last write. */
  #wroteAt = 0;

  constructor(env: Bindings, keeper: Keeper) {
    this.#env = env;
    this.#keeper = keeper;
  }

  /** Runs have changed: they are written soon. @param later lets that go on in the background */
  soon(later: (work: Promise<unknown>) => void): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const wait = Math.max(GATHER_MS, this.#wroteAt + WRITE_EVERY_MS - Date.now());
    const written = scheduler.wait(wait).then(() => {
      this.#isPlanned = false;
      return this.tryWrite();
    });
    later(written);
  }

  /** As `write`; what fails is logged, and done again later. */
  async tryWrite(): Promise<void> {
    try {
      await this.write();
    } catch (thrown) {
      log('warn', 'the index of runs is written again', loggedFault(thrown));
    }
  }

  /** Writes runs that D1 does not have, some at a time. @throws what D1 fails with */
  async remake(): Promise<void> {
    const { sql, owner } = this.#keeper;
    await this.write();
    for (let after = 0; ; ) {
      const some = sql
        .exec<{ run: number; id: string }>(
          'SELECT run, id FROM runs WHERE run > ? ORDER BY run LIMIT ?',
          after,
          REMADE_STEP,
        )
        .toArray();
      const last = some.at(-1);
      if (!last) return;
      const ids = some.map(({ id }) => id);
      const [row] = await countIndexed(databaseOf(this.#env), owner.orgUuid, ids);
      if (row && row.indexed < ids.length) {
        const range = 'run > ? AND run <= ?';
        sql.exec(
          `INSERT OR IGNORE INTO unindexed SELECT run, '' FROM runs WHERE ${range}`,
          after,
          last.run,
        );
        remakeBeside(sql, after, last.run);
        await this.write();
      }
      after = last.run;
    }
  }

  /** Writes what was not written yet, one write after the other. @throws what D1 or the log of events fails with */
  async write(): Promise<void> {
    const written = this.#last.then(() => {
      this.#wroteAt = Date.now();
      return writeIndex(this.#env, this.#keeper);
    });
    this.#last = written.catch(() => undefined);
    await written;
  }
}

/** Runs that are looked for in D1 at a time. */
const REMADE_STEP = 1_000;

/** Open tasks and dead letters of some runs are written again, too: what is done outside may be done twice. */
function remakeBeside(sql: SqlStorage, after: number, upTo: number): void {
  sql.exec(
    `INSERT INTO outbox (run, body) SELECT run, json_object('do', 'open-task', 'path', path,
        'escalated', json(iif(json_extract(body, '$.state.escalated'), 'true', 'false')))
      FROM nodes WHERE run > ? AND run <= ? AND phase <> 'ended' AND phase = 'wait'
        AND generation = 0 AND json_extract(body, '$.state.wait') = 'task'`,
    after,
    upTo,
  );
  sql.exec(
    `INSERT INTO outbox (run, body) SELECT run, '{"do":"end"}' FROM runs
      WHERE run > ? AND run <= ? AND status = 'failed'`,
    after,
    upTo,
  );
}

interface Unindexed extends Record<string, SqlStorageValue> {
  readonly run: number;
  readonly tells: string;
}

/**
 * Writes what was not written yet. Where the log of events has no room, what it is told stays, and is
 * told again with the next write.
 * @throws what D1 or the log of events fails with
 */
async function writeIndex(env: Bindings, keeper: Keeper): Promise<void> {
  const { sql } = keeper;
  sql.exec('DELETE FROM unindexed WHERE run NOT IN (SELECT run FROM runs)');
  let after = 0;
  for (;;) {
    const found = sql
      .exec<Unindexed>(
        'SELECT run, tells FROM unindexed WHERE run > ? ORDER BY run LIMIT ?',
        after,
        INDEX_STEP,
      )
      .toArray();
    const rows = found.flatMap(({ run, tells }) => {
      const row = keeper.at(run);
      return row ? [{ row, tells }] : [];
    });
    if (rows.length === 0) return;
    const index = rows.map(({ row }) => indexRow(keeper, row));
    const events = rows.flatMap(({ row, tells }) => eventsOf(keeper, row, tells));
    const [isTold] = await Promise.all([
      tell(env, keeper, events),
      upsertRuns(databaseOf(env), index),
    ]);
    forget(sql, rows, isTold);
    after = found.at(-1)?.run ?? after;
    if (found.length < INDEX_STEP) return;
  }
}

/** Answers whether the log of events has taken them. */
async function tell(
  env: Bindings,
  { owner }: Keeper,
  events: readonly NewEvent[],
): Promise<boolean> {
  if (events.length === 0) return true;
  const object = env.ORGANIZATION_EVENTS.getByName(owner.orgUuid);
  const isTold = (await object.append(owner, events)) !== false;
  if (!isTold) {
    const told = { organization: owner.orgId, events: events.length };
    log('warn', 'events of runs wait: the storage of the organization is used up', told);
  }
  return isTold;
}

/** What changed meanwhile is written again, what was told stays told. */
function forget(
  sql: SqlStorage,
  rows: readonly { readonly row: RunRow; readonly tells: string }[],
  isTold: boolean,
): void {
  const list = JSON.stringify(
    rows
      .filter(({ tells }) => isTold || tells === '')
      // SQLite counts code points.
      .map(({ row, tells }) => [row.run, row.seq, [...tells].length]),
  );
  sql.exec(
    `UPDATE unindexed SET tells = substr(tells, 1 + (each.value ->> 2)) FROM json_each(?) AS each
      WHERE unindexed.run = each.value ->> 0`,
    list,
  );
  sql.exec(
    `DELETE FROM unindexed WHERE tells = '' AND run IN (SELECT runs.run FROM json_each(?) AS each
      JOIN runs ON runs.run = each.value ->> 0 AND runs.seq = each.value ->> 1)`,
    list,
  );
}

function indexRow(keeper: Keeper, { run, id, head, body }: RunRow): WorkflowRunRow {
  const { caller, author, trigger, workflow, parent, forkedFrom, retentionMs } = head;
  const hasEnded = body.endedAt !== 0;
  const ownEnd = body.endedAt + retentionMs;
  const error = body.error === undefined ? undefined : keeper.text(run, body.error);
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
    authorName: author?.name ?? null,
    parentUuid: parent?.run ?? null,
    forkedFrom: forkedFrom ?? null,
    compensation: toldCompensation(body) ?? null,
    errorCode: error === undefined ? null : (JSON.parse(error) as { code: string }).code,
    startedAt: body.startedAt,
    endedAt: hasEnded ? body.endedAt : null,
    expiresAt: hasEnded ? Math.max(ownEnd, keptUntil(keeper.sql, run) ?? 0) : null,
  };
}
