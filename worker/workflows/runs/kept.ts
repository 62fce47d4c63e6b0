/** What a fork keeps of a run: the actions before the one it begins at, with their outputs. Spec: workflows.md §6, `fork`. */
import { inRecordTurn } from '../../limits/record-turns.ts';
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

/** Nodes that are read at a time, and characters of their values, about: it holds the thread of all organizations. */
const STEP = 200;
const READ_AT_ONCE = 256 * 1024;
const encoder = new TextEncoder();

/** What a fork is made of, as the JSON that `forkOf` answers. */
export function forkSourceOf(
  keeper: Keeper,
  row: RunRow,
  workflow: Workflow,
  from: string,
): string {
  const { run, head, body } = row;
  const before = mainBefore(keeper, row, workflow, from)?.map(({ action }) => action);
  const [input, reached] = [keeper.text(run, body.input), keeper.reachedOf(run)];
  return JSON.stringify({ head, input, reached, before });
}

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

/** Those nodes with all below them, in the order of their starts, one line of JSON each: a few at a time, in turn. */
export function keptLines(
  keeper: Keeper,
  row: RunRow,
  before: readonly Node[],
): ReadableStream<Uint8Array> {
  const of = { address: keeper.owner.orgUuid };
  let after = 0;
  const read = () => {
    const some = someLines(keeper, row, before, after);
    after = some.after;
    return some;
  };
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const bytesOf = ({ text }: SomeLines) => text.length;
      const { text, isLast } = await inRecordTurn(of, { work: read, bytesOf, isBegun: true });
      controller.enqueue(encoder.encode(text));
      if (isLast) controller.close();
    },
  });
}

/** Lines after a place, as many as are read at a time. */
interface SomeLines {
  /** At least an empty line: something is to be given. */
  readonly text: string;
  readonly after: number;
  readonly isLast: boolean;
}

function someLines(
  keeper: Keeper,
  { run }: RunRow,
  before: readonly Node[],
  from: number,
): SomeLines {
  const rows = keeper.sql
    .exec<{ body: string }>(
      'SELECT body FROM nodes WHERE run = ? AND generation = 0 AND begun > ? ORDER BY begun LIMIT ?',
      run,
      from,
      STEP,
    )
    .toArray();
  let text = '\n';
  let [after, read] = [from, 0];
  for (const { body } of rows) {
    if (text.length > READ_AT_ONCE) break;
    const node = JSON.parse(body) as Node; // As the journal wrote it.
    if (isKept(node, before)) text += `${lineOf(keeper, run, node)}\n`;
    after = node.begun;
    read += 1;
  }
  return { text, after, isLast: read === rows.length && rows.length < STEP };
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
