/** What two runs differ in. Spec: workflows.md §6, `diff`; RFC 6902. */
import type { JsonObject } from '../../../proto/json.ts';
import { withMoved } from '../../../proto/ordered-json.ts';
import { undivided } from '../../../proto/work/pieces.ts';
import { refuseGone } from '../../../proto/work/refusal.ts';
import { lookThrough, parseAsWritten } from '../../../proto/written-json.ts';
import type { Context } from '../../context.ts';
import { goingOn } from '../../limits/heavy-work.ts';
import type { JsonBytes } from '../../outcome.ts';
import { listContext, readCursor, writeCursor } from '../../shapes/cursor.ts';
import { isUuid } from '../../shapes/ids.ts';
import type { Workflow } from '../access.ts';
import type { ActionRecord, RunRecord, ValueRecord } from '../runs/head.ts';
import { runsObject } from '../runs/reachable.ts';
import { patchBetween } from './json-patch.ts';
import type { DiffQuery } from './schema.ts';
import { findRun, hidden, type Shown, Teller, written } from './show.ts';
import { readsAll } from './sight.ts';
import { invalid } from './start.ts';

/** Actions that are read of a run at a time. */
const STEP = 200;

/** One action in the two runs. */
interface Pair {
  readonly id: string;
  readonly path: string;
  readonly a: ActionRecord | undefined;
  readonly b: ActionRecord | undefined;
}

/** How far the comparison is: first all actions of one run, then those of the other that the first does not have. */
interface DiffPosition {
  readonly side: 'a' | 'b';
  /** In the order of starts of that run. */
  readonly after: number;
}

/** @throws GatewayError RUN_NOT_FOUND, BAD_REQUEST for a run of another workflow, FORBIDDEN for callers who do not see their values */
export async function diffRuns(
  ctx: Context,
  workflow: Workflow,
  named: string,
  { with: other, limit, cursor }: DiffQuery,
): Promise<JsonBytes> {
  const a = await findRun(ctx, workflow, named, { limit: 0 });
  const b = await ofSame(ctx, workflow, other);
  for (const { record } of [a, b]) {
    if (!(await readsAll(ctx, workflow, record))) throw hidden();
  }
  const { sealedDataKey } = workflow.policy;
  const list = listContext(ctx, sealedDataKey, `diff:${a.record.id}:${b.record.id}`);
  const from = positionOf(await readCursor(list, cursor));
  const page: JsonObject[] = [];
  let next: DiffPosition | undefined;
  const comparison: Comparison = {
    ctx,
    workflow: workflow.row.id,
    runs: [a.record.id, b.record.id],
  };
  for await (const { pair, place } of pairsOf(ctx, workflow, [a.record, b.record], from)) {
    const differing = await diffOf(comparison, pair);
    if (differing && page.length === limit) {
      next = place;
      break;
    }
    if (differing) page.push(differing);
  }
  const input = await patchOf(comparison, a.record.input, b.record.input);
  const versions = [a, b].map(({ record }) => record.head.workflow.version);
  // A page that has a cursor comes after a difference.
  const isSame = input.length === 0 && page.length === 0 && versions[0] === versions[1] && !cursor;
  return written({
    same: isSame,
    ...(input.length === 0 ? {} : { input }),
    version: versions,
    actions: withMoved(page),
    ...(next ? { next_cursor: await writeCursor(list, `${next.side} ${next.after}`) } : {}),
  });
}

function positionOf(cursor: string | undefined): DiffPosition {
  const [side, after] = cursor?.split(' ') ?? [];
  return { side: side === 'b' ? 'b' : 'a', after: Number(after ?? 0) };
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

/** Actions from a place on, each with the place before it. Only as many are read as are asked for, some at a time. */
async function* pairsOf(
  ctx: Context,
  workflow: Workflow,
  [a, b]: readonly [RunRecord, RunRecord],
  from: DiffPosition,
): AsyncGenerator<{ readonly pair: Pair; readonly place: DiffPosition }> {
  if (from.side === 'a') {
    for await (const { own, other, before } of sideOf(ctx, workflow, [a, b], from.after)) {
      const { id, path } = own;
      yield { pair: { id, path, a: own, b: other }, place: { side: 'a', after: before } };
    }
  }
  const after = from.side === 'b' ? from.after : 0;
  for await (const { own, other, before } of sideOf(ctx, workflow, [b, a], after)) {
    const { id, path } = own;
    if (other) continue;
    yield { pair: { id, path, a: undefined, b: own }, place: { side: 'b', after: before } };
  }
}

/** Actions of a run in the order of their starts, with those of the other run at the same paths. */
async function* sideOf(
  ctx: Context,
  workflow: Workflow,
  [run, other]: readonly [RunRecord, RunRecord],
  from: number,
) {
  for (let after = from; ; ) {
    const read = { current: true, limit: STEP };
    const { actions, hasMore } = await findRun(ctx, workflow, run.id, { ...read, after });
    const there = await actionsAt(
      ctx,
      workflow,
      other,
      actions.map(({ path }) => path),
    );
    for (const own of actions) {
      yield { own, other: there.get(own.path), before: after };
      after = own.begun;
    }
    if (actions.length < STEP && !hasMore) return;
  }
}

/** Actions of a run at some paths. */
async function actionsAt(
  ctx: Context,
  workflow: Workflow,
  { id }: RunRecord,
  paths: readonly string[],
): Promise<ReadonlyMap<string, ActionRecord>> {
  const found = new Map<string, ActionRecord>();
  if (paths.length === 0) return found;
  for (let after = 0; ; ) {
    const query = { current: true, limit: STEP, after, paths };
    const { actions, hasMore } = await findRun(ctx, workflow, id, query);
    for (const action of actions) found.set(action.path, action);
    if (!hasMore) return found;
    after = actions.at(-1)?.begun ?? after;
  }
}

/** Two runs whose values are compared. */
interface Comparison {
  readonly ctx: Context;
  /** Id of their workflow. */
  readonly workflow: string;
  readonly runs: readonly [string, string];
}

async function diffOf(
  comparison: Comparison,
  { id, path, a, b }: Pair,
): Promise<JsonObject | undefined> {
  const status = [a?.status ?? null, b?.status ?? null];
  const patches: JsonObject = {};
  for (const name of ['input', 'output', 'error'] as const) {
    const patch = await patchOf(comparison, a?.[name], b?.[name]);
    if (patch.length > 0) patches[name] = patch;
  }
  const isSame = status[0] === status[1] && Object.keys(patches).length === 0;
  return isSame ? undefined : withMoved({ id, path, status, ...patches });
}

/** The difference between two values; a large one is told by where it is, and replaced as a whole, as is one that nests very deep. */
async function patchOf(
  comparison: Comparison,
  a: ValueRecord | undefined,
  b: ValueRecord | undefined,
): Promise<JsonObject[]> {
  if (b === undefined) return a === undefined ? [] : [{ op: 'remove', path: '' }];
  const whole = (op: 'add' | 'replace'): JsonObject[] => {
    const value = new Teller(comparison.workflow, comparison.runs[1], 'all').value(b);
    return withMoved([withMoved({ op, path: '', value })]);
  };
  if (a === undefined) return whole('add');
  if ('text' in a && 'text' in b) {
    if (a.text === b.text) return [];
    const [from, to] = [a.text, b.text];
    const compared = () => textPatch(from, to) ?? whole('replace');
    // One is soon done; a page has thousands.
    return goingOn(comparison.ctx, undivided(compared));
  }
  const isSame = 'bytes' in a && 'bytes' in b && (await areSame(comparison, a, b));
  return isSame ? [] : whole('replace');
}

/** Undefined for what nests too deep to be compared. */
function textPatch(a: string, b: string): JsonObject[] | undefined {
  const isTooDeep = [a, b].some((text) => lookThrough(text).tooDeep !== undefined);
  return isTooDeep ? undefined : patchBetween(parseAsWritten(a), parseAsWritten(b));
}

type Large = Extract<ValueRecord, { readonly bytes: number }>;

/** Whether large values are the same: read only where they have the same size. */
async function areSame({ ctx, runs }: Comparison, a: Large, b: Large): Promise<boolean> {
  if (a.bytes !== b.bytes) return false;
  refuseGone(ctx.signal);
  const { orgUuid } = ctx.caller;
  const digestOf = (run: string, { ref }: Large) =>
    runsObject(ctx.env, orgUuid, run).digest(run, ref);
  const [one, other] = await Promise.all([digestOf(runs[0], a), digestOf(runs[1], b)]);
  return one === other;
}
