/** Since when workflows are followed: what was committed before one was activated is not for it. Spec: workflows.md §1, "Paused". */
import type { ChangesStore, StreamPosition } from './changes-store.ts';

/** Marks of the changes of a place, by `beginningOf`: greater ones are for what began then. */
export interface BeginningMarks {
  readonly [name: string]: { readonly generation: string; readonly mark: string };
}

/** Names a workflow that begins to be followed, or one trigger of it. */
export function beginningOf(workflow: string, index?: number): string {
  return index === undefined ? workflow : `${workflow}:${index}`;
}

/** What was committed up to a mark is not for these. @param mark empty where the backend has none: then nothing is noted */
export function noteBegun(kept: ChangesStore, names: readonly string[], mark: string): void {
  const generation = kept.get('place')?.generation;
  if (mark === '' || generation === undefined) return;
  const added = Object.fromEntries(names.map((name) => [name, { generation, mark }]));
  kept.set('begun', { ...kept.get('begun'), ...added });
}

/** Forgets what lies behind: only greater marks come from now on. @param mark of the last change; empty where there is none */
export function forgetBegun(
  kept: ChangesStore,
  { generation }: StreamPosition,
  mark: string,
): void {
  const begun = kept.get('begun');
  if (begun === undefined || mark === '') return;
  const left = Object.entries(begun).filter(
    ([, each]) => each.generation === generation && each.mark >= mark,
  );
  kept.set('begun', left.length === 0 ? undefined : Object.fromEntries(left));
}

/** The mark after which changes of a place are for a trigger; empty where all are. */
export function begunAt(
  kept: ChangesStore,
  generation: string,
  { workflow, index }: { readonly workflow: string; readonly index: number },
): string {
  const begun = kept.get('begun') ?? {};
  const marks = [beginningOf(workflow), beginningOf(workflow, index)].flatMap((name) => {
    const each = begun[name];
    return each?.generation === generation ? [each.mark] : [];
  });
  return marks.sort().at(-1) ?? '';
}
