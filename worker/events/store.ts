/** Statements of the object that keeps events, on the database that it has of its own. */
import type { EventsOwner, NewEvent, Wait } from './object.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, event TEXT NOT NULL,
    id TEXT NOT NULL, received INTEGER NOT NULL, bytes BLOB NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS events_once ON events (source, id);
  CREATE INDEX IF NOT EXISTS events_source ON events (source, seq);
  CREATE INDEX IF NOT EXISTS events_received ON events (received);
  CREATE TABLE IF NOT EXISTS waits (
    run TEXT NOT NULL, path TEXT NOT NULL, source TEXT NOT NULL, pattern TEXT NOT NULL,
    after INTEGER NOT NULL, PRIMARY KEY (run, path)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS waits_source ON waits (source, after);
  CREATE TABLE IF NOT EXISTS heads (source TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;`;

/** Events that one look reads at most. */
const SCAN_MAX = 500;

/** A wait as it is kept. */
export type WaitRow = Omit<Wait, 'after'> & { readonly after: number };

/** An event as it is kept. */
interface EventRow {
  readonly seq: number;
  readonly event: string;
  readonly id: string;
  readonly bytes: Uint8Array;
}

export class EventStore {
  readonly #sql: SqlStorage;
  #isOpen = false;
  #owner: EventsOwner | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether anything was ever kept here. */
  get isOpen(): boolean {
    this.#isOpen ||=
      this.#sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'meta'").toArray().length > 0;
    return this.#isOpen;
  }

  /** Bytes on disk. */
  get size(): number {
    return this.#sql.databaseSize;
  }

  open({ orgUuid, orgId, sealedDataKey }: EventsOwner): void {
    if (this.#owner?.sealedDataKey === sealedDataKey) return;
    this.#sql.exec(TABLES);
    this.#owner = { orgUuid, orgId, sealedDataKey };
    this.#sql.exec("INSERT OR REPLACE INTO meta VALUES ('owner', ?)", JSON.stringify(this.#owner));
  }

  owner(): EventsOwner {
    if (this.#owner) return this.#owner;
    const { value } = this.#sql
      .exec<{ value: string }>("SELECT value FROM meta WHERE name = 'owner'")
      .one();
    this.#owner = JSON.parse(value) as EventsOwner; // As `open` wrote it.
    return this.#owner;
  }

  /** Answers whether it is new. */
  add({ source, event, id }: NewEvent, sealed: Uint8Array, now: number): boolean {
    const [row] = this.#sql
      .exec<{ seq: number }>(
        'INSERT OR IGNORE INTO events (source, event, id, received, bytes) VALUES (?, ?, ?, ?, ?) RETURNING seq',
        source,
        event,
        id,
        now,
        new Uint8Array(sealed).buffer,
      )
      .toArray();
    if (!row) return false;
    this.#sql.exec('INSERT OR REPLACE INTO heads VALUES (?, ?)', source, row.seq);
    return true;
  }

  /** Place of the newest event; removed events count too. */
  last(): number {
    const [row] = this.#sql
      .exec<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
      .toArray();
    return row?.seq ?? 0;
  }

  addWait({ run, path, source, pattern, after }: WaitRow): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO waits VALUES (?, ?, ?, ?, ?)',
      run,
      path,
      source,
      pattern,
      after,
    );
  }

  dropWait(run: string, path: string): void {
    this.#sql.exec('DELETE FROM waits WHERE run = ? AND path = ?', run, path);
  }

  /** Moves the place after which a wait looks. A wait that was replaced in between stays as it is. */
  moveWait(run: string, path: string, before: number, after: number): void {
    const where = 'run = ? AND path = ? AND after = ?';
    this.#sql.exec(`UPDATE waits SET after = ? WHERE ${where}`, after, run, path, before);
  }

  /** Waits whose source has newer events than they know. Found by source: those that know all are not read. */
  toTell(limit: number): WaitRow[] {
    type Row = { [Member in keyof WaitRow]: WaitRow[Member] }; // An interface has no index signature.
    return this.#sql
      .exec<Row>(
        `SELECT w.run, w.path, w.source, w.pattern, w.after FROM heads h
          CROSS JOIN waits w ON w.source = h.source AND w.after < h.seq LIMIT ?`,
        limit,
      )
      .toArray();
  }

  hasTold(): boolean {
    return this.toTell(1).length > 0;
  }

  /** Events of a source after a place whose names fit, and the place up to which it looked. */
  matching(
    source: string,
    fits: (name: string) => boolean,
    after: number,
    limit: number,
  ): { readonly events: EventRow[]; readonly upTo: number } {
    const rows = this.#sql.exec<{ seq: number; event: string; id: string; bytes: ArrayBuffer }>(
      'SELECT seq, event, id, bytes FROM events WHERE seq > ? AND source = ? ORDER BY seq LIMIT ?',
      after,
      source,
      SCAN_MAX,
    );
    const events: EventRow[] = [];
    let upTo = after;
    let seen = 0;
    for (const { seq, event, id, bytes } of rows) {
      seen += 1;
      upTo = seq;
      if (fits(event)) events.push({ seq, event, id, bytes: new Uint8Array(bytes) });
      if (events.length === limit) return { events, upTo };
    }
    return { events, upTo: seen < SCAN_MAX ? Math.max(upTo, this.last()) : upTo };
  }

  /** Removes events, and sources that have none left: each name that was ever sent would stay. Answers whether there were any. */
  removeBefore(time: number): boolean {
    const { rowsWritten } = this.#sql.exec('DELETE FROM events WHERE received < ?', time);
    if (rowsWritten === 0) return false;
    const hasNone = 'NOT EXISTS (SELECT 1 FROM events e WHERE e.source = heads.source)';
    this.#sql.exec(`DELETE FROM heads WHERE ${hasNone}`);
    return true;
  }
}
