/** Removes what is kept no more: runs after their retention, keys after a week. Spec: workflows.md §1 `retention`, §4. */
import { databaseOf } from '../../context.ts';
import { dropDefinition } from './definitions.ts';
import type { Keeper } from './keeper.ts';
import { expireKeys } from './keys.ts';
import type { Reachable } from './reachable.ts';
import { deleteRuns } from './store.ts';
import { deleteRun } from './tables.ts';

/** Runs of one round; the next takes the others. */
const STEP = 50;

/** Milliseconds since 1970 at which something is kept no more; undefined when nothing is planned. */
export function nextExpiry({ sql }: Keeper): number | undefined {
  const [row] = sql
    .exec<{ at: number | null }>(
      `SELECT min(at) AS at FROM (
        SELECT min(expires) AS at FROM runs WHERE expires IS NOT NULL
        UNION ALL SELECT min(expires) FROM keys WHERE expires IS NOT NULL)`,
    )
    .toArray();
  return row?.at ?? undefined;
}

/** Removes what has expired. */
export function removeExpired({ env, driver }: Reachable, now: number): void {
  const { keeper } = driver;
  const { sql } = keeper;
  const rows = sql
    .exec<{ run: number; id: string; uuid: string; version: string }>(
      `SELECT run, id, json_extract(head, '$.workflow.uuid') AS uuid,
        json_extract(head, '$.workflow.version') AS version
        FROM runs WHERE expires <= ? LIMIT ?`,
      now,
      STEP,
    )
    .toArray();
  expireKeys(keeper, now);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  const db = databaseOf(env);
  driver.later(
    db.batch(deleteRuns(db, keeper.owner.orgUuid, ids)).then(async () => {
      for (const { run } of rows) deleteRun(sql, run);
      // Of all that are kept only what these were pinned to can have become free.
      const pinned = new Map(rows.map((row) => [`${row.uuid}:${row.version}`, row]));
      for (const version of pinned.values()) dropDefinition(keeper, version);
      await driver.allowance.giveBack();
    }),
  );
}
