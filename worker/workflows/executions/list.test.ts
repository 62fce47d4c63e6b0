/** That a list of runs costs the same however many have ended. Spec: workflows.md §6. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import { selectObjectsWithRuns } from '../runs/store.ts';
import type { Filter } from './schema.ts';
import { selectRuns } from './store.ts';

const db = drizzle(env.DB);
const AFTER = { time: 5, uuid: 'u' };

/** How D1 finds the rows of a statement. */
async function planOf(statement: { toSQL(): { sql: string; params: unknown[] } }) {
  const { sql, params } = statement.toSQL();
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...params)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

test.each<[Filter, string]>([
  [{}, 'workflow_runs_list (org_uuid=? AND workflow_uuid=?'],
  [{ since: '2026-01-01T00:00:00Z' }, 'workflow_runs_list (org_uuid=? AND workflow_uuid=?'],
  [{ status: 'failed' }, 'workflow_runs_status (org_uuid=? AND workflow_uuid=? AND status=?'],
  [{ version: '2.0.0' }, 'workflow_runs_version (org_uuid=? AND workflow_uuid=? AND version=?'],
  [{ trigger: 'event' }, 'workflow_runs_cause (org_uuid=? AND workflow_uuid=? AND cause=?'],
  [{ trigger: '1' }, 'workflow_runs_trigger (org_uuid=? AND workflow_uuid=? AND trigger_index=?'],
  [{ key: 'A-1' }, 'workflow_runs_key (org_uuid=? AND workflow_uuid=? AND key=?'],
  [{ parent: 'p' }, 'workflow_runs_parent (org_uuid=? AND workflow_uuid=? AND parent_uuid=?'],
])('a list by %j searches one index, and sorts nothing', async (filter, search) => {
  for (const after of [undefined, AFTER]) {
    const steps = await planOf(selectRuns(db, 'o', 'w', filter, { after, limit: 101 }, 9));
    expect(steps).toEqual([expect.stringMatching(/^SEARCH workflow_runs USING INDEX /)]);
    expect(steps[0]).toContain(search);
  }
});

test('objects with runs to wake are found without the runs that have ended', async () => {
  const steps = await planOf(selectObjectsWithRuns(db, 100));
  expect(steps[0]).toMatch(/^SCAN workflow_runs USING (COVERING )?INDEX workflow_runs_active$/);
});
