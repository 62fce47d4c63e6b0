/** Nodes of one run: those that its object has in memory, and their rows. Spec: workflows.md §7. */
import { hasEnded } from '../engine/graph.ts';
import type { Node } from '../engine/journal.ts';
import { isBelow } from '../engine/paths.ts';
import { insertRows } from './insert-rows.ts';

/** Nodes of a run that its object has in memory between two transitions. */
const IN_MEMORY_MAX = 256;

interface NodeRow extends Record<string, SqlStorageValue> {
  readonly body: string;
}

export class NodeRows {
  readonly #sql: SqlStorage;
  readonly #run: number;
  /** Counts the changes of the run. */
  readonly #count: { seq: number };
  readonly #nodes = new Map<string, Node | undefined>();
  readonly #dirty = new Set<Node>();
  /** Actions of the top level that have ended, once a graph asks; and nodes that were changed since it asked last. */
  #ended: Set<string> | undefined;
  readonly #changed = new Set<Node>();
  /** Whether all nodes of the run are in memory: then no row is read. */
  #isWhole: boolean;
  /** Whether rows were written before what goes with them. */
  #isAhead = false;

  /** @param row of the run @param isNew whether none of it is written yet */
  constructor(sql: SqlStorage, row: { readonly run: number; seq: number }, isNew: boolean) {
    this.#sql = sql;
    this.#run = row.run;
    this.#count = row;
    this.#isWhole = isNew;
  }

  /** Whether some rows are written already, or so much is in memory that it is better written. */
  get mustWrite(): boolean {
    return this.#isAhead || this.#nodes.size > IN_MEMORY_MAX;
  }

  node(path: string): Node | undefined {
    if (this.#isWhole || this.#nodes.has(path)) return this.#nodes.get(path);
    const node = selectNode(this.#sql, this.#run, path);
    this.#nodes.set(path, node);
    return node;
  }

  /** Those that are not in memory, by one statement: each costs more than a row. */
  readAhead(paths: readonly string[]): void {
    if (this.#isWhole) return;
    const unread = paths.filter((path) => !this.#nodes.has(path));
    if (unread.length < 2) return;
    for (const path of unread) this.#nodes.set(path, undefined);
    const sql = `SELECT body FROM nodes WHERE run = ? AND generation = 0
      AND path IN (SELECT value FROM json_each(?))`;
    for (const row of this.#sql.exec<NodeRow>(sql, this.#run, JSON.stringify(unread))) {
      const node = nodeOf(row);
      this.#nodes.set(node.path, node);
    }
  }

  /** A node that was added or changed is written with the others. */
  put(node: Node): void {
    this.#nodes.set(node.path, node);
    this.#dirty.add(node);
    if (this.#ended) this.#changed.add(node);
  }

  /** As of `Journal`. */
  ended(): ReadonlySet<string> {
    const isFirst = this.#ended === undefined;
    this.#ended ??= this.#isWhole ? new Set() : this.#endedInRows();
    for (const node of isFirst ? this.#nodes.values() : this.#changed) {
      if (node?.owner !== '' || node.role !== 'step') continue;
      if (hasEnded(node)) this.#ended.add(node.action);
      // Who has looked at a set looks at the places in it that are new alone.
      else if (this.#ended.delete(node.action)) this.#ended = new Set(this.#ended);
    }
    this.#changed.clear();
    return this.#ended;
  }

  #endedInRows(): Set<string> {
    const sql = `SELECT path FROM nodes WHERE run = ? AND generation = 0 AND owner = '' AND phase = 'ended'
      AND json_extract(body, '$.role') = 'step'
      AND (json_extract(body, '$.status') = 'succeeded' OR json_extract(body, '$.state.handled'))`;
    const rows = this.#sql.exec<{ path: string }>(sql, this.#run).toArray();
    return new Set(rows.map(({ path }) => path));
  }

  /** Undefined where not all are in memory. */
  get all(): Node[] | undefined {
    return this.#isWhole ? this.#find(() => true, '') : undefined;
  }

  /** As of `Journal`. */
  activeAfter(below: string, after: string, most: number): Node[] {
    if (this.#isWhole) {
      const isNext = ({ path, phase }: Node) => phase !== 'ended' && path > after;
      return this.#find((node) => isNext(node) && isWithin(node.path, below), '')
        .sort((one, other) => (one.path < other.path ? -1 : 1))
        .slice(0, most);
    }
    const where = `${ACTIVE} AND (? = '' OR ${BELOW}) ORDER BY path LIMIT ?`;
    const [from, to] = rangeOf(below);
    const first = after > from ? after : from;
    return this.#many(where, first, to, below, ...belowOf(below), most);
  }

  /** As of `Journal`. */
  isActiveBelow(below: string, fits: (path: string) => boolean): boolean {
    const isFit = (path: string) => isWithin(path, below) && fits(path);
    if (this.#isWhole) {
      for (const node of this.#nodes.values()) {
        if (node && node.phase !== 'ended' && isFit(node.path)) return true;
      }
      return false;
    }
    this.#writeAhead();
    const sql = `SELECT path FROM nodes INDEXED BY nodes_active WHERE run = ? AND ${ACTIVE}`;
    for (const { path } of this.#sql.exec<{ path: string }>(sql, this.#run, ...rangeOf(below))) {
      if (isFit(path)) return true;
    }
    return false;
  }

  inFrame(frame: string): Node[] {
    const where = 'owner = ? AND generation = 0 ORDER BY begun';
    return this.#find(({ owner }) => owner === frame, where, frame);
  }

  /** As of `Journal`. */
  unfinished(owner: string): Node[] {
    const isOwn = (node: Node) => node.owner === owner && isUnfinished(node);
    return this.#find(isOwn, `${UNFINISHED} ORDER BY begun`, ...rangeOf(owner), owner);
  }

  /** As of `Journal`. */
  unfinishedAfter(owner: string, after: string, most: number): Node[] {
    if (this.#isWhole) {
      return this.unfinished(owner)
        .filter(({ path }) => path > after)
        .sort((one, other) => (one.path < other.path ? -1 : 1))
        .slice(0, most);
    }
    const [from, to] = rangeOf(owner);
    const first = after > from ? after : from;
    return this.#many(`${UNFINISHED} ORDER BY path LIMIT ?`, first, to, owner, most);
  }

  lastToUndo(below?: string): Node | undefined {
    if (this.#isWhole) {
      return this.#find(
        ({ undo, path }) => undo === 'todo' && (below === undefined || isBelow(path, below)),
        '',
      ).reduce<Node | undefined>(
        (last, node) => (last && last.ended > node.ended ? last : node),
        undefined,
      );
    }
    const where = "undo = 'todo' AND generation = 0";
    const last = ' ORDER BY ended DESC LIMIT 1';
    if (below === undefined) return this.#many(where + last)[0];
    // By the index of what is to be undone: the last is among its last ones.
    const isBelowIt = BELOW.replaceAll('path', '+path');
    return this.#many(`${where} AND ${isBelowIt}${last}`, ...belowOf(below))[0];
  }

  /** Puts aside what is below a path. */
  archive(below: string): void {
    this.#writeAhead();
    const [row] = this.#sql
      .exec<{ last: number | null }>(
        `SELECT max(generation) AS last FROM nodes WHERE run = ? AND ${BELOW}`,
        this.#run,
        ...belowOf(below),
      )
      .toArray();
    this.#sql.exec(
      `UPDATE nodes SET generation = ? WHERE run = ? AND generation = 0 AND phase = 'ended' AND ${BELOW}`,
      (row?.last ?? 0) + 1,
      this.#run,
      ...belowOf(below),
    );
    this.forget();
  }

  hasEscalated(path: string): boolean {
    if (this.#isWhole) return false;
    const told = "json_extract(body, '$.state.told')";
    const where = `run = ? AND path = ? AND generation > 0 AND ${told}`;
    return (
      this.#sql.exec(`SELECT 1 FROM nodes WHERE ${where}`, this.#run, path).toArray().length > 0
    );
  }

  /** Writes what was changed, each with the next number of the run's changes. */
  write(): void {
    const rows = [...this.#dirty].map((node) => {
      const { path, owner, phase, undo, begun, ended } = node;
      this.#count.seq += 1;
      const { seq } = this.#count;
      return [this.#run, path, 0, owner, phase, undo, begun, ended, seq, JSON.stringify(node)];
    });
    insertRows(this.#sql, 'nodes', rows, 'REPLACE');
    this.#dirty.clear();
  }

  /** Everything is written: what is not whole, or too much, is read again when it is asked for. */
  settle(): void {
    this.#isAhead = false;
    if (!this.#isWhole || this.#nodes.size > IN_MEMORY_MAX) this.forget();
  }

  /** Rows are going to be searched. */
  #writeAhead(): void {
    this.#isAhead ||= this.#dirty.size > 0;
    this.write();
  }

  /** What was read is read again. */
  forget(): void {
    this.#isWhole = false;
    this.#nodes.clear();
  }

  #find(fits: (node: Node) => boolean, where: string, ...bound: SqlStorageValue[]): Node[] {
    if (!this.#isWhole) return this.#many(where, ...bound);
    return [...this.#nodes.values()]
      .filter((node) => node !== undefined)
      .filter(fits)
      .sort((one, other) => one.begun - other.begun);
  }

  /** What the transaction knows already are the same objects. */
  #many(where: string, ...bound: SqlStorageValue[]): Node[] {
    this.#writeAhead();
    const rows = this.#sql.exec<NodeRow>(
      `SELECT body FROM nodes WHERE run = ? AND ${where}`,
      this.#run,
      ...bound,
    );
    return rows.toArray().map((row) => {
      const read = nodeOf(row);
      const known = this.#nodes.get(read.path);
      if (known) return known;
      this.#nodes.set(read.path, read);
      return read;
    });
  }
}

/** A node as its row has it. */
export function selectNode(sql: SqlStorage, run: number, path: string): Node | undefined {
  const select = 'SELECT body FROM nodes WHERE run = ? AND path = ? AND generation = 0';
  const [row] = sql.exec<NodeRow>(select, run, path).toArray();
  return row && nodeOf(row);
}

/** Nodes within a range of paths that have not ended: an index has them by their paths. */
const ACTIVE = "phase <> 'ended' AND generation = 0 AND path > ? AND path < ?";

/** What a retry opens again, within a range of paths. */
const UNFINISHED = `path > ? AND path < ? AND owner = ? AND phase = 'ended' AND generation = 0
  AND json_extract(body, '$.role') IN ('step', 'option') AND (json_extract(body, '$.state.held')
    OR (json_extract(body, '$.status') IN ('failed', 'cancelled')
      AND json_extract(body, '$.state.handled') IS NOT 1))`;

/** The same of a node. */
function isUnfinished({ phase, role, status, state }: Node): boolean {
  if (phase !== 'ended' || (role !== 'step' && role !== 'option')) return false;
  const hasFailed = status === 'failed' || status === 'cancelled';
  return state.held === true || (hasFailed && state.handled !== true);
}

/** Within which all paths below one are, or all with an empty one; others may be, too. */
function rangeOf(below: string): [string, string] {
  return [below, `${below}${below === '' ? '\x7f' : '\\'}`];
}

function isWithin(path: string, below: string): boolean {
  return below === '' || isBelow(path, below);
}

/** Paths below one, as a range of the primary key: what follows it begins with a dot or a bracket, and others lie between these. */
export const BELOW = '(path >= ? AND path < ? AND (path < ? OR path >= ?))';
export function belowOf(path: string): [string, string, string, string] {
  return [`${path}.`, `${path}\\`, `${path}/`, `${path}[`];
}

/** Refs and texts that are undefined are left out of the body. */
function nodeOf({ body }: NodeRow): Node {
  const absent = { input: undefined, output: undefined, error: undefined, by: undefined };
  return { ...absent, ...(JSON.parse(body) as Node) };
}
