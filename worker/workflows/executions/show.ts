/** Shows a run: its record, its actions, its values. Spec: workflows.md §6. */
import { GatewayError } from '../../../proto/errors.ts';
import { type Json, type JsonObject, parseJson } from '../../../proto/json.ts';
import { withMoved } from '../../../proto/ordered-json.ts';
import { passedOn, writtenText } from '../../../proto/written-json.ts';
import type { Policy } from '../../access/policy.ts';
import type { Context } from '../../context.ts';
import { inRecordTurn } from '../../limits/record-turns.ts';
import { Accepted, JsonBytes } from '../../outcome.ts';
import { BASE_PATH, located } from '../../public-url.ts';
import { type ListContext, listContext, readCursor, writeCursor } from '../../shapes/cursor.ts';
import { isUuid } from '../../shapes/ids.ts';
import { isoTime } from '../../shapes/iso-time.ts';
import type { Workflow } from '../access.ts';
import type { ActionRecord, RunRecord, ValueRecord } from '../runs/head.ts';
import type { ActionQuery, Owner, RunSummary } from '../runs/object.ts';
import { runsObject } from '../runs/reachable.ts';
import type { ActionsQuery } from './schema.ts';
import { type Sight, sightOf } from './sight.ts';

/** Actions of a page. Spec: workflows.md §6. */
export const RECORD_MAX = 1000;

/** The organization whose objects keep the runs. */
export function ownerOf({ caller: { orgUuid, orgId } }: Context, policy: Policy): Owner {
  return { orgUuid, orgId, sealedDataKey: policy.sealedDataKey };
}

/** What starting and steering answer. */
export function standing(ctx: Context, workflow: string, { run, status }: RunSummary): Accepted {
  const location = located(ctx.settings, pathOf(workflow, run));
  return new Accepted({ run_id: run, status, location }, location, false);
}

function pathOf(workflow: string, run: string): string {
  return `${BASE_PATH}/workflows/${workflow}/executions/${run}`;
}

/** A run with some of its actions. */
export interface Shown {
  readonly record: RunRecord;
  readonly actions: readonly ActionRecord[];
  /** Whether actions that were asked for are left out, for their size. */
  readonly hasMore: boolean;
}

/** A run of the workflow. @throws GatewayError RUN_NOT_FOUND */
export async function findRun(
  ctx: Context,
  { row }: Workflow,
  named: string,
  query: Partial<ActionQuery> = {},
): Promise<Shown> {
  if (!isUuid(named)) throw runNotFound();
  const run = named.toLowerCase();
  const object = runsObject(ctx.env, ctx.caller.orgUuid, run);
  const text = await inRecordTurn(ctx, {
    work: () => object.record(run, { after: 0, limit: RECORD_MAX + 1, ...query }),
    bytesOf: (record) => record?.length ?? 0,
  });
  const shown = text === undefined ? undefined : (JSON.parse(text) as Shown); // As the object wrote it.
  if (shown?.record.head.workflow.uuid !== row.uuid) throw runNotFound();
  return shown;
}

/** The same for a run of another organization as for one that is gone. */
export function runNotFound(): GatewayError {
  return new GatewayError(
    'RUN_NOT_FOUND',
    'The workflow has no such run, or its retention has ended',
  );
}

/** The record of a run with its first actions. @throws GatewayError RUN_NOT_FOUND */
export async function showRun(ctx: Context, workflow: Workflow, run: string): Promise<JsonBytes> {
  return recordFor(ctx, workflow, await findRun(ctx, workflow, run));
}

/** A run with its first actions, as the caller may see it. */
export async function recordFor(
  ctx: Context,
  workflow: Workflow,
  { record, actions, hasMore }: Shown,
): Promise<JsonBytes> {
  const sight = await sightOf(ctx, workflow, record);
  const teller = new Teller(workflow.row.id, record.id, sight);
  const page = actions.slice(0, RECORD_MAX);
  const last = hasMore || actions.length > RECORD_MAX ? page.at(-1) : undefined;
  const next = last && (await writeCursor(actionList(ctx, workflow, record.id), `${last.begun}`));
  return written({
    ...teller.run(record),
    actions: withMoved(page.map((action) => teller.action(action))),
    ...(next === undefined ? {} : { next_cursor: next }),
  });
}

function actionList(ctx: Context, { policy }: Workflow, run: string): ListContext {
  return listContext(ctx, policy.sealedDataKey, `actions:${run}`);
}

/** Actions of a run after the first ones. @throws GatewayError RUN_NOT_FOUND, BAD_REQUEST for a cursor of another list */
export async function showActions(
  ctx: Context,
  workflow: Workflow,
  run: string,
  query: ActionsQuery,
): Promise<JsonBytes> {
  const { path, status, cursor, limit } = query;
  const list = actionList(ctx, workflow, run.toLowerCase());
  const after = Number((await readCursor(list, cursor)) ?? 0);
  const filter = { path, status, after, limit: limit + 1 };
  const { record, actions, hasMore } = await findRun(ctx, workflow, run, filter);
  const sight = await sightOf(ctx, workflow, record);
  const teller = new Teller(workflow.row.id, record.id, sight);
  const page = actions.slice(0, limit);
  const last = hasMore || actions.length > limit ? page.at(-1) : undefined;
  const next = last && (await writeCursor(list, `${last.begun}`));
  return written({
    actions: withMoved(page.map((action) => teller.action(action))),
    ...(next === undefined ? {} : { next_cursor: next }),
  });
}

/** One value of a run, whole. @throws GatewayError RUN_NOT_FOUND, FORBIDDEN */
export async function showValue(
  ctx: Context,
  workflow: Workflow,
  run: string,
  ref: number,
): Promise<JsonBytes> {
  const { record } = await findRun(ctx, workflow, run, { limit: 0 });
  const sight = await sightOf(ctx, workflow, record);
  const ends = [record.input, record.output, record.error];
  const isEnd = ends.some((each) => each?.ref === ref);
  if (sight === 'none' || (sight === 'ends' && !isEnd)) throw hidden();
  const object = runsObject(ctx.env, ctx.caller.orgUuid, record.id);
  // What it reads takes turns of its own, a few bytes at a time.
  const bytes = Number.isSafeInteger(ref)
    ? await inRecordTurn(ctx, { work: () => object.valueBytes(record.id, ref), bytesOf: () => 0 })
    : undefined;
  if (bytes === undefined) throw new GatewayError('NOT_FOUND', 'The run has no such value');
  return new JsonBytes(bytes);
}

/** Values of runs are not for everyone who may read the workflow. */
export function hidden(): GatewayError {
  return new GatewayError(
    'FORBIDDEN',
    'Values of this run are shown to the caller who started it, to Admin, and to callers who may read every endpoint that it reached',
    { details: [{ rule: 'values of runs' }] },
  );
}

/** What holds values of runs, as they were written. */
export function written(json: JsonObject): JsonBytes {
  return new JsonBytes(new TextEncoder().encode(writtenText(withMoved(json))));
}

/** Reports records as they are on the wire. */
export class Teller {
  readonly #workflow: string;
  readonly #run: string;
  readonly #sight: Sight;

  /** @param sight which values are shown */
  constructor(workflow: string, run: string, sight: Sight) {
    this.#workflow = workflow;
    this.#run = run;
    this.#sight = sight;
  }

  run(record: RunRecord): JsonObject {
    const { id, head, key, started, ended } = record;
    const { type, index, id: trigger } = head.trigger;
    return withMoved({
      run_id: id,
      workflow: head.workflow.id,
      version: head.workflow.version,
      ...(key === undefined ? {} : { key }),
      status: record.status,
      trigger: { type, ...(index === undefined ? {} : { index }), id: trigger },
      started_by: head.startedBy,
      ...(head.author ? { author: head.author.name } : {}),
      ...(head.parent ? { parent: head.parent.run } : {}),
      ...(head.forkedFrom === undefined ? {} : { forked_from: head.forkedFrom }),
      ...this.#values(record, this.#sight !== 'none'),
      ...(record.compensation === undefined ? {} : { compensation: record.compensation }),
      started: isoTime(started),
      ...(ended === undefined ? {} : { ended: isoTime(ended), duration_ms: ended - started }),
    });
  }

  action(action: ActionRecord): JsonObject {
    const { id, path, type, status, started, ended, by, compensates } = action;
    return withMoved({
      id,
      path,
      type,
      status,
      attempts: action.attempts.map((attempt) => ({
        started: isoTime(attempt.started),
        ...(attempt.ended === undefined ? {} : { ended: isoTime(attempt.ended) }),
        ...(attempt.error === undefined ? {} : { error: this.#error(attempt.error) }),
      })),
      ...this.#values(action, this.#sight === 'all'),
      started: isoTime(started),
      ...(ended === undefined ? {} : { ended: isoTime(ended), duration_ms: ended - started }),
      ...(by === undefined ? {} : { by }),
      ...(compensates === undefined ? {} : { compensates }),
    });
  }

  /** Messages hold what backends say of data. */
  #error({ code, message }: { readonly code: string; readonly message: string }): JsonObject {
    return this.#sight === 'all' ? { code, message } : { code };
  }

  #values(
    of: { readonly [name in 'input' | 'output' | 'error']?: ValueRecord },
    sees: boolean,
  ): JsonObject {
    const told: JsonObject = {};
    for (const name of ['input', 'output', 'error'] as const) {
      const value = of[name];
      if (value === undefined) continue;
      if (sees) told[name] = this.value(value);
      else if (name === 'error' && 'text' in value) {
        const { code } = parseJson(value.text) as { code: Json };
        told.error = { code };
      }
    }
    return told;
  }

  /** A value as it was written, or where a large one is. */
  value(told: ValueRecord): Json {
    if ('text' in told) return passedOn(told.text);
    return { $large: told.bytes, href: `${pathOf(this.#workflow, this.#run)}/values/${told.ref}` };
  }
}
