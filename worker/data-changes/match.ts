/** Finds of each change which triggers it fires, before it is stored: what filters refuse is not written. Spec: workflows.md §5. */
import type { Json } from '../../proto/json.ts';
import { bytesInPieces } from '../../proto/json-bytes.ts';
import { authorize } from '../access/access.ts';
import type { Context } from '../context.ts';
import { onEndpoint } from '../endpoints/access.ts';
import { readInTurn } from '../limits/heavy-work.ts';
import { Meter } from '../limits/meter.ts';
import { failureOf } from '../outcome.ts';
import { sealBytes } from '../secrets/seal.ts';
import { followingLevel } from '../workflows/definition/following.ts';
import type { Root } from '../workflows/definition/tree.ts';
import type { DataChangeTrigger } from '../workflows/definition/trigger-tree.ts';
import { isTruthy } from '../workflows/engine/ending.ts';
import { digestNow } from '../workflows/runs/digest.ts';
import { authored } from '../workflows/triggers/authored.ts';
import { budgetOf } from '../workflows/triggers/start.ts';
import { begunAt } from './beginning-marks.ts';
import { keyTextOf, operationOf, rootOf, sizeOf, type ToldChange } from './change.ts';
import type { TriggerError } from './changes-store.ts';
import { ADDRESS, type ChangesContext, sealingOf } from './context.ts';
import type { NewPending } from './lanes.ts';
import type { WatchingTrigger } from './store.ts';

/** Filters after which others get their turn. */
const AT_ONCE = 200;

/** What changes are told of. */
interface Source {
  /** Id of the endpoint. */
  readonly endpoint: string;
  /** Of the place that they are told after. */
  readonly generation: string;
}

/** A trigger that may start runs now. */
interface ReadyTrigger {
  readonly watching: WatchingTrigger;
  readonly trigger: DataChangeTrigger;
  /** The author's. */
  readonly ctx: Context;
  /** Of changes that were committed before the trigger began, none has a greater one. */
  readonly begunAt: string;
}

/** Changes that are to start runs, in the order in which they came, sealed. */
export async function chosenOf(
  around: ChangesContext,
  changes: readonly ToldChange[],
  triggers: readonly WatchingTrigger[],
  source: Source,
): Promise<NewPending[]> {
  if (changes.length === 0) return [];
  const ready = await readyOf(around, triggers, source);
  const chosen: NewPending[] = [];
  let evaluated = 0;
  for (const change of changes) {
    const fitting = ready.filter((each) => isOf(change, each));
    if (!isSome(fitting)) continue;
    // A backend without receipts reports nothing twice.
    const receipt = change.id === '' ? crypto.randomUUID() : change.id;
    const [{ ctx }] = fitting;
    const size = sizeOf(change);
    const root = await readInTurn(ctx, size, rootOf(change, { id: receipt, ...source }));
    const fired = await passing(fitting, root);
    evaluated += fitting.length;
    if (fired.length > 0) {
      const bytes = await readInTurn(ctx, size, bytesInPieces(root));
      const sealed = await sealBytes(sealingOf(around), bytes);
      const time = timeOf(change);
      for (const { watching } of fired) {
        const { workflow, index } = watching;
        const lane = digestNow(JSON.stringify([workflow, index, keyTextOf(root)]));
        chosen.push({ lane, workflow, index, id: `${source.generation}:${receipt}`, time, sealed });
      }
    }
    if (evaluated >= AT_ONCE) {
      evaluated = 0;
      await scheduler.wait(0);
    }
  }
  return chosen;
}

function isSome(fitting: readonly ReadyTrigger[]): fitting is [ReadyTrigger, ...ReadyTrigger[]] {
  return fitting.length > 0;
}

function isOf(change: ToldChange, { watching, begunAt: since }: ReadyTrigger): boolean {
  const { collection, operations } = watching;
  if (!change.watched.includes(collection) || !operations.includes(operationOf(change)))
    return false;
  return since === '' || change.mark > since;
}

/** Those whose filters a change passes. */
async function passing(fitting: readonly ReadyTrigger[], root: Json): Promise<ReadyTrigger[]> {
  const found: ReadyTrigger[] = [];
  for (const each of fitting) if (await passes(each, root)) found.push(each);
  return found;
}

/** Evaluates the filter when it is the organization's turn. One that throws starts a run, which is recorded as failed. */
async function passes({ trigger: { filter }, ctx }: ReadyTrigger, root: Json): Promise<boolean> {
  if (filter === undefined) return true;
  const budget = budgetOf(ctx.env);
  const scope = root as unknown as Root; // JSON is what expressions read.
  try {
    const work = () => isTruthy(filter.evaluate(scope, budget));
    return await new Meter(ctx, budget).compute(work, true);
  } catch {
    return true;
  }
}

function timeOf({ time }: ToldChange): number {
  const at = Date.parse(time);
  return Number.isNaN(at) ? Date.now() : at;
}

/** The triggers whose definitions are there, and whose authors may follow the endpoint; of the others it is noted why not. */
async function readyOf(
  around: ChangesContext,
  triggers: readonly WatchingTrigger[],
  source: Source,
): Promise<ReadyTrigger[]> {
  const { kept } = around;
  const found = await Promise.all(
    triggers
      .filter(({ workflow, index, isActive }) => isActive && !kept.isPaused(workflow, index))
      .map((watching) => readyOne(around, watching, source)),
  );
  return found.flatMap((each) => each ?? []);
}

async function readyOne(
  around: ChangesContext,
  watching: WatchingTrigger,
  { generation }: Source,
): Promise<ReadyTrigger | undefined> {
  const { env, kept } = around;
  const owner = around.owner();
  const { workflow: uuid, workflowId: id, version, index } = watching;
  const at = { env, later: (work: Promise<unknown>) => around.later(work) };
  const of = { workflow: { uuid, id, version }, requestId: crypto.randomUUID(), address: ADDRESS };
  const by = await authored(at, owner, of, '');
  const trigger = by?.workflow.triggers.find((each) => each.index === index);
  if (by === undefined || trigger?.type !== 'dataChange') return undefined;
  try {
    const level = followingLevel(kept.get('endpoint')?.row.kind);
    await authorize(by.ctx, onEndpoint(level), { endpoint: owner.endpoint });
    kept.clear(uuid, index, ['FORBIDDEN']);
    return { watching, trigger, ctx: by.ctx, begunAt: begunAt(kept, generation, watching) };
  } catch (thrown) {
    const { code } = failureOf(thrown);
    if (code !== 'FORBIDDEN' && code !== 'TOKEN_REVOKED') throw thrown;
    noteFailure(around, watching, { code: 'FORBIDDEN', message: UNREADABLE });
    return undefined;
  }
}

const UNREADABLE =
  'The author of the version may not follow the endpoint, which needs Read on it, of PostgreSQL Write: its changes are passed over';

/** Notes why a trigger fails, and reports it the first time. */
export function noteFailure(
  { kept, atOnce }: Pick<ChangesContext, 'kept' | 'atOnce'>,
  { workflow, workflowId, index }: WatchingTrigger,
  error: TriggerError,
): void {
  atOnce(() => {
    if (kept.fail(workflow, index, error)) tellFailure({ kept }, { workflowId, index }, error);
  });
}

/** The event `trigger.failed`. */
export function tellFailure(
  { kept }: Pick<ChangesContext, 'kept'>,
  { workflowId, index }: Pick<WatchingTrigger, 'workflowId' | 'index'>,
  error: TriggerError,
): void {
  kept.tell({
    id: crypto.randomUUID(),
    event: 'trigger.failed',
    time: new Date().toISOString(),
    data: JSON.stringify({ workflow: workflowId, trigger: index, ...error }),
  });
}
