/** What the object knows besides the changes that wait: whose it is, where it is in the log, the state of its triggers. */
import type { NewEvent } from '../events/object.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';
import type { BeginningMarks } from './beginning-marks.ts';
import type { ChangesOwner, WatchedCollection } from './object.ts';
import type { KeptEndpoint } from './store.ts';
import { TABLES } from './tables.ts';

/** Where the object is in what the backend keeps. */
export interface StreamPosition {
  /** After which changes are told; empty where the backend has none. */
  readonly position: string;
  /** Changes when what was between may be lost: a receipt from before is none of after. */
  readonly generation: string;
  /** Collections that the backend keeps changes of. */
  readonly collections: readonly WatchedCollection[];
}

/** Why a trigger does not do what it should. */
export interface TriggerError {
  readonly code: string;
  readonly message: string;
}

/** A backend that still keeps changes which nobody wants. */
export interface Drop {
  readonly id: number;
  readonly endpoint: KeptEndpoint;
  readonly tries: number;
  readonly at: number;
  /** When it is given up. */
  readonly until: number;
}

interface TriggerRow extends Record<string, SqlStorageValue> {
  readonly idx: number;
  readonly paused: number;
  readonly last: number | null;
  /** What only a change mends, and what passes by itself; JSON texts. */
  readonly error: string | null;
  readonly trouble: string | null;
}

/** Values of `meta`, each as JSON. */
interface Meta {
  readonly owner: ChangesOwner;
  readonly endpoint: KeptEndpoint;
  readonly place: StreamPosition;
  /** Whether the backend may keep anything for the endpoint. */
  readonly made: true;
  /** Until when what was made ready is not dropped although nothing stored needs it, in Unix epoch milliseconds. */
  readonly heldUntil: number;
  /** The endpoint as it was where it may have reached another database: that keeps changes, too. */
  readonly left: KeptEndpoint;
  /** Since when the backend keeps too much of its log. */
  readonly degradedAt: number;
  readonly begun: BeginningMarks;
}

export class ChangesStore {
  readonly #sql: SqlStorage;
  #isOpen = false;
  #owner: ChangesOwner | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether anything was ever kept here. */
  get isOpen(): boolean {
    this.#isOpen ||=
      this.#sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'meta'").toArray().length > 0;
    return this.#isOpen;
  }

  open(owner: ChangesOwner): void {
    if (!this.isOpen) {
      this.#sql.exec(TABLES);
      // What was known before everything was removed is on disk no more.
      this.#owner = undefined;
    }
    if (JSON.stringify(this.#owner) === JSON.stringify(owner)) return;
    this.#owner = owner;
    this.set('owner', owner);
  }

  /** Whose object it is; undefined where it was never opened. */
  owner(): ChangesOwner | undefined {
    if (this.isOpen) this.#owner ??= this.get('owner');
    return this.#owner;
  }

  /** Everything was removed. */
  forget(): void {
    this.#isOpen = false;
  }

  get<Name extends keyof Meta>(name: Name): Meta[Name] | undefined {
    const [row] = this.#sql
      .exec<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)
      .toArray();
    return row && (JSON.parse(row.value) as Meta[Name]); // As `set` wrote it.
  }

  set<Name extends keyof Meta>(name: Name, value: Meta[Name] | undefined): void {
    if (value === undefined) this.#sql.exec('DELETE FROM meta WHERE name = ?', name);
    else this.#sql.exec('INSERT OR REPLACE INTO meta VALUES (?, ?)', name, JSON.stringify(value));
  }

  /** Moves on where changes are told after. */
  move(place: StreamPosition, position: string): void {
    if (position !== '') this.set('place', { ...place, position });
  }

  /** Indexes of the triggers of a workflow that were paused for starting too much. */
  pausedOf(workflow: string): number[] {
    return this.#sql
      .exec<{ idx: number }>('SELECT idx FROM triggers WHERE workflow = ? AND paused = 1', workflow)
      .toArray()
      .map(({ idx }) => idx);
  }

  /** The state of the triggers of a workflow. */
  statesOf(workflow: string): TriggerState[] {
    return this.#sql
      .exec<TriggerRow>(
        'SELECT idx, paused, last, error, trouble FROM triggers WHERE workflow = ? ORDER BY idx',
        workflow,
      )
      .toArray()
      .map(({ idx, paused, last, error, trouble }) => {
        const told = error ?? trouble;
        return {
          index: idx,
          state: paused ? 'paused' : told === null ? 'active' : 'failing',
          ...(last === null ? {} : { last }),
          ...(told === null ? {} : { error: JSON.parse(told) as TriggerError }), // As `fail` wrote it.
        };
      });
  }

  /** Keeps exactly these triggers; how those are that are there already stays. */
  keepTriggers(triggers: readonly { readonly workflow: string; readonly index: number }[]): void {
    const names = JSON.stringify(triggers.map(({ workflow, index }) => `${workflow}:${index}`));
    const named = "workflow || ':' || idx IN (SELECT value FROM json_each(?))";
    this.#sql.exec(`DELETE FROM triggers WHERE NOT (${named})`, names);
    for (const { workflow, index } of triggers) {
      this.#sql.exec(
        'INSERT OR IGNORE INTO triggers (workflow, idx) VALUES (?, ?)',
        workflow,
        index,
      );
    }
  }

  isPaused(workflow: string, index: number): boolean {
    const where = 'workflow = ? AND idx = ? AND paused = 1';
    return (
      this.#sql.exec(`SELECT 1 FROM triggers WHERE ${where}`, workflow, index).toArray().length > 0
    );
  }

  /** @param error why @returns false where it is already, or is none any more */
  pause(workflow: string, index: number, error: TriggerError): boolean {
    return (
      this.#sql
        .exec(
          'UPDATE triggers SET paused = 1, error = ? WHERE workflow = ? AND idx = ? AND paused = 0 RETURNING 1',
          JSON.stringify(error),
          workflow,
          index,
        )
        .toArray().length > 0
    );
  }

  /** Lets all triggers of a workflow begin again. */
  resume(workflow: string): void {
    const set = 'paused = 0, error = NULL';
    this.#sql.exec(`UPDATE triggers SET ${set} WHERE workflow = ? AND paused = 1`, workflow);
  }

  /** Notes why a trigger does not do what it should; undefined that it does. One that is paused keeps its reason. @returns whether that is new */
  fail(workflow: string, index: number, error: TriggerError | undefined): boolean {
    const text = error === undefined ? null : JSON.stringify(error);
    return (
      this.#sql
        .exec(
          `UPDATE triggers SET error = ? WHERE workflow = ? AND idx = ? AND paused = 0
            AND error IS NOT ? RETURNING 1`,
          text,
          workflow,
          index,
          text,
        )
        .toArray().length > 0
    );
  }

  /** Forgets why a trigger failed, where it was one of those codes. */
  clear(workflow: string, index: number, codes: readonly string[]): void {
    this.#sql.exec(
      `UPDATE triggers SET error = NULL WHERE workflow = ? AND idx = ? AND paused = 0
        AND error ->> 'code' IN (SELECT value FROM json_each(?))`,
      workflow,
      index,
      JSON.stringify(codes),
    );
  }

  /** Notes what keeps a trigger from its changes for now; undefined that nothing does. */
  trouble(workflow: string, index: number, error: TriggerError | undefined): void {
    const text = error === undefined ? null : JSON.stringify(error);
    const where = 'workflow = ? AND idx = ? AND trouble IS NOT ?';
    this.#sql.exec(`UPDATE triggers SET trouble = ? WHERE ${where}`, text, workflow, index, text);
  }

  /** A trigger has started a run. */
  started(workflow: string, index: number, now: number): void {
    this.#sql.exec(
      'UPDATE triggers SET last = ? WHERE workflow = ? AND idx = ?',
      now,
      workflow,
      index,
    );
  }

  /** An event that the organization's log is to be told. */
  tell({ id, event, time, data }: Omit<NewEvent, 'source'>): void {
    this.#sql.exec('INSERT OR IGNORE INTO tells VALUES (?, ?, ?, ?)', id, event, time, data);
  }

  /** Events that are not told yet. */
  tells(): NewEvent[] {
    type Row = Record<string, SqlStorageValue> & Omit<NewEvent, 'source'>;
    return this.#sql
      .exec<Row>('SELECT id, event, time, data FROM tells LIMIT 100')
      .toArray()
      .map((row) => ({ source: 'causeway', ...row }));
  }

  told(events: readonly NewEvent[]): void {
    const ids = JSON.stringify(events.map(({ id }) => id));
    this.#sql.exec('DELETE FROM tells WHERE id IN (SELECT value FROM json_each(?))', ids);
  }

  /** Whether nothing is left to be done but what triggers ask for. */
  isIdle(): boolean {
    return !this.get('made') && this.drops().length === 0 && this.tells().length === 0;
  }

  /** A backend is to forget what it keeps. @param own whether the endpoint reaches it now @param until when that is given up */
  addDrop(endpoint: KeptEndpoint, own: boolean, until: number): void {
    this.#sql.exec(
      'INSERT INTO drops (endpoint, own, until) VALUES (?, ?, ?)',
      JSON.stringify(endpoint),
      own ? 1 : 0,
      until,
    );
  }

  /** The endpoint may reach another database from now on. One that it was never followed at keeps nothing. @param before how it was */
  leave(before: KeptEndpoint): void {
    if (this.get('left') === undefined) this.set('left', before);
  }

  /** Nobody watches any more: backends are to forget what they keep. @param until when that is given up */
  abandon(until: number): void {
    const [endpoint, left] = [this.get('endpoint'), this.get('left')];
    if (this.get('made') && endpoint) this.addDrop(endpoint, true, until);
    if (left) this.addDrop(left, false, until);
    for (const name of ['made', 'place', 'left'] as const) this.set(name, undefined);
  }

  /** What the endpoint's backend keeps is wanted again. */
  keepOwn(): void {
    this.#sql.exec('DELETE FROM drops WHERE own = 1');
  }

  drops(): Drop[] {
    type Row = Record<string, SqlStorageValue> & Omit<Drop, 'endpoint'> & { endpoint: string };
    return this.#sql
      .exec<Row>('SELECT id, endpoint, tries, at, until FROM drops ORDER BY at LIMIT 10')
      .toArray()
      .map(({ endpoint, ...row }) => ({ ...row, endpoint: JSON.parse(endpoint) as KeptEndpoint })); // As `addDrop` wrote it.
  }

  dropped(id: number): void {
    this.#sql.exec('DELETE FROM drops WHERE id = ?', id);
  }

  /** It could not be dropped. @param at when it is tried again */
  dropAgain(id: number, at: number): void {
    this.#sql.exec('UPDATE drops SET tries = tries + 1, at = ? WHERE id = ?', at, id);
  }
}
