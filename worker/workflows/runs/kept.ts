/** What a fork keeps of a run: the actions before the one it begins at, with their outputs. Spec: workflows.md §6, `fork`. */
import type { Workflow } from '../definition/tree.ts';
import type { Node, Ref } from '../engine/journal.ts';
import { isBelow } from '../engine/paths.ts';
import type { Turn } from '../engine/turn.ts';
import type { Kept } from './head.ts';
import type { RunRow } from './journal.ts';
import type { Keeper } from './keeper.ts';

/** A node with its values in place of their refs. */
interface KeptNode {
  readonly node: Node;
  readonly values: { readonly input?: string; readonly output?: string; readonly error?: string };
}

/**
 * The actions of a run before one of its top level, each with all below it; undefined where that one
 * never ran.
 */
export function keptBefore(
  keeper: Keeper,
  row: RunRow,
  workflow: Workflow,
  from: string,
): { readonly kept: Kept; readonly before: readonly string[] } | undefined {
  const nodes = keeper.sql
    .exec<{ body: string }>(
      'SELECT body FROM nodes WHERE run = ? AND generation = 0 ORDER BY begun',
      row.run,
    )
    .toArray()
    .map(({ body }) => JSON.parse(body) as Node);
  const main = nodes.filter(({ owner, role }) => owner === '' && role === 'step');
  const start = main.find(({ action }) => action === from);
  if (!start) return undefined;
  const isBefore =
    workflow.form === 'list'
      ? (node: Node) => node.begun < start.begun
      : (node: Node) => comesAfter(workflow, from).has(node.action);
  const before = main.filter(isBefore);
  const kept = nodes.filter(
    (node) =>
      node.phase === 'ended' &&
      before.some(({ path }) => node.path === path || isBelow(node.path, path)),
  );
  const { vault } = keeper;
  const textOf = (ref: Ref | undefined) =>
    ref === undefined ? undefined : vault.text(row.run, ref);
  const texts = kept.map((node): string => {
    const values = {
      input: textOf(node.input),
      output: textOf(node.output),
      error: textOf(node.error),
    };
    return JSON.stringify({ node, values });
  });
  const reached = keeper.reachedOf(row.run);
  return { kept: { nodes: texts, reached }, before: before.map(({ action }) => action) };
}

/** Ids that an action of a graph comes after, at whatever distance. */
function comesAfter({ byId }: Pick<Workflow, 'byId'>, id: string): ReadonlySet<string> {
  const found = new Set(byId.get(id)?.after ?? []);
  // A set goes on with what is added meanwhile.
  for (const each of found) {
    for (const other of byId.get(each)?.after ?? []) found.add(other);
  }
  return found;
}

/** Puts them into the journal of the fork. Their effects are the first run's: it alone undoes them. */
export function putKept({ journal, run }: Turn, { nodes }: Kept): void {
  for (const text of nodes) {
    const { node, values } = JSON.parse(text) as KeptNode; // As keptBefore wrote it.
    const keep = (value: string | undefined) =>
      value === undefined ? undefined : journal.keep(value);
    const own: Node = {
      ...node,
      input: keep(values.input),
      output: keep(values.output),
      error: keep(values.error),
      by: node.by,
      undo: 'none',
      state: { ...node.state },
    };
    delete own.state.key;
    journal.add(own);
    run.order = Math.max(run.order, node.begun, node.ended);
    if (node.owner === '' && node.role === 'step') run.last = own.output;
  }
}
