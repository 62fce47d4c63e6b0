/** What a run asks for and its object has not written yet: what is due, what is to be done outside, values, endpoints that it reached. */
import type { DueKind, Ref } from '../engine/journal.ts';
import type { RunEffect } from './head.ts';
import { insertRows } from './insert-rows.ts';
import { addTells, isTell } from './tells.ts';
import { type JoinedText, LARGE_FROM, type Vault } from './vault.ts';

const encoder = new TextEncoder();

/** Milliseconds after which what is due is far off: longer than a call takes before it is looked at again. */
const FAR_OFF_MS = 600_000;

export class PendingPaths {
  readonly #sql: SqlStorage;
  readonly #run: number;
  /** Paths that something due may be written for; undefined where that is not known. */
  readonly #written: Set<string> | undefined;
  readonly #values = new Map<Ref, string | JoinedText>();
  /** Of each node, when what is due; null is nothing any more. */
  readonly #dues = new Map<string, Map<DueKind, number | null>>();
  readonly #effects: RunEffect[] = [];
  readonly #reached = new Set<string>();
  /** Written ones, too; undefined where those are not known. */
  readonly allReached: Set<string> | undefined;
  /** Characters of values. */
  size = 0;

  /** @param isNew whether none of the run is written yet */
  constructor(sql: SqlStorage, run: number, isNew: boolean) {
    this.#sql = sql;
    this.#run = run;
    this.#written = isNew ? new Set() : undefined;
    this.allReached = isNew ? new Set() : undefined;
  }

  keep(ref: Ref, text: string): void {
    this.#values.set(ref, text);
    this.size += text.length;
  }

  join(ref: Ref, joined: JoinedText): void {
    this.#values.set(ref, joined);
    for (const part of joined.parts) if (typeof part === 'string') this.size += part.length;
  }

  /** A value that is not written yet. */
  value(ref: Ref): string | JoinedText | undefined {
    return this.#values.get(ref);
  }

  /** Bytes of one that is not written yet; 0 of one that is not large. */
  sizeOf(ref: Ref): number | undefined {
    const value = this.#values.get(ref);
    if (typeof value !== 'string') return value?.size;
    return value.length > LARGE_FROM ? encoder.encode(value).byteLength : 0;
  }

  due(at: number, path: string, kind: DueKind): void {
    this.#duesOf(path).set(kind, at);
  }

  /** Takes back what is due of a node. */
  undue(path: string, kinds: readonly DueKind[]): void {
    if (this.#written && !this.#written.has(path) && !this.#dues.has(path)) return;
    for (const kind of kinds) this.#duesOf(path).set(kind, null);
  }

  #duesOf(path: string): Map<DueKind, number | null> {
    const known = this.#dues.get(path) ?? new Map<DueKind, number | null>();
    this.#dues.set(path, known);
    return known;
  }

  effect(effect: RunEffect): void {
    this.#effects.push(effect);
  }

  reach(endpoints: readonly string[]): void {
    for (const endpoint of endpoints) {
      this.#reached.add(endpoint);
      this.allReached?.add(endpoint);
    }
  }

  /**
   * Writes all of it.
   * @param seq of the run's changes
   * @param isUnderWay whether what is due of the run far off may stay in memory
   */
  write(vault: Vault, seq: number, isUnderWay: boolean): void {
    vault.writeAll(this.#run, this.#values);
    this.#values.clear();
    this.size = 0;
    this.writeDues(isUnderWay);
    const [tells, effects] = [this.#effects.filter(isTell), this.#effects.filter(isOther)];
    const texts = effects.map((effect) => JSON.stringify(effect));
    insertRows(
      this.#sql,
      'outbox (run, body)',
      texts.map((text) => [this.#run, text]),
    );
    addTells(this.#sql, this.#run, seq, tells);
    this.#effects.length = 0;
    const reached = [...this.#reached].map((endpoint) => [this.#run, endpoint]);
    insertRows(this.#sql, 'reached', reached, 'IGNORE');
    this.#reached.clear();
  }

  /** @param isUnderWay as of `write` */
  writeDues(isUnderWay: boolean): void {
    const farOff = Date.now() + FAR_OFF_MS;
    const rows: SqlStorageValue[][] = [];
    for (const [path, kinds] of [...this.#dues]) {
      this.#dues.delete(path);
      const deadline = kinds.get('deadline') ?? 0;
      if (isUnderWay && deadline > farOff) {
        kinds.delete('deadline');
        this.due(deadline, path, 'deadline');
      }
      rows.push(...this.#dueRows(path, kinds));
    }
    insertRows(this.#sql, 'dues', rows, 'REPLACE');
  }

  /** Removes what is due no more, and answers the rows of the rest. */
  #dueRows(path: string, kinds: ReadonlyMap<DueKind, number | null>): SqlStorageValue[][] {
    const isNew = this.#written !== undefined && !this.#written.has(path);
    if (!isNew && [...kinds.values()].includes(null)) this.#remove(path, kinds);
    const rows = [...kinds].flatMap(([kind, at]) =>
      at === null ? [] : [[this.#run, path, kind, at]],
    );
    if (rows.length > 0) this.#written?.add(path);
    return rows;
  }

  #remove(path: string, kinds: ReadonlyMap<DueKind, number | null>): void {
    const gone = [...kinds].flatMap(([kind, at]) => (at === null ? [kind] : []));
    const sql =
      'DELETE FROM dues WHERE run = ? AND path = ? AND kind IN (SELECT value FROM json_each(?))';
    this.#sql.exec(sql, this.#run, path, JSON.stringify(gone));
  }
}

function isOther(effect: RunEffect): boolean {
  return effect.do !== 'tell';
}
