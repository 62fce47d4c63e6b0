/** Runs of a workflow as a page of a list. Spec: workflows.md §6. */
import type { Json, JsonObject } from '../../../proto/json.ts';
import type { Context } from '../../context.ts';
import type { WorkflowRunRow } from '../../db/workflows.ts';
import { type ListContext, listContext, readCursor, writeCursor } from '../../shapes/cursor.ts';
import { isoTime } from '../../shapes/iso-time.ts';
import type { Workflow } from '../access.ts';
import type { ListQuery } from './schema.ts';
import { type After, selectRuns } from './store.ts';

/** The entry that a cursor is after. @throws GatewayError BAD_REQUEST */
export async function afterOf(
  context: ListContext,
  cursor: string | undefined,
): Promise<After | undefined> {
  const last = await readCursor(context, cursor);
  const [time, uuid = ''] = last?.split(' ') ?? [];
  return time === undefined ? undefined : { time: Number(time), uuid };
}

/** A cursor after an entry. */
export function cursorAfter(context: ListContext, { time, uuid }: After): Promise<string> {
  return writeCursor(context, `${time} ${uuid}`);
}

/** The newest first. @throws GatewayError BAD_REQUEST for a cursor that is not of this list */
export async function listRuns(
  ctx: Context,
  workflow: Workflow,
  { limit, cursor, ...filter }: ListQuery,
): Promise<Json> {
  const { row, policy } = workflow;
  const context = listContext(ctx, policy.sealedDataKey, `executions:${row.uuid}`);
  const after = await afterOf(context, cursor);
  const part = { after, limit: limit + 1 };
  const { orgUuid } = ctx.caller;
  const rows = await selectRuns(ctx.db, orgUuid, row.uuid, filter, part, ctx.now());
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    executions: page.map((each) => entryOf(each, row.id)),
    ...(last && {
      next_cursor: await cursorAfter(context, { time: last.startedAt, uuid: last.uuid }),
    }),
  };
}

function entryOf(run: WorkflowRunRow, workflow: string): JsonObject {
  const { cause, triggerIndex, triggerId, startedAt, endedAt, errorCode, compensation } = run;
  return {
    run_id: run.uuid,
    workflow,
    version: run.version,
    ...(run.key === null ? {} : { key: run.key }),
    status: run.status,
    trigger: {
      type: cause,
      ...(triggerIndex === null ? {} : { index: triggerIndex }),
      id: triggerId ?? '',
    },
    started_by: run.startedByName,
    ...(run.authorName === null ? {} : { author: run.authorName }),
    ...(run.parentUuid === null ? {} : { parent: run.parentUuid }),
    ...(run.forkedFrom === null ? {} : { forked_from: run.forkedFrom }),
    ...(errorCode === null ? {} : { error: { code: errorCode } }),
    ...(compensation === null ? {} : { compensation }),
    started: isoTime(startedAt),
    ...(endedAt === null
      ? {}
      : { ended: isoTime(endedAt), duration_ms: Math.max(0, endedAt - startedAt) }),
  };
}
