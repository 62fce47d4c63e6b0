/** Whether two versions of a workflow have the same actions: as their definitions say it. Spec: workflows.md §6, `fork`. */
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import type { Context } from '../../context.ts';
import { selectVersion } from '../store.ts';
import { runnable, storedDefinition } from '../stored.ts';
import type { WorkflowVersion } from './head.ts';

/** Undefined where the other version is not there. @param ids of the top level */
export async function sameBefore(
  ctx: Context,
  one: WorkflowVersion,
  other: WorkflowVersion,
  ids: readonly string[],
): Promise<boolean | undefined> {
  const { orgUuid } = ctx.caller;
  const [[a], [b]] = await ctx.db.batch([
    selectVersion(ctx.db, orgUuid, one.uuid, one.version),
    selectVersion(ctx.db, orgUuid, other.uuid, other.version),
  ]);
  if (!b) return undefined;
  if (!a) return false;
  const [first, second] = [actionsIn(a.definition), actionsIn(b.definition)];
  return ids.every((id) => JSON.stringify(first.get(id)) === JSON.stringify(second.get(id)));
}

function actionsIn(definition: string): ReadonlyMap<Json | undefined, JsonObject> {
  const { actions } = runnable(storedDefinition(definition));
  const list = Array.isArray(actions) ? actions.filter(isJsonObject) : [];
  return new Map(list.map((action) => [action.id, action]));
}
