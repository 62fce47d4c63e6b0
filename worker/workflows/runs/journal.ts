/** The journal of one run on an object's own database, within one transaction. Spec: workflows.md §7. */
import type { Json } from '../../../proto/json.ts';
import type { DueKind, ElementEnd, Journal, Node, Ref, Run } from '../engine/journal.ts';
import type { Call, Head, RunEffect } from './head.ts';
import { LoopRows } from './loop-rows.ts';
import { childIdOf, tokenOf } from './names.ts';
import type { Vault } from './vault.ts';

/** A run as its row has it. */
export interface RunRow {
  readonly run: number;
  readonly id: string;
  readonly head: Head;
  readonly body: Run;
  /** Counts changes that are told live. */
  seq: number;
}

interface NodeRow extends Record<string, SqlStorageValue> {
  readonly body: string;
}

export class SqlJournal implements Journal {
  readonly #sql: SqlStorage;
  readonly #vault: Vault;
  readonly #row: RunRow;
  readonly #keyOf: (action: string, value: string) => string;
  readonly #baseUrl: string;
  readonly #nodes = new Map<string, Node | undefined>();
  readonly #dirty = new Set<Node>();
  readonly #loops: LoopRows;
  readonly calls: Call[] = [];
  /** Whether something is to be done outside. */
  hasEffects = false;
  /** The earliest time that became due. */
  earliest = Number.POSITIVE_INFINITY;

  constructor(
    sql: SqlStorage,
    vault: Vault,
    row: RunRow,
    outside: { readonly baseUrl: string; keyOf(action: string, value: string): string },
  ) {
    this.#sql = sql;
    this.#vault = vault;
    this.#row = row;
    this.#keyOf = (action, value) => outside.keyOf(action, value);
    this.#baseUrl = outside.baseUrl;
    this.#loops = new LoopRows(sql, row.run);
  }

  node(path: string): Node | undefined {
    if (this.#nodes.has(path)) return this.#nodes.get(path);
    const [row] = this.#sql
      .exec<NodeRow>(
        'SELECT body FROM nodes WHERE run = ? AND path = ? AND generation = 0',
        this.#row.run,
        path,
      )
      .toArray();
    const node = row && nodeOf(row);
    this.#nodes.set(path, node);
    return node;
  }

  add(node: Node): void {
    this.#nodes.set(node.path, node);
    this.#dirty.add(node);
  }

  touch(node: Node): void {
    this.#dirty.add(node);
  }

  active(): Node[] {
    return this.#many("phase <> 'ended' AND generation = 0 ORDER BY begun");
  }

  inFrame(frame: string): Node[] {
    return this.#many('owner = ? AND generation = 0 ORDER BY begun', frame);
  }

  unfinished(owner: string): Node[] {
    return this.#many("owner = ? AND generation = 0 AND phase = 'ended' ORDER BY begun", owner)
      .filter(({ role }) => role === 'step' || role === 'option')
      .filter(
        ({ status, state }) =>
          state.held === true ||
          ((status === 'failed' || status === 'cancelled') && state.handled !== true),
      );
  }

  lastToUndo(below?: string): Node | undefined {
    const where = "undo = 'todo' AND generation = 0";
    const last = ' ORDER BY ended DESC LIMIT 1';
    if (below === undefined) return this.#many(where + last)[0];
    return this.#many(`${where} AND ${BELOW}${last}`, ...belowOf(below))[0];
  }

  archive(below: string): void {
    this.#flush();
    const { run } = this.#row;
    const [row] = this.#sql
      .exec<{ last: number | null }>(
        `SELECT max(generation) AS last FROM nodes WHERE run = ? AND ${BELOW}`,
        run,
        ...belowOf(below),
      )
      .toArray();
    const next = (row?.last ?? 0) + 1;
    this.#sql.exec(
      `UPDATE nodes SET generation = ? WHERE run = ? AND generation = 0 AND phase = 'ended' AND ${BELOW}`,
      next,
      run,
      ...belowOf(below),
    );
    for (const table of ['elements', 'results']) {
      this.#sql.exec(
        `DELETE FROM ${table} WHERE run = ? AND (path = ? OR ${BELOW})`,
        run,
        below,
        ...belowOf(below),
      );
    }
    this.#nodes.clear();
    this.#loops.forget();
  }

  hasEscalated(path: string): boolean {
    const told = "json_extract(body, '$.state.told')";
    return this.#has(`nodes WHERE run = ? AND path = ? AND generation > 0 AND ${told}`, path);
  }

  text(ref: Ref): string {
    return this.#vault.text(this.#row.run, ref);
  }

  keep(text: string): Ref {
    return this.#vault.keep(this.#row.run, text);
  }

  due(at: number, path: string, kind: DueKind): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO dues VALUES (?, ?, ?, ?)',
      this.#row.run,
      path,
      kind,
      at,
    );
    this.earliest = Math.min(this.earliest, at);
  }

  undue(path: string, kind?: DueKind): void {
    const { run } = this.#row;
    if (kind === undefined) {
      this.#sql.exec('DELETE FROM dues WHERE run = ? AND path = ?', run, path);
    } else {
      this.#sql.exec('DELETE FROM dues WHERE run = ? AND path = ? AND kind = ?', run, path, kind);
    }
  }

  effect(effect: RunEffect): void {
    this.hasEffects = true;
    this.#sql.exec(
      'INSERT INTO outbox (run, kind, body) VALUES (?, ?, ?)',
      this.#row.run,
      effect.do,
      JSON.stringify(effect),
    );
  }

  call({ path, attempts }: Node): void {
    this.calls.push({ path, attempt: attempts });
  }

  putElements(path: string, first: number, text: string): void {
    this.#loops.putElements(path, first, this.keep(text));
  }

  element(path: string, index: number): Json {
    return this.#loops.element(path, index, (ref) => this.text(ref));
  }

  putResult(path: string, index: number, end: ElementEnd): void {
    this.#loops.putResult(path, index, end);
  }

  results(path: string): Iterable<ElementEnd & { readonly index: number }> {
    return this.#loops.results(path);
  }

  dropResults(path: string): void {
    this.#loops.dropResults(path);
  }

  hasTaken(event: number): boolean {
    return this.#has('taken WHERE run = ? AND event = ?', event);
  }

  #has(where: string, bound: SqlStorageValue): boolean {
    return this.#sql.exec(`SELECT 1 FROM ${where}`, this.#row.run, bound).toArray().length > 0;
  }

  take(event: number): void {
    this.#sql.exec('INSERT OR IGNORE INTO taken VALUES (?, ?)', this.#row.run, event);
  }

  takeCallback(path: string): Ref | undefined {
    const sql = 'SELECT ref FROM callbacks WHERE run = ? AND path = ?';
    const rows = this.#sql.exec<{ ref: number | null }>(sql, this.#row.run, path).toArray();
    return rows[0]?.ref ?? undefined;
  }

  keepCallback(path: string, body: Ref): void {
    this.#sql.exec('INSERT OR IGNORE INTO callbacks VALUES (?, ?, ?)', this.#row.run, path, body);
  }

  callbackUrl(path: string): string {
    return this.#baseUrl + tokenOf(this.#vault, this.#row.id, path);
  }

  childId(path: string, number: number): string {
    return childIdOf(this.#vault, this.#row.id, path, number);
  }

  keyName(action: string, value: string): string {
    return this.#keyOf(action, value);
  }

  random(): number {
    return Math.random();
  }

  /** Writes what was changed. */
  finish(): void {
    this.#flush();
    const { run, body, seq, head } = this.#row;
    const expires = body.endedAt === 0 ? null : body.endedAt + head.retentionMs;
    this.#sql.exec(
      'UPDATE runs SET body = ?, status = ?, seq = ?, expires = ? WHERE run = ?',
      JSON.stringify(body),
      body.status,
      seq + 1,
      expires,
      run,
    );
    this.#row.seq = seq + 1;
  }

  #flush(): void {
    for (const node of this.#dirty) {
      this.#row.seq += 1;
      this.#sql.exec(
        'INSERT OR REPLACE INTO nodes VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?, ?)',
        this.#row.run,
        node.path,
        node.owner,
        node.phase,
        node.undo,
        node.begun,
        node.ended,
        this.#row.seq,
        JSON.stringify(node),
      );
    }
    this.#dirty.clear();
  }

  /** What the transaction knows already are the same objects. */
  #many(where: string, ...bound: SqlStorageValue[]): Node[] {
    this.#flush();
    const rows = this.#sql.exec<NodeRow>(
      `SELECT body FROM nodes WHERE run = ? AND ${where}`,
      this.#row.run,
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

/** Paths below one: what follows it begins with a dot or a bracket. */
const BELOW = '((path >= ? AND path < ?) OR (path >= ? AND path < ?))';
function belowOf(path: string): [string, string, string, string] {
  return [`${path}.`, `${path}/`, `${path}[`, `${path}\\`];
}

/** Refs and texts that are undefined are left out of the body. */
function nodeOf({ body }: NodeRow): Node {
  const absent = { input: undefined, output: undefined, error: undefined, by: undefined };
  return { ...absent, ...(JSON.parse(body) as Node) };
}
