/**
 * Changes that are to start runs, on disk: in lanes; each holds those of one key for one
 * trigger in the order of their commits. The first of a lane is fired, the others wait behind it.
 */

/** A change that is to start a run. */
export interface NewPending {
  /** Names the lane among all of the object. */
  readonly lane: string;
  /** UUID. */
  readonly workflow: string;
  /** Of the trigger. */
  readonly index: number;
  /** Our own receipt of the change. */
  readonly id: string;
  /** Of its commit, in Unix epoch milliseconds. */
  readonly time: number;
  /** `$`, sealed. */
  readonly sealed: Uint8Array;
}

/** The first change of a lane. */
export interface LaneHead {
  readonly lane: string;
  readonly workflow: string;
  readonly index: number;
  readonly seq: number;
  readonly id: string;
  readonly time: number;
  readonly bytes: number;
  /** Times that firing it has failed. */
  readonly tries: number;
}

/** A lane whose first change has started a run that has not ended: those behind it wait for that. */
export interface BlockedLane {
  readonly lane: string;
  readonly seq: number;
  readonly run: string;
  /** Times that it was asked for. */
  readonly tries: number;
}

/** Bytes of one part of a body; a value may have 2 MB. */
const PART = 1024 * 1024;
/** Milliseconds within which starts of one key are counted. Spec: workflows.md §5 */
const COUNTED_MS = 60_000;
/** Milliseconds beyond which nothing is put off. */
const PUT_OFF_MAX_MS = 120_000;

type HeadRow = Record<string, SqlStorageValue> & Omit<LaneHead, 'index'> & { readonly idx: number };

/** How much a lane holds, and whether its first change may be fired. */
interface LaneContent {
  changes: number;
  isReady: boolean;
}

export class Lanes {
  readonly #sql: SqlStorage;
  /** Counted once, and kept up: counting again for each batch and each run would take longer the more there is. */
  #counts:
    | { bytes: number; ready: number; all: number; lanes: Map<string, LaneContent> }
    | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Puts a change at the end of its lane; one that is there already changes nothing. */
  add({ lane, workflow, index, id, time, sealed }: NewPending): void {
    const [row] = this.#sql
      .exec<{ seq: number }>(
        'INSERT OR IGNORE INTO pending (lane, id, time, bytes) VALUES (?, ?, ?, ?) RETURNING seq',
        lane,
        id,
        time,
        sealed.byteLength,
      )
      .toArray();
    if (!row) return;
    this.#count(lane, 1, sealed.byteLength);
    for (let part = 0; part * PART < sealed.byteLength; part += 1) {
      const bytes = sealed.slice(part * PART, (part + 1) * PART);
      this.#sql.exec('INSERT INTO bodies VALUES (?, ?, ?)', row.seq, part, bytes.buffer);
    }
    this.#sql.exec(
      'INSERT OR IGNORE INTO lanes (lane, workflow, idx, head) VALUES (?, ?, ?, ?)',
      lane,
      workflow,
      index,
      row.seq,
    );
  }

  /** First changes that may be fired now, the oldest first. */
  due(now: number, limit: number): LaneHead[] {
    return this.#sql
      .exec<HeadRow>(
        `SELECT l.lane, l.workflow, l.idx, l.tries, p.seq, p.id, p.time, p.bytes
          FROM lanes l JOIN pending p ON p.seq = l.head
          WHERE l.run IS NULL AND l.at <= ? ORDER BY l.at, l.head LIMIT ?`,
        now,
        limit,
      )
      .toArray()
      .map(({ idx, ...head }) => ({ ...head, index: idx }));
  }

  /** When the next lane that was put off is due; undefined where none is. */
  nextAt(now: number): number | undefined {
    const [row] = this.#sql
      .exec<{ at: number | null }>('SELECT min(at) AS at FROM lanes WHERE at > ?', now)
      .toArray();
    return row?.at ?? undefined;
  }

  /** Lanes that wait for the end of a run, which is to be asked for now. */
  waiting(now: number, limit: number): BlockedLane[] {
    type Row = Record<string, SqlStorageValue> & BlockedLane;
    return this.#sql
      .exec<Row>(
        `SELECT lane, head AS seq, run, tries FROM lanes
          WHERE run IS NOT NULL AND at <= ? ORDER BY at, head LIMIT ?`,
        now,
        limit,
      )
      .toArray();
  }

  /** The body of a change, sealed. */
  bodyOf(seq: number): Uint8Array {
    const parts = this.#sql
      .exec<{ bytes: ArrayBuffer }>('SELECT bytes FROM bodies WHERE seq = ? ORDER BY part', seq)
      .toArray()
      .map(({ bytes }) => new Uint8Array(bytes));
    const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.byteLength;
    }
    return whole;
  }

  /** The first change of a lane is done with: the next takes its place. */
  done(lane: string, seq: number): void {
    this.#sql.exec('DELETE FROM bodies WHERE seq = ?', seq);
    const gone = this.#sql
      .exec<{ bytes: number }>('DELETE FROM pending WHERE seq = ? RETURNING bytes', seq)
      .toArray();
    for (const { bytes } of gone) this.#count(lane, -1, -bytes);
    this.#setReady(lane, true);
    const [next] = this.#sql
      .exec<{ seq: number }>('SELECT seq FROM pending WHERE lane = ? ORDER BY seq LIMIT 1', lane)
      .toArray();
    if (!next) this.#sql.exec('DELETE FROM lanes WHERE lane = ?', lane);
    else {
      const set = 'head = ?, at = 0, tries = 0, run = NULL';
      this.#sql.exec(`UPDATE lanes SET ${set} WHERE lane = ?`, next.seq, lane);
    }
  }

  /** Those behind the first change of a lane wait for the end of a run. */
  waitFor(lane: string, run: string): void {
    this.#sql.exec('UPDATE lanes SET run = ?, at = 0, tries = 0 WHERE lane = ?', run, lane);
    this.#setReady(lane, false);
  }

  /** Firing the first change of a lane has failed, or the run that it started goes on. @param at when that is looked at again */
  putOff(lane: string, at: number): void {
    this.#sql.exec('UPDATE lanes SET tries = tries + 1, at = ? WHERE lane = ?', at, lane);
    this.#setReady(lane, at <= 0);
  }

  /** Whether the first change of any of a trigger's lanes could not be fired, and is tried again. */
  isRetried(workflow: string, index: number): boolean {
    const where = 'workflow = ? AND idx = ? AND run IS NULL AND tries > 0';
    return (
      this.#sql.exec(`SELECT 1 FROM lanes WHERE ${where} LIMIT 1`, workflow, index).toArray()
        .length > 0
    );
  }

  /** The trigger of the lane that holds most, and how many changes; undefined where none waits for the end of a run. */
  longest(): { readonly workflow: string; readonly index: number; readonly n: number } | undefined {
    const [row] = this.#sql
      .exec<{ workflow: string; idx: number; n: number }>(
        `SELECT l.workflow, l.idx, count(*) AS n FROM lanes l JOIN pending p ON p.lane = l.lane
          WHERE l.run IS NOT NULL GROUP BY l.lane ORDER BY n DESC LIMIT 1`,
      )
      .toArray();
    return row && { workflow: row.workflow, index: row.idx, n: row.n };
  }

  /** Forgets the changes of a trigger, but those whose runs are waited for. */
  dropTrigger(workflow: string, index: number): void {
    this.#drop('workflow = ? AND idx = ?', workflow, index);
  }

  /** Forgets the changes of all triggers but these. @param names `workflow:index` of each */
  dropOthers(names: readonly string[]): void {
    const named = "workflow || ':' || idx IN (SELECT value FROM json_each(?))";
    this.#drop(`NOT (${named})`, JSON.stringify(names));
  }

  /** Forgets everything that waits. */
  clear(): void {
    for (const table of ['bodies', 'pending', 'lanes', 'starts']) {
      this.#sql.exec(`DELETE FROM ${table}`);
    }
    this.recount();
  }

  #drop(where: string, ...values: readonly SqlStorageValue[]): void {
    const seqs = `SELECT p.seq FROM lanes l JOIN pending p ON p.lane = l.lane
      WHERE (l.run IS NULL OR p.seq <> l.head) AND ${where}`;
    this.#sql.exec(`DELETE FROM bodies WHERE seq IN (${seqs})`, ...values);
    this.#sql.exec(`DELETE FROM pending WHERE seq IN (${seqs})`, ...values);
    this.#sql.exec(`DELETE FROM lanes WHERE run IS NULL AND ${where}`, ...values);
    this.recount();
  }

  /** How much there is: what may be fired, and all of it with what waits for runs to end. */
  sizes(): { readonly ready: number; readonly all: number; readonly bytes: number } {
    const { ready, all, bytes } = this.#counted();
    return { ready, all, bytes };
  }

  /** Counts again what there is: what was written may have been undone. */
  recount(): void {
    this.#counts = undefined;
  }

  #counted() {
    if (this.#counts) return this.#counts;
    const rows = this.#sql
      .exec<{ lane: string; n: number; bytes: number; free: number }>(
        `SELECT l.lane, count(*) AS n, sum(p.bytes) AS bytes, l.run IS NULL AND l.at <= 0 AS free
          FROM lanes l JOIN pending p ON p.lane = l.lane GROUP BY l.lane`,
      )
      .toArray();
    this.#counts = {
      bytes: rows.reduce((sum, each) => sum + each.bytes, 0),
      all: rows.reduce((sum, each) => sum + each.n, 0),
      ready: rows.reduce((sum, each) => sum + (each.free ? each.n : 0), 0),
      lanes: new Map(rows.map(({ lane, n, free }) => [lane, { changes: n, isReady: free === 1 }])),
    };
    return this.#counts;
  }

  #count(lane: string, changes: number, bytes: number): void {
    const counts = this.#counts;
    if (counts === undefined) return;
    const held = counts.lanes.get(lane) ?? { changes: 0, isReady: true };
    held.changes += changes;
    counts.all += changes;
    counts.bytes += bytes;
    if (held.isReady) counts.ready += changes;
    if (held.changes > 0) counts.lanes.set(lane, held);
    else counts.lanes.delete(lane);
  }

  #setReady(lane: string, isReady: boolean): void {
    const held = this.#counts?.lanes.get(lane);
    if (this.#counts === undefined || held === undefined || held.isReady === isReady) return;
    held.isReady = isReady;
    this.#counts.ready += isReady ? held.changes : -held.changes;
  }

  /** Runs that a key has started within a minute of its commit, and within the last minute. */
  startsOf({ lane, time }: Pick<LaneHead, 'lane' | 'time'>, now: number): number {
    const [row] = this.#sql
      .exec<{ n: number }>(
        'SELECT count(*) AS n FROM starts WHERE lane = ? AND time > ? AND stored > ?',
        lane,
        time - COUNTED_MS,
        now - COUNTED_MS,
      )
      .toArray();
    return row?.n ?? 0;
  }

  /** Counts a run that a key has started. */
  started({ lane, time }: Pick<LaneHead, 'lane' | 'time'>, now: number): void {
    this.#sql.exec('INSERT INTO starts VALUES (?, ?, ?)', lane, time, now);
  }

  /** Forgets starts that count no more. Where the clock was put back, what was put off until long after now is due. */
  sweep(now: number): void {
    this.#sql.exec('DELETE FROM starts WHERE stored < ?', now - COUNTED_MS);
    this.#sql.exec('UPDATE lanes SET at = 0 WHERE at > ?', now + PUT_OFF_MAX_MS);
    this.recount();
  }
}
