/** What a run reaches: by its pinned version, and by those of its subworkflows, to any depth. Spec: workflows.md §1 "Versions". */
import type { Context } from '../../context.ts';
import { DEPTH_MAX } from '../engine/start.ts';
import { ownOf } from '../own.ts';
import type { Pins, RunHead, WorkflowVersion } from '../runs/head.ts';
import { type NamedResource, namedIn } from '../runs/order.ts';

/** What one version names and has, with the versions that a run of it is pinned to. */
interface Part {
  readonly named: readonly NamedResource[];
  readonly pins: Pins;
}

/** A subworkflow's run is pinned when it begins: until then what is in force counts. */
const NOT_YET: Pins = { templates: {}, workflows: {} };

/**
 * The part of the run itself, and those of the subworkflows that it can come to.
 * @param entered asked once for each version of a subworkflow: whether what that reaches counts, too
 */
export async function partsOf(
  ctx: Context,
  { workflow, pins, depth }: Pick<RunHead, 'workflow' | 'pins' | 'depth'>,
  entered: (named: string, version: WorkflowVersion) => Promise<boolean>,
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const known = new Set<string>();
  const found = [{ version: workflow, pins, depth }];
  // A list goes on with what is added meanwhile.
  for (const each of found) {
    const named = (await namedIn(ctx, each.version)).filter(isThere);
    parts.push({ named, pins: each.pins });
    if (each.depth >= DEPTH_MAX) continue;
    for (const { target, version } of subworkflowsOf(named, each.pins)) {
      const name = `${version.uuid}:${version.version}`;
      if (known.has(name)) continue;
      known.add(name);
      if (!(await entered(target, version))) continue;
      found.push({ version, pins: NOT_YET, depth: each.depth + 1 });
    }
  }
  return parts;
}

/** A resource that is gone is no reason to refuse: the action fails with it. */
export function isThere({ kind, endpointKind, templateVersion, workflow }: NamedResource): boolean {
  if (kind === 'endpoint') return endpointKind !== null;
  return kind === 'template' ? templateVersion !== null : workflow !== null;
}

function subworkflowsOf(named: readonly NamedResource[], { workflows }: Pins) {
  return named.flatMap(({ target, workflow }) =>
    workflow === null ? [] : [{ target, version: ownOf(workflows, target) ?? workflow }],
  );
}
