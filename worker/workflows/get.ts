/** Shows a workflow: its definition, figures about its runs, its versions. Spec: "Workflow detail response". */
import type { JsonObject } from '../../proto/json.ts';
import { bytesInPieces } from '../../proto/json-bytes.ts';
import type { Context } from '../context.ts';
import { dividedInTurn } from '../limits/heavy-work.ts';
import { JsonBytes, Tagged } from '../outcome.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { changedMeanwhile, versionNotFound, type Workflow, workflowNotFound } from './access.ts';
import { tagOf } from './record.ts';
import {
  selectEndedSince,
  selectStartedSince,
  selectTotals,
  selectVersion,
  selectVersionNames,
  selectWorkflow,
} from './store.ts';
import { shownDefinition, storedInPieces } from './stored.ts';

const DAY_MS = 86_400_000;

/**
 * The definition of a version, with figures about the runs of the workflow.
 * @param version the one in force, when left out
 * @throws GatewayError WORKFLOW_NOT_FOUND when it is gone since it was looked up, or has no such version
 */
export async function getWorkflow(
  ctx: Context,
  { row: found }: Workflow,
  version?: string,
): Promise<Tagged> {
  const { db } = ctx;
  const { orgUuid, uuid, id } = found;
  const since = ctx.now() - DAY_MS;
  const [[row], versions, [shown], [totals], [ended], [started]] = await db.batch([
    selectWorkflow(db, orgUuid, { uuid }),
    selectVersionNames(db, orgUuid, uuid),
    selectVersion(db, orgUuid, uuid, version ?? found.version),
    selectTotals(db, orgUuid, uuid),
    selectEndedSince(db, orgUuid, uuid, since),
    selectStartedSince(db, orgUuid, uuid, since),
  ]);
  if (!row || row.deletedAt !== null) throw workflowNotFound(id);
  if (!shown) throw version === undefined ? changedMeanwhile(id) : versionNotFound(id, version);
  const size = shown.definition.length;
  const definition = shownDefinition(
    await dividedInTurn(ctx, size, storedInPieces(shown.definition)),
  );
  const told: JsonObject = {
    id,
    uuid,
    ...definition,
    status: row.status,
    created: isoTime(row.createdAt),
    createdBy: row.createdBy,
    lastModified: isoTime(row.updatedAt),
    lastModifiedBy: row.lastModifiedBy,
    execution: {
      totalExecutions: totals?.executions ?? 0,
      successRate: rateOf(totals),
      averageDuration: averageOf(totals),
      last24Hours: { executions: started?.started ?? 0, successRate: rateOf(ended) },
    },
    versions: versions.map((each) => ({
      version: each.version,
      created: isoTime(each.createdAt),
      active: each.version === row.version,
    })),
  };
  const bytes = await dividedInTurn(ctx, size, bytesInPieces(told));
  return new Tagged(tagOf(row), new JsonBytes(bytes));
}

/** Between 0 and 1 over runs that ended; 0 where none has. Spec: workflows.md §6. */
function rateOf(
  counts: { readonly ended: number; readonly succeeded: number } | undefined,
): number {
  if (counts === undefined || counts.ended === 0) return 0;
  return Math.round((counts.succeeded / counts.ended) * 10_000) / 10_000;
}

/** Milliseconds. */
function averageOf(totals: { readonly ended: number; readonly durationMs: number } | undefined) {
  return totals && totals.ended > 0 ? Math.round(totals.durationMs / totals.ended) : 0;
}
