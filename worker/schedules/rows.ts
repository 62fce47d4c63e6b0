/** Statements of the object that owns schedules, on the database that it has of its own. */
import type { Owner } from '../workflows/runs/object.ts';
import type { ScheduleDetail } from '../workflows/triggers/rows.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';

/**
 * `next` is null while nothing is to come; `last` is the last tick that was dealt with; ticks before
 * `told` that were missed were told; `running` is the run that later ticks heed. All times are Unix epoch milliseconds.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS schedules (
    workflow TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, version TEXT NOT NULL,
    line TEXT NOT NULL, timezone TEXT NOT NULL, missed TEXT NOT NULL, overlap TEXT NOT NULL,
    is_active INTEGER NOT NULL, next INTEGER, last INTEGER, told INTEGER NOT NULL DEFAULT 0,
    running TEXT, ran INTEGER, error TEXT, PRIMARY KEY (workflow, place)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS schedules_next ON schedules (next) WHERE next IS NOT NULL;
  CREATE TABLE IF NOT EXISTS queue (
    workflow TEXT NOT NULL, place INTEGER NOT NULL, tick INTEGER NOT NULL,
    PRIMARY KEY (workflow, place, tick)
  ) WITHOUT ROWID;`;
const COLUMNS = `s.workflow, s.place, s.id, s.version, s.line, s.timezone, s.missed, s.overlap,
  s.next, s.told, s.running`;

/** Ticks of a schedule that wait. */
const QUEUED = 'FROM queue q WHERE q.workflow = s.workflow AND q.place = s.place';
/** Schedules that one look reads. */
const LOOK_MAX = 200;

/** A schedule as D1 has it. */
export interface KnownSchedule extends Omit<ScheduleDetail, 'schedule'> {
  /** UUID. */
  readonly workflow: string;
  /** Index of the trigger in the definition. */
  readonly place: number;
  /** Of the workflow. */
  readonly id: string;
  readonly version: string;
  readonly line: string;
  readonly isActive: boolean;
}

/** A schedule for which there is something to do. */
export interface ScheduleRow extends Omit<KnownSchedule, 'isActive'> {
  readonly next: number | null;
  readonly told: number;
  readonly running: string | null;
  /** The first tick that waits for the run before it to end. */
  readonly queued: number | null;
}

/** What became of a tick. */
export interface Ticked {
  /** When; undefined where nothing was started. */
  readonly ran?: number;
  readonly error?: TriggerState['error'];
}

type Plain<Row> = { [Member in keyof Row]: Row[Member] }; // An interface has no index signature.
type StoredRow = Plain<Omit<ScheduleRow, 'queued'>> & { readonly queued: number | null };

interface Before extends Plain<Omit<KnownSchedule, 'isActive'>> {
  readonly is_active: number;
  readonly next: number | null;
  readonly last: number | null;
  readonly [column: string]: SqlStorageValue;
}

const COMPARED = ['id', 'version', 'line', 'timezone', 'missed', 'overlap'] as const;

function isAsBefore(known: KnownSchedule, before: Before): boolean {
  const isSame = COMPARED.every((column) => known[column] === before[column]);
  return isSame && Number(known.isActive) === before.is_active;
}

export class ScheduleRows {
  readonly #sql: SqlStorage;
  #isOpen = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether there were schedules ever. */
  get isOpen(): boolean {
    this.#isOpen ||=
      this.#sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'meta'").toArray().length > 0;
    return this.#isOpen;
  }

  open(owner: Owner): void {
    this.#sql.exec(TABLES);
    this.#sql.exec("INSERT OR REPLACE INTO meta VALUES ('owner', ?)", JSON.stringify(owner));
  }

  owner(): Owner {
    const sql = "SELECT value FROM meta WHERE name = 'owner'";
    return JSON.parse(this.#sql.exec<{ value: string }>(sql).one().value) as Owner; // As `open` wrote it.
  }

  /**
   * Puts the schedules of the organization instead of those known.
   * @param nextOf the next tick of one that is new, changed or active again; `last` is the last tick that it had
   */
  replace(
    known: readonly KnownSchedule[],
    nextOf: (schedule: KnownSchedule, last: number | undefined) => number | undefined,
  ): void {
    const keys = JSON.stringify(known.map(({ workflow, place }) => `${workflow}:${place}`));
    for (const table of ['schedules', 'queue']) {
      const isGone = "workflow || ':' || place NOT IN (SELECT value FROM json_each(?))";
      this.#sql.exec(`DELETE FROM ${table} WHERE ${isGone}`, keys);
    }
    const before = new Map(
      this.#sql
        .exec<Before>(
          `SELECT workflow, place, id, version, line, timezone, missed, overlap, is_active, next, last
            FROM schedules`,
        )
        .toArray()
        .map((row) => [`${row.workflow}:${row.place}`, row] as const),
    );
    for (const each of known) {
      const row = before.get(`${each.workflow}:${each.place}`);
      if (!row || !isAsBefore(each, row)) this.#put(each, row, nextOf);
    }
  }

  #put(
    known: KnownSchedule,
    before: Before | undefined,
    nextOf: (schedule: KnownSchedule, last: number | undefined) => number | undefined,
  ): void {
    const { workflow, place, id, version, line, timezone, missed, overlap, isActive } = known;
    const isSame = before?.line === line && before.timezone === timezone;
    const goesOn = isActive && isSame && before.is_active === 1;
    const last = before?.is_active === 1 ? (before.last ?? undefined) : undefined;
    const next = goesOn ? before.next : isActive ? (nextOf(known, last) ?? null) : null;
    this.#sql.exec(
      `INSERT INTO schedules (workflow, place, id, version, line, timezone, missed, overlap, is_active, next)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET id = excluded.id, version = excluded.version, line = excluded.line,
          timezone = excluded.timezone, missed = excluded.missed, overlap = excluded.overlap,
          is_active = excluded.is_active, next = excluded.next`,
      ...[workflow, place, id, version, line, timezone, missed, overlap, Number(isActive), next],
    );
    if (!isActive || overlap !== 'queue') this.#dropQueue(workflow, place);
  }

  #dropQueue(workflow: string, place: number): void {
    this.#sql.exec('DELETE FROM queue WHERE workflow = ? AND place = ?', workflow, place);
  }

  /** Schedules whose time has come, and those with ticks that do not have to wait any more. */
  ready(now: number): ScheduleRow[] {
    const due = this.#sql
      .exec<StoredRow>(
        `SELECT ${COLUMNS}, NULL AS queued FROM schedules s WHERE s.next <= ? ORDER BY s.next LIMIT ?`,
        ...[now, LOOK_MAX],
      )
      .toArray();
    const waiting = this.#sql
      .exec<StoredRow>(
        // One step of the index for each schedule, however many of its ticks wait.
        `SELECT ${COLUMNS}, (SELECT min(q.tick) ${QUEUED}) AS queued FROM schedules s
          WHERE EXISTS (SELECT 1 FROM queue) AND s.running IS NULL AND s.is_active = 1
            AND EXISTS (SELECT 1 ${QUEUED}) LIMIT ?`,
        LOOK_MAX,
      )
      .toArray();
    return [...waiting, ...due];
  }

  /** The next time after `now` at which something comes. */
  nextAfter(now: number): number | undefined {
    const sql = 'SELECT min(next) AS next FROM schedules WHERE next > ?';
    return this.#sql.exec<{ next: number | null }>(sql, now).one().next ?? undefined;
  }

  /** Ticks that wait. */
  queued({ workflow, place }: ScheduleRow): number {
    const sql = 'SELECT count(*) AS count FROM queue WHERE workflow = ? AND place = ?';
    return this.#sql.exec<{ count: number }>(sql, workflow, place).one().count;
  }

  enqueue({ workflow, place }: ScheduleRow, tick: number): void {
    this.#sql.exec('INSERT OR IGNORE INTO queue VALUES (?, ?, ?)', workflow, place, tick);
  }

  dequeue({ workflow, place }: ScheduleRow, tick: number): void {
    const where = 'workflow = ? AND place = ? AND tick = ?';
    this.#sql.exec(`DELETE FROM queue WHERE ${where}`, workflow, place, tick);
  }

  /** Missed ticks before a time were told. */
  setTold({ workflow, place }: ScheduleRow, told: number): void {
    this.#sql.exec(
      'UPDATE schedules SET told = ? WHERE workflow = ? AND place = ?',
      told,
      workflow,
      place,
    );
  }

  /** A run is under way that later ticks heed. */
  setRunning({ workflow, place }: ScheduleRow, run: string): void {
    this.#sql.exec(
      'UPDATE schedules SET running = ? WHERE workflow = ? AND place = ?',
      run,
      workflow,
      place,
    );
  }

  /** That run has ended. */
  endRunning(workflow: string, place: number, run: string): void {
    const where = 'workflow = ? AND place = ? AND running = ?';
    this.#sql.exec(`UPDATE schedules SET running = NULL WHERE ${where}`, workflow, place, run);
  }

  /** A tick was dealt with, and the next is to come. What was changed in between stays as it is. */
  move(
    { workflow, place, next, version }: ScheduleRow,
    last: number,
    then: number | undefined,
  ): void {
    this.#sql.exec(
      `UPDATE schedules SET next = ?, last = max(coalesce(last, 0), ?)
        WHERE workflow = ? AND place = ? AND next = ? AND version = ?`,
      ...[then ?? null, last, workflow, place, next, version],
    );
  }

  note({ workflow, place }: ScheduleRow, { ran, error }: Ticked): void {
    this.#sql.exec(
      'UPDATE schedules SET ran = coalesce(?, ran), error = ? WHERE workflow = ? AND place = ?',
      ...[ran ?? null, error ? JSON.stringify(error) : null, workflow, place],
    );
  }

  states(workflow: string): TriggerState[] {
    const sql = `SELECT place, is_active, next, ran, error FROM schedules WHERE workflow = ? ORDER BY place`;
    type Row = {
      place: number;
      is_active: number;
      next: number | null;
      ran: number | null;
      error: string | null;
    };
    return this.#sql
      .exec<Row>(sql, workflow)
      .toArray()
      .map(({ place, is_active: isActive, next, ran, error }) => ({
        index: place,
        state: isActive === 0 ? 'paused' : error === null ? 'active' : 'failing',
        ...(ran === null ? {} : { last: ran }),
        ...(next === null ? {} : { next }),
        // As `note` wrote it.
        ...(error === null
          ? {}
          : { error: JSON.parse(error) as NonNullable<TriggerState['error']> }),
      }));
  }
}
