/** What two runs differ in. Spec: workflows.md §6, `diff`; RFC 6902. */
import { createPatch, type Operation } from 'rfc6902';
import { type Json, type JsonObject, parseJson } from '../../../proto/json.ts';
import type { Context } from '../../context.ts';
import { readCursor, writeCursor } from '../../shapes/cursor.ts';
import { isUuid } from '../../shapes/ids.ts';
import type { Workflow } from '../access.ts';
import type { ActionRecord, RunRecord, Told } from '../runs/head.ts';
import { runsObject } from '../runs/reachable.ts';
import { listOf } from './list.ts';
import type { DiffQuery } from './schema.ts';
import { findRun, hidden, type Shown } from './show.ts';
import { readsAll } from './sight.ts';
import { invalid } from './start.ts';

/** Elements of two lists that are compared one by one, multiplied: longer ones are replaced as a whole. */
const COMPARED_MAX = 250_000;
/** Actions that are read of a run at a time. */
const STEP = 1000;

/** One action in the two runs. */
interface Pair {
  readonly id: string;
  readonly path: string;
  a: ActionRecord | undefined;
  b: ActionRecord | undefined;
}

/** @throws GatewayError RUN_NOT_FOUND, BAD_REQUEST for a run of another workflow, FORBIDDEN for who does not see their values */
export async function diffRuns(
  ctx: Context,
  workflow: Workflow,
  named: string,
  { with: other, limit, cursor }: DiffQuery,
): Promise<Json> {
  const a = await findRun(ctx, workflow, named, { limit: 0 });
  const b = await ofSame(ctx, workflow, other);
  for (const { record } of [a, b]) {
    if (!(await readsAll(ctx, workflow, record))) throw hidden();
  }
  const pairs = await pairsOf(ctx, workflow, a.record, b.record);
  const differing = pairs.map(diffOf).filter((each) => each !== undefined);
  const list = listOf(ctx, workflow, `diff:${a.record.id}:${b.record.id}`);
  const from = Number((await readCursor(list, cursor)) ?? 0);
  const page = differing.slice(from, from + limit);
  const hasMore = differing.length > from + limit;
  const input = patchOf(a.record.input, b.record.input);
  const versions = [a, b].map(({ record }) => record.head.workflow.version);
  const isSame = input.length === 0 && differing.length === 0 && versions[0] === versions[1];
  return {
    same: isSame,
    ...(input.length === 0 ? {} : { input }),
    version: versions,
    actions: page,
    ...(hasMore ? { next_cursor: await writeCursor(list, `${from + limit}`) } : {}),
  };
}

/** @throws GatewayError BAD_REQUEST for a run of another workflow, RUN_NOT_FOUND */
async function ofSame(ctx: Context, workflow: Workflow, named: string): Promise<Shown> {
  const run = isUuid(named) ? named.toLowerCase() : undefined;
  const text =
    run && (await runsObject(ctx.env, ctx.caller.orgUuid, run).record(run, { after: 0, limit: 0 }));
  const shown = text ? (JSON.parse(text) as Shown) : undefined; // As the object wrote it.
  const isOther = shown && shown.record.head.workflow.uuid !== workflow.row.uuid;
  if (isOther) throw invalid([{ path: 'with', message: 'is a run of another workflow' }]);
  return findRun(ctx, workflow, named, { limit: 0 });
}

async function pairsOf(
  ctx: Context,
  workflow: Workflow,
  a: RunRecord,
  b: RunRecord,
): Promise<readonly Pair[]> {
  const pairs = new Map<string, Pair>();
  for (const [side, { id: run }] of [
    ['a', a],
    ['b', b],
  ] as const) {
    for (let after = 0; ; ) {
      const { actions, hasMore } = await findRun(ctx, workflow, run, { after, limit: STEP });
      for (const action of actions) {
        const { id, path } = action;
        const pair = pairs.get(path) ?? { id, path, a: undefined, b: undefined };
        pair[side] = action;
        pairs.set(path, pair);
      }
      if (actions.length < STEP && !hasMore) break;
      after = actions.at(-1)?.begun ?? after;
    }
  }
  return [...pairs.values()];
}

function diffOf({ id, path, a, b }: Pair): JsonObject | undefined {
  const status = [a?.status ?? null, b?.status ?? null];
  const patches: JsonObject = {};
  for (const name of ['input', 'output', 'error'] as const) {
    const patch = patchOf(a?.[name], b?.[name]);
    if (patch.length > 0) patches[name] = patch;
  }
  const isSame = status[0] === status[1] && Object.keys(patches).length === 0;
  return isSame ? undefined : { id, path, status, ...patches };
}

/** The difference between two values; of a large value only its size in bytes is shown. */
function patchOf(a: Told | undefined, b: Told | undefined): JsonObject[] {
  if (a === undefined && b === undefined) return [];
  if (a === undefined) return [{ op: 'add', path: '', value: jsonOf(b) }];
  if (b === undefined) return [{ op: 'remove', path: '' }];
  if ('text' in a && 'text' in b && a.text === b.text) return [];
  const patch = createPatch(jsonOf(a), jsonOf(b), (from: Json, to: Json, pointer) => {
    const isLong =
      Array.isArray(from) && Array.isArray(to) && from.length * to.length > COMPARED_MAX;
    if (!isLong) return undefined;
    const path = pointer.toString();
    const isSame = JSON.stringify(from) === JSON.stringify(to);
    return isSame ? [] : [{ op: 'replace', path, value: to } satisfies Operation];
  });
  return patch as unknown as JsonObject[]; // Operations are JSON.
}

function jsonOf(told: Told | undefined): Json {
  if (told === undefined) return null;
  return 'text' in told ? parseJson(told.text) : { $large: told.bytes };
}
