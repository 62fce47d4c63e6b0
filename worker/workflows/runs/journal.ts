/** The journal of one run on an object's own database. Spec: workflows.md §7. */
import type { Json } from '../../../proto/json.ts';
import { parseAsWritten } from '../../../proto/written-json.ts';
import type { DueKind, ElementEnd, Journal, Node, Ref, Run } from '../engine/journal.ts';
import type { Wanted } from '../engine/ready-values.ts';
import type { TextPart } from '../engine/text-parts.ts';
import type { Call, RunEffect, RunHead } from './head.ts';
import { LoopRows } from './loop-rows.ts';
import { idOf, tokenOf } from './names.ts';
import { NodeRows } from './node-rows.ts';
import { PendingPaths } from './pending-paths.ts';
import { writeRun } from './run-rows.ts';
import { RunValues } from './run-values.ts';
import type { Vault } from './vault.ts';
import type { Beforehand } from './when-parsed.ts';

/** A run as its row has it. */
export interface RunRow {
  readonly run: number;
  readonly id: string;
  readonly head: RunHead;
  readonly body: Run;
  /** Counts changes that are told live. */
  seq: number;
}

/** What names follow from besides the run. */
interface NameSources {
  /** What the URLs of callbacks begin with. */
  readonly baseUrl: string;
  /** The name of an idempotency key. */
  keyOf(action: string, value: string): string;
}

const KINDS: readonly DueKind[] = ['go', 'retry', 'timeout', 'wake', 'deadline'];
/** Characters of values that are written at the latest then. */
const PENDING_MAX = 1024 * 1024;

/** What a transition leads to. */
export interface Transition {
  readonly calls: readonly Call[];
  /** Whether something is to be done outside. */
  readonly hasEffects: boolean;
  /** Unix epoch milliseconds of the earliest time that became due. */
  readonly earliest: number;
}

/** Goes with a run for as long as its object has it in memory: transitions change it, and `write` writes it at once. */
export class SqlJournal implements Journal {
  /** As it is now: it changes. */
  readonly row: RunRow;
  readonly #sql: SqlStorage;
  readonly #vault: Vault;
  readonly #outside: NameSources;
  readonly #nodes: NodeRows;
  readonly #pending: PendingPaths;
  readonly #loops: LoopRows;
  readonly #values: RunValues;
  isNew: boolean;
  /** Rows besides the run's own are written already, which must not be there without it. */
  #mustWrite = false;
  #calls: Call[] = [];
  #hasEffects = false;
  #earliest = Number.POSITIVE_INFINITY;

  /** @param isNew whether none of the run is written yet */
  constructor(sql: SqlStorage, vault: Vault, row: RunRow, outside: NameSources, isNew: boolean) {
    this.row = row;
    this.#sql = sql;
    this.#vault = vault;
    this.#outside = outside;
    this.isNew = isNew;
    this.#nodes = new NodeRows(sql, row, isNew);
    this.#pending = new PendingPaths(sql, row.run, isNew);
    this.#loops = new LoopRows(sql, row.run);
    this.#values = new RunValues(vault, row, this.#pending, isNew);
  }

  /** What the transition led to that ends here. */
  takeAsked(): Transition {
    const asked = { calls: this.#calls, hasEffects: this.#hasEffects, earliest: this.#earliest };
    [this.#calls, this.#hasEffects, this.#earliest] = [[], false, Number.POSITIVE_INFINITY];
    return asked;
  }

  /** Says what was parsed for the next transition; undefined: it parses what it reads. */
  prepare(beforehand: Beforehand | undefined): void {
    this.#values.beforehand = beforehand;
  }

  /** All nodes in the order of their starts, where they are in memory. */
  get nodes(): readonly Node[] | undefined {
    return this.#nodes.all;
  }

  /** UUIDs of the endpoints that the run's values come from, where they are in memory. */
  get reached(): ReadonlySet<string> | undefined {
    return this.#pending.allReached;
  }

  /** The run's values come from these endpoints, too. */
  reach(endpoints: readonly string[]): void {
    this.#pending.reach(endpoints);
  }

  /** Whether it is time to write, whatever the transition led to. */
  get mustWrite(): boolean {
    return (
      this.#mustWrite ||
      this.#values.hasLarge ||
      this.#nodes.mustWrite ||
      this.#pending.size > PENDING_MAX
    );
  }

  node(path: string): Node | undefined {
    return this.#nodes.node(path);
  }

  add(node: Node): void {
    this.#nodes.put(node);
  }

  touch(node: Node): void {
    this.#nodes.put(node);
  }

  activeAfter(below: string, after: string, most: number): Node[] {
    return this.#nodes.activeAfter(below, after, most);
  }

  isActiveBelow(below: string, fits: (path: string) => boolean): boolean {
    return this.#nodes.isActiveBelow(below, fits);
  }

  inFrame(frame: string): Node[] {
    return this.#nodes.inFrame(frame);
  }

  ended(): ReadonlySet<string> {
    return this.#nodes.ended();
  }

  readonly readAhead = (paths: readonly string[]): void => this.#nodes.readAhead(paths);
  readonly unfinishedAfter = (owner: string, after: string, max: number) =>
    this.#nodes.unfinishedAfter(owner, after, max);

  unfinished(owner: string): Node[] {
    return this.#nodes.unfinished(owner);
  }

  lastToUndo(below?: string): Node | undefined {
    return this.#nodes.lastToUndo(below);
  }

  archive(below: string): void {
    this.#direct();
    this.#nodes.archive(below);
    this.#loops.drop(below);
  }

  hasEscalated(path: string): boolean {
    return this.#nodes.hasEscalated(path);
  }

  text(ref: Ref): string {
    return this.#values.text(ref);
  }

  ready(wanted: Wanted): Json | undefined {
    return this.#values.ready(wanted);
  }

  keep(text: string | undefined): Ref {
    return this.#values.keep(text);
  }

  sizeOf(ref: Ref): number {
    return this.#values.sizeOf(ref);
  }

  join(parts: readonly TextPart[]): Ref {
    return this.#values.join(parts);
  }

  due(at: number, path: string, kind: DueKind): void {
    this.#pending.due(at, path, kind);
    this.#earliest = Math.min(this.#earliest, at);
  }

  undue(path: string, kind?: DueKind): void {
    this.#pending.undue(path, kind === undefined ? KINDS : [kind]);
  }

  effect(effect: RunEffect): void {
    if (effect.do === 'end' && this.#isTold) return;
    if (effect.do !== 'tell') this.#hasEffects = true;
    this.#pending.effect(effect);
  }

  /** Nobody outside waits for the end of the run. */
  get #isTold(): boolean {
    const { head, body } = this.row;
    return !head.parent && !head.gate && !head.tellsEnd && body.status !== 'failed';
  }

  call({ path, attempts }: Node): void {
    this.#calls.push({ path, attempt: attempts });
  }

  putElements(path: string, first: number, text: string): void {
    this.#direct();
    this.#loops.putElements(path, first, this.keep(text));
  }

  element(path: string, index: number): Json {
    const read = (ref: Ref) => this.ready(ref) ?? parseAsWritten(this.text(ref));
    return this.#loops.element(path, index, read);
  }

  putResult(path: string, index: number, end: ElementEnd): void {
    this.#loops.putResult(path, index, end);
  }

  readonly results = (path: string, most: number) =>
    this.#loops.results(path, most, (ref) => this.#values.unwrittenSizeOf(ref));

  dropResults(path: string, before: number): void {
    this.#direct();
    this.#loops.dropResults(path, before);
  }

  hasTaken(event: number): boolean {
    const sql = 'SELECT 1 FROM taken WHERE run = ? AND event = ?';
    return this.#sql.exec(sql, this.row.run, event).toArray().length > 0;
  }

  take(event: number): void {
    this.#direct();
    this.#sql.exec('INSERT OR IGNORE INTO taken VALUES (?, ?)', this.row.run, event);
  }

  takeCallback(path: string): Ref | undefined {
    const sql = 'SELECT ref FROM callbacks WHERE run = ? AND path = ?';
    const rows = this.#sql.exec<{ ref: number | null }>(sql, this.row.run, path).toArray();
    return rows[0]?.ref ?? undefined;
  }

  keepCallback(path: string, body: Ref): void {
    this.#direct();
    this.#sql.exec('INSERT OR IGNORE INTO callbacks VALUES (?, ?, ?)', this.row.run, path, body);
  }

  callbackUrl(path: string): string {
    return this.#outside.baseUrl + tokenOf(this.#vault, this.row.id, path);
  }

  idOf(what: 'child' | 'task', path: string, ...numbers: readonly number[]): string {
    return idOf(this.#vault, what, this.row.id, path, ...numbers);
  }

  keyName(action: string, value: string): string {
    return this.#outside.keyOf(action, value);
  }

  random(): number {
    return Math.random();
  }

  /** Writes what was changed. */
  write(): void {
    this.#nodes.write();
    this.#nodes.settle();
    this.row.seq += 1;
    const { body, seq } = this.row;
    // The time of a run that is under way is far off, and written when it waits.
    const isUnderWay = body.inFlight > 0 && body.endedAt === 0;
    this.#pending.write(this.#vault, seq, isUnderWay);
    writeRun(this.#sql, this.row, this.isNew);
    this.isNew = false;
    this.#mustWrite = false;
  }

  /** Writes what is due far off, too. */
  writeDues(): void {
    this.#pending.writeDues(false);
  }

  /** Something is written besides. */
  #direct(): void {
    this.#mustWrite = true;
  }
}
