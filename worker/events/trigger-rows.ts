/** Statements of the object that keeps events on the triggers that they are offered to. */
import type { TriggerState } from '../workflows/triggers/state.ts';
import { patternOf } from './pattern.ts';

/** `is_active` is 0 while the workflow is paused; `after` is the place in the log up to which events were offered. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS triggers (
    workflow TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, version TEXT NOT NULL,
    source TEXT NOT NULL, pattern TEXT NOT NULL, is_active INTEGER NOT NULL, after INTEGER NOT NULL,
    last INTEGER, error TEXT, PRIMARY KEY (workflow, place)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS triggers_source ON triggers (source, after) WHERE is_active = 1;`;

/** Names of events that one look reads at most. */
const SCAN_MAX = 500;

/** A trigger as D1 has it. */
interface KnownTrigger {
  /** UUID. */
  readonly workflow: string;
  /** Index in the definition. */
  readonly place: number;
  /** Of the workflow. */
  readonly id: string;
  readonly version: string;
  readonly source: string;
  readonly pattern: string;
  readonly isActive: boolean;
}

/** A trigger that is offered events. */
export interface TriggerRow extends Omit<KnownTrigger, 'isActive'> {
  readonly after: number;
}

/** Names of events of a source, as far as they were read. */
interface Look {
  readonly source: string;
  readonly rows: readonly { readonly seq: number; readonly event: string }[];
  readonly upTo: number;
}

/** What became of the last event that a trigger took. */
export interface Taken {
  /** Unix epoch milliseconds. */
  readonly at: number;
  readonly error?: TriggerState['error'];
}

export class TriggerRows {
  readonly #sql: SqlStorage;
  #isOpen = false;
  /** Of the triggers' patterns, as far as they were asked for since the triggers were read. */
  readonly #patterns = new Map<string, (name: string) => boolean>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether there were triggers ever. */
  get isOpen(): boolean {
    this.#isOpen ||=
      this.#sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'triggers'").toArray().length > 0;
    return this.#isOpen;
  }

  /** Puts the triggers of the organization instead of those known. One that is new, or active again, is offered what comes after `last`. */
  replace(known: readonly KnownTrigger[], last: number): void {
    if (known.length === 0 && !this.isOpen) return;
    this.#sql.exec(TABLES);
    this.#patterns.clear();
    const keys = JSON.stringify(known.map(({ workflow, place }) => `${workflow}:${place}`));
    this.#sql.exec(
      `DELETE FROM triggers WHERE workflow || ':' || place NOT IN (SELECT value FROM json_each(?))`,
      keys,
    );
    const columns = 'workflow, place, id, version, source, pattern, is_active';
    const before = new Set(
      this.#sql
        .exec(`SELECT ${columns} FROM triggers`)
        .toArray()
        .map((row) => JSON.stringify(Object.values(row))),
    );
    for (const { workflow, place, id, version, source, pattern, isActive } of known) {
      const row = [workflow, place, id, version, source, pattern, Number(isActive)];
      if (before.has(JSON.stringify(row))) continue;
      this.#sql.exec(
        `INSERT INTO triggers VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)
          ON CONFLICT DO UPDATE SET id = excluded.id, version = excluded.version,
            after = iif(is_active = 1 AND source = excluded.source, after, excluded.after),
            source = excluded.source, pattern = excluded.pattern, is_active = excluded.is_active`,
        ...[...row, last],
      );
    }
  }

  /** Whether a source has triggers. */
  has(source: string): boolean {
    if (!this.isOpen) return false;
    const where = 'source = ? AND is_active = 1';
    return (
      this.#sql.exec(`SELECT 1 FROM triggers WHERE ${where} LIMIT 1`, source).toArray().length > 0
    );
  }

  /** Triggers whose source has newer events than they were offered, the earliest place first; others are not read. */
  #behind(): TriggerRow[] {
    if (!this.isOpen) return [];
    type Row = { [Member in keyof TriggerRow]: TriggerRow[Member] }; // An interface has no index signature.
    return this.#sql
      .exec<Row>(
        `SELECT t.workflow, t.place, t.id, t.version, t.source, t.pattern, t.after FROM heads h
          CROSS JOIN triggers t ON t.source = h.source AND t.after < h.seq AND t.is_active = 1
          ORDER BY t.source, t.after`,
      )
      .toArray();
  }

  /**
   * Triggers with newer events whose names fit. Others are noted to be offered all, many by one
   * statement, so that an event costs the triggers that it does not fit nearly nothing.
   * @param last place of the newest event
   */
  ready(last: number): TriggerRow[] {
    const behind = this.#behind();
    const ready: TriggerRow[] = [];
    const others: TriggerRow[] = [];
    let look: Look | undefined;
    for (const row of behind) {
      if (look?.source !== row.source || row.after >= look.upTo) {
        look = { source: row.source, ...this.names(row.source, row.after, last) };
      }
      const { rows: names, upTo } = look;
      const fits = this.fitting(row.pattern);
      const has = upTo < last || names.some(({ seq, event }) => seq > row.after && fits(event));
      (has ? ready : others).push(row);
    }
    if (others.length > 0) this.#skip(others, last);
    return ready;
  }

  #skip(rows: readonly TriggerRow[], last: number): void {
    const list = JSON.stringify(rows.map(({ workflow, place }) => `${workflow}:${place}`));
    this.#sql.exec(
      `UPDATE triggers SET after = ? WHERE is_active = 1 AND after < ?
        AND workflow || ':' || place IN (SELECT value FROM json_each(?))`,
      ...[last, last, list],
    );
  }

  /** Whether a name fits a pattern of a trigger. */
  fitting(pattern: string): (name: string) => boolean {
    const known = this.#patterns.get(pattern);
    if (known) return known;
    const made = patternOf(pattern);
    this.#patterns.set(pattern, made);
    return made;
  }

  /** As it is now; undefined where it is gone, or paused. */
  find(workflow: string, place: number): TriggerRow | undefined {
    type Row = { [Member in keyof TriggerRow]: TriggerRow[Member] };
    const sql = `SELECT workflow, place, id, version, source, pattern, after FROM triggers
      WHERE workflow = ? AND place = ? AND is_active = 1`;
    return this.#sql.exec<Row>(sql, workflow, place).toArray()[0];
  }

  /** Names of events of a source after a place, in the order of receipt; and the place up to which it looked. @param last place of the newest event */
  names(
    source: string,
    after: number,
    last: number,
  ): { rows: { seq: number; event: string }[]; upTo: number } {
    const rows = this.#sql
      .exec<{ seq: number; event: string }>(
        'SELECT seq, event FROM events WHERE seq > ? AND source = ? ORDER BY seq LIMIT ?',
        ...[after, source, SCAN_MAX],
      )
      .toArray();
    const upTo = rows.length < SCAN_MAX ? last : (rows.at(-1)?.seq ?? last);
    return { rows, upTo };
  }

  /** An event with what is kept sealed of it; undefined where it is gone. */
  event(seq: number): { readonly id: string; readonly bytes: Uint8Array } | undefined {
    const [row] = this.#sql
      .exec<{ id: string; bytes: ArrayBuffer }>('SELECT id, bytes FROM events WHERE seq = ?', seq)
      .toArray();
    return row && { id: row.id, bytes: new Uint8Array(row.bytes) };
  }

  /** Notes up to where a trigger was offered events. One that was replaced in between stays as it is. */
  move(
    { workflow, place, after, version }: TriggerRow,
    upTo: number,
    taken: Taken | undefined,
  ): void {
    const where = 'workflow = ? AND place = ? AND after = ? AND version = ?';
    this.#sql.exec(
      `UPDATE triggers SET after = ? WHERE ${where}`,
      ...[upTo, workflow, place, after, version],
    );
    if (taken === undefined) return;
    this.#sql.exec(
      'UPDATE triggers SET last = ?, error = ? WHERE workflow = ? AND place = ?',
      ...[taken.at, taken.error ? JSON.stringify(taken.error) : null, workflow, place],
    );
  }

  states(workflow: string): TriggerState[] {
    if (!this.isOpen) return [];
    const sql =
      'SELECT place, is_active, last, error FROM triggers WHERE workflow = ? ORDER BY place';
    return this.#sql
      .exec<{ place: number; is_active: number; last: number | null; error: string | null }>(
        sql,
        workflow,
      )
      .toArray()
      .map(({ place, is_active: isActive, last, error }) => ({
        index: place,
        state: isActive === 0 ? 'paused' : error === null ? 'active' : 'failing',
        ...(last === null ? {} : { last }),
        // As `move` wrote it.
        ...(error === null
          ? {}
          : { error: JSON.parse(error) as NonNullable<TriggerState['error']> }),
      }));
  }
}
