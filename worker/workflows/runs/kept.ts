/** What a fork keeps of a run: the actions before the one it begins at, with their outputs. Spec: workflows.md §6, `fork`. */
import type { Workflow } from '../definition/tree.ts';
import type { Node, Ref } from '../engine/journal.ts';
import { isBelow } from '../engine/paths.ts';
import type { Turn } from '../engine/turn.ts';
import type { RunRow } from './journal.ts';
import type { Keeper } from './keeper.ts';

/** A node with its values instead of their refs. */
interface KeptNode {
  readonly node: Node;
  readonly values: { readonly [Name in 'input' | 'output' | 'error']: string | undefined };
}

/** Nodes that are read at a time. */
const STEP = 200;
const encoder = new TextEncoder();

/** Nodes of the top level before one of them; undefined where that one never ran. */
export function mainBefore(
  { sql }: Keeper,
  { run }: RunRow,
  workflow: Workflow,
  from: string,
): readonly Node[] | undefined {
  const main = sql
    .exec<{ body: string }>(
      "SELECT body FROM nodes WHERE run = ? AND owner = '' AND generation = 0 ORDER BY begun",
      run,
    )
    .toArray()
    .map(({ body }) => JSON.parse(body) as Node)
    .filter(({ role }) => role === 'step');
  const start = main.find(({ action }) => action === from);
  if (!start) return undefined;
  if (workflow.form === 'list') return main.filter(({ begun }) => begun < start.begun);
  const before = comesAfter(workflow, from);
  return main.filter(({ action }) => before.has(action));
}

/** Those nodes with all below them, in the order of their starts, one line of JSON each: a few at a time. */
export function keptLines(
  keeper: Keeper,
  { run }: RunRow,
  before: readonly Node[],
): ReadableStream<Uint8Array> {
  let after = 0;
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const nodes = keeper.sql
        .exec<{ body: string }>(
          'SELECT body FROM nodes WHERE run = ? AND generation = 0 AND begun > ? ORDER BY begun LIMIT ?',
          run,
          after,
          STEP,
        )
        .toArray()
        .map(({ body }) => JSON.parse(body) as Node);
      const lines = nodes
        .filter((node) => isKept(node, before))
        .map((node) => lineOf(keeper, run, node));
      // An empty line: something is to be given.
      controller.enqueue(encoder.encode(`${lines.join('\n')}\n`));
      after = nodes.at(-1)?.begun ?? after;
      if (nodes.length < STEP) controller.close();
    },
  });
}

function isKept({ phase, path }: Node, before: readonly Node[]): boolean {
  return phase === 'ended' && before.some((each) => path === each.path || isBelow(path, each.path));
}

function lineOf(keeper: Keeper, run: number, node: Node): string {
  const textOf = (ref: Ref | undefined) => (ref === undefined ? undefined : keeper.text(run, ref));
  const kept: KeptNode = {
    node,
    values: {
      input: textOf(node.input),
      output: textOf(node.output),
      error: textOf(node.error),
    },
  };
  return JSON.stringify(kept);
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

/** Puts some of them into the journal of the fork. Their effects are the first run's: it alone undoes them. */
export function putKept({ journal, run }: Turn, lines: readonly string[]): void {
  for (const text of lines) {
    const { node, values } = JSON.parse(text) as KeptNode; // As keptLines wrote it.
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
