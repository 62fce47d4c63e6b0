/** Whether two versions of a workflow have the same actions: as their definitions say it. Spec: workflows.md §6, `fork`. */
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import type { Context } from '../../context.ts';
import { runnable, storedDefinition } from '../stored.ts';
import type { WorkflowVersion } from './head.ts';
import { selectDefinition } from './store.ts';

/** Undefined where the other version is not there. @param ids of the top level */
export async function sameBefore(
  ctx: Context,
  one: WorkflowVersion,
  other: WorkflowVersion,
  ids: readonly string[],
): Promise<boolean | undefined> {
  const { orgUuid } = ctx.caller;
  const [[a], [b]] = await ctx.db.batch([
    selectDefinition(ctx.db, orgUuid, one),
    selectDefinition(ctx.db, orgUuid, other),
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
