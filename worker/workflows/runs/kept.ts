/** What a fork keeps of a run: the actions before the one it begins at, with their outputs. Spec: workflows.md §6, `fork`. */
import { inRecordTurn } from '../../limits/record-turns.ts';
import type { Workflow } from '../definition/tree.ts';
import type { Node, Ref } from '../engine/journal.ts';
import { topOf } from '../engine/paths.ts';
import type { TextPart } from '../engine/text-parts.ts';
import type { Turn } from '../engine/turn.ts';
import type { RunRow } from './journal.ts';
import type { Keeper } from './keeper.ts';
import { firstUndone, mainNodes } from './undone.ts';
import { LARGE_FROM } from './vault.ts';

/** Of a value's bytes, as many at a time. */
type KeptPiece = { readonly piece: string };

/** A value: its text, or how many of the pieces before it are its own. */
type KeptValue = string | number | undefined;

/** A node with its values instead of their refs. */
interface KeptNode {
  readonly node: Node;
  readonly values: { readonly [Name in 'input' | 'output' | 'error']: KeptValue };
}

/** Lines that are read at a time, and characters of their values, about: it holds the thread of all organizations. */
const STEP = 200;
const READ_AT_ONCE = 256 * 1024;
/** Bytes of a value that is told in pieces, and of one of these, about. */
const PIECE = 128 * 1024;
const encoder = new TextEncoder();

/** What a fork is made of, as the JSON that `forkOf` answers; `main` where it begins at no action of the top level that ran. */
export function forkSourceOf(
  keeper: Keeper,
  row: RunRow,
  workflow: Workflow,
  from: string,
): string {
  const { run, head, body } = row;
  const main = mainBefore(keeper, row, workflow, from);
  const before = main?.map(({ action }) => action);
  const undone = main && firstUndone(keeper, row, main);
  const [input, reached] = [keeper.text(run, body.input), keeper.reachedOf(run)];
  const ran = main ? undefined : mainNodes(keeper, row).map(({ action }) => action);
  return JSON.stringify({ head, input, reached, before, undone, main: ran });
}

/** Nodes of the top level before one of them; undefined where that one never ran. */
export function mainBefore(
  keeper: Keeper,
  row: RunRow,
  workflow: Workflow,
  from: string,
): readonly Node[] | undefined {
  const main = mainNodes(keeper, row);
  const start = main.find(({ action }) => action === from);
  if (!start) return undefined;
  if (workflow.form === 'list') return main.filter(({ begun }) => begun < start.begun);
  const before = comesAfter(workflow, from);
  return main.filter(({ action }) => before.has(action));
}

/**
 * Those nodes with all below them, in the order of their starts, one line of JSON each, after lines with the
 * pieces of their large values: a few at a time, in turn.
 */
export function keptLines(
  keeper: Keeper,
  row: RunRow,
  before: readonly Node[],
): ReadableStream<Uint8Array> {
  const of = { address: keeper.owner.orgUuid };
  const lines = linesOf(keeper, row.run, before);
  const bytesOf = ({ text }: SomeLines) => text.length;
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const work = () => someOf(lines);
      const { text, isLast } = await inRecordTurn(of, { work, bytesOf, isBegun: true });
      controller.enqueue(encoder.encode(text));
      if (isLast) controller.close();
    },
  });
}

/** Lines, as many as are read at a time. */
interface SomeLines {
  /** At least an empty line: something is to be given. */
  readonly text: string;
  readonly isLast: boolean;
}

function someOf(lines: Generator<string>): SomeLines {
  let text = '\n';
  for (let read = 0; read < STEP && text.length <= READ_AT_ONCE; read += 1) {
    const { done, value } = lines.next();
    if (done) return { text, isLast: true };
    text += `${value}\n`;
  }
  return { text, isLast: false };
}

/** An empty line for each node that is not kept: it is looked at, too. */
function* linesOf(keeper: Keeper, run: number, before: readonly Node[]): Generator<string> {
  const kept = new Set(before.map(({ path }) => path));
  for (let after = 0; ; ) {
    const sql =
      'SELECT body FROM nodes WHERE run = ? AND generation = 0 AND begun > ? ORDER BY begun LIMIT ?';
    const rows = keeper.sql.exec<{ body: string }>(sql, run, after, STEP).toArray();
    for (const { body } of rows) {
      const node = JSON.parse(body) as Node; // As the journal wrote it.
      if (isKept(node, kept)) yield* linesOfNode(keeper, run, node);
      else yield '';
      after = node.begun;
    }
    if (rows.length < STEP) return;
  }
}

/** @param kept paths of the top level, with which those below begin */
function isKept({ phase, path }: Node, kept: ReadonlySet<string>): boolean {
  return phase === 'ended' && kept.has(topOf(path));
}

function* linesOfNode(keeper: Keeper, run: number, node: Node): Generator<string> {
  const values: KeptNode['values'] = {
    input: yield* keptValueOf(keeper, run, node.input),
    output: yield* keptValueOf(keeper, run, node.output),
    error: yield* keptValueOf(keeper, run, node.error),
  };
  yield JSON.stringify({ node, values } satisfies KeptNode);
}

/** Its text; of a large value the pieces come before. */
function* keptValueOf(
  { vault }: Keeper,
  run: number,
  ref: Ref | undefined,
): Generator<string, KeptValue> {
  if (ref === undefined) return undefined;
  if (vault.sizeOf(run, ref) <= PIECE) return vault.text(run, ref);
  const decoder = new TextDecoder();
  let [count, piece] = [0, ''];
  for (const bytes of vault.bytesOf(run, ref)) {
    for (let at = 0; at < bytes.byteLength; at += PIECE) {
      piece += decoder.decode(bytes.subarray(at, at + PIECE), { stream: true });
      if (piece.length < PIECE / 2) continue;
      yield JSON.stringify({ piece } satisfies KeptPiece);
      count += 1;
      piece = '';
    }
  }
  yield JSON.stringify({ piece } satisfies KeptPiece);
  return count + 1;
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

/**
 * Puts some of them into the journal of the fork. Their effects are the first run's: it alone undoes them.
 * @param pieces those of values whose node has not come yet: they are added and taken here
 */
export function putKept(turn: Turn, lines: readonly string[], pieces: TextPart[]): void {
  for (const text of lines) {
    const line = JSON.parse(text) as KeptPiece | KeptNode; // As keptLines wrote it.
    if ('node' in line) putNode(turn, line, pieces);
    // Few characters are no value of their own: a joined one has them in itself.
    else pieces.push(line.piece.length > LARGE_FROM ? turn.journal.keep(line.piece) : line.piece);
  }
}

function putNode({ journal, run }: Turn, { node, values }: KeptNode, pieces: TextPart[]): void {
  const keep = (value: KeptValue) => {
    if (typeof value === 'number') return journal.join(pieces.splice(0, value));
    return value === undefined ? undefined : journal.keep(value);
  };
  const own: Node = {
    ...node,
    input: keep(values.input),
    output: keep(values.output),
    error: keep(values.error),
    by: node.by,
    undo: 'none',
    state: { ...node.state },
  };
  for (const name of ['key', 'held', 'followed'] as const) delete own.state[name];
  journal.add(own);
  run.order = Math.max(run.order, node.begun, node.ended);
  if (node.owner === '' && node.role === 'step') run.last = own.output;
}
