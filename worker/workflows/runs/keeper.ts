/** What one object keeps: its runs, their values and definitions, and the transitions that change them. */
import type { Bindings } from '../../context.ts';
import { publicUrl } from '../../public-url.ts';
import { settingsOf } from '../../settings.ts';
import type { Workflow } from '../definition/tree.ts';
import type { Node, Ref, Run } from '../engine/journal.ts';
import { newTurn, type Turn } from '../engine/turn.ts';
import { digestNow } from './digest.ts';
import type { Retrier, RunHead } from './head.ts';
import { Identity } from './identity.ts';
import { type RunRow, SqlJournal, type Transition } from './journal.ts';
import { leadsNowhere } from './leads-nowhere.ts';
import { selectNode } from './node-rows.ts';
import type { Owner } from './object.ts';
import { lastRun, selectRun, setRetrier } from './run-rows.ts';
import { valueName } from './run-values.ts';
import type { Vault } from './vault.ts';
import type { Beforehand } from './when-parsed.ts';

/** What a transition answered, and what follows from it. */
export interface Turned<Value> extends Transition {
  readonly value: Value;
  /** As it is now. */
  readonly row: RunRow;
  readonly isWritten: boolean;
  /** Steps that it took. */
  readonly steps: number;
}

export class Keeper {
  readonly #storage: DurableObjectStorage;
  readonly #env: Bindings;
  readonly #identity: Identity;
  /** Names of definitions that are known to be kept here: worker/workflows/runs/definitions.ts. */
  readonly definitions = new Set<string>();
  /** What is in memory of runs that are under way, by their numbers. */
  readonly #journals = new Map<number, SqlJournal>();
  /** Their numbers, by their ids. */
  readonly #numbers = new Map<string, number>();
  /** Those with something that is not written yet. */
  readonly #unwritten = new Set<number>();
  readonly #held = new Set<number>();
  #lastRun: number | undefined;

  constructor(storage: DurableObjectStorage, env: Bindings, name: string) {
    this.#storage = storage;
    this.#env = env;
    this.#identity = new Identity(storage.sql, env, name);
  }

  get sql(): SqlStorage {
    return this.#storage.sql;
  }

  /** Of the object. */
  get name(): string {
    return this.#identity.name;
  }

  /** @throws Error before `open` */
  get vault(): Vault {
    return this.#identity.vault;
  }

  /** @throws Error before `open` */
  get owner(): Owner {
    return this.#identity.owner;
  }

  /**
   * Opens what seals the object's values; the first time it is made. Answers whether there is anything.
   * @param owner whose object it is, where the caller knows
   */
  open(owner?: Owner): Promise<boolean> {
    return this.#identity.open(owner);
  }

  /** A run as it is now, by its id; it is written then. */
  find(id: string): RunRow | undefined {
    const run = this.#numbers.get(id);
    if (run !== undefined) this.write(run);
    return this.peek(id);
  }

  /** A run as it is now, by its id, written or not. */
  peek(id: string): RunRow | undefined {
    const run = this.#numbers.get(id);
    return run === undefined ? selectRun(this.sql, 'id = ?', id) : this.at(run);
  }

  /** A run as it is now, by its number, written or not. */
  at(run: number): RunRow | undefined {
    const row = this.#journals.get(run)?.row;
    return row ? { ...row, body: { ...row.body } } : selectRun(this.sql, 'run = ?', run);
  }

  /** The workflow and the owner of a run. */
  headOf(run: number): RunHead | undefined {
    return (this.#journals.get(run)?.row ?? selectRun(this.sql, 'run = ?', run))?.head;
  }

  /** A node of a run as it is now, to be looked at. */
  nodeAt(run: number, path: string): Node | undefined {
    const journal = this.#journals.get(run);
    return journal ? journal.node(path) : selectNode(this.sql, run, path);
  }

  /** A text of a run, written or not. */
  text(run: number, ref: Ref): string {
    return this.#journals.get(run)?.text(ref) ?? this.vault.text(run, ref);
  }

  /** The name of a value of a run, in memory. */
  valueName(run: number, ref: Ref): string {
    return valueName(this.at(run)?.id ?? '', ref);
  }

  /** The number of a run that will be. */
  next(): number {
    this.#lastRun = (this.#lastRun ?? lastRun(this.sql)) + 1;
    return this.#lastRun;
  }

  /** Adds a run that begins with the next transition, and is written then or later. @param input undefined where it is written already */
  add(run: number, id: string, head: RunHead, body: Omit<Run, 'input'>, input?: string): void {
    const row: RunRow = { run, id, head, body: { ...body, input: 0 }, seq: 0 };
    row.body.input = this.#remember(row, true).keep(input);
  }

  #remember(row: RunRow, isNew: boolean): SqlJournal {
    const { orgUuid, orgId, workflow: of } = row.head;
    const outside = {
      baseUrl: `${publicUrl(settingsOf(this.#env)) ?? ''}/hooks/${orgId}/-/`,
      keyOf: (action: string, value: string) =>
        digestNow(JSON.stringify([orgUuid, of.uuid, action, value])),
    };
    const journal = new SqlJournal(this.sql, this.vault, row, outside, isNew);
    this.#journals.set(row.run, journal);
    this.#numbers.set(row.id, row.run);
    return journal;
  }

  /** What is in memory of a run, or is from now on. */
  #journalOf(run: number): SqlJournal | undefined {
    const known = this.#journals.get(run);
    if (known) return known;
    const row = selectRun(this.sql, 'run = ?', run);
    return row && this.#remember(row, false);
  }

  /** Who retries a run that has ended: kept with what it is. */
  retriedBy(run: number, by: Retrier): void {
    setRetrier(this.sql, run, by);
    this.forget(run);
  }

  /** A run is read again when it is asked for. */
  forget(run: number): void {
    const id = this.#journals.get(run)?.row.id;
    this.#journals.delete(run);
    this.#unwritten.delete(run);
    if (id !== undefined) this.#numbers.delete(id);
  }

  /** Takes back what was not written; a run that was not written at all is as before its first transition. */
  reset(run: number): void {
    const journal = this.#journals.get(run);
    if (!journal) return;
    const { row, isNew } = journal;
    const input = isNew ? journal.text(row.body.input) : '';
    this.forget(run);
    if (!isNew) return;
    const absent = { stop: undefined, output: undefined, error: undefined, last: undefined };
    const counts = { inFlight: 0, order: 0, endedAt: 0, closing: false, finishing: undefined };
    Object.assign(row.body, { looked: undefined, stops: undefined, joined: undefined });
    const body: Run = { ...row.body, ...absent, ...counts, status: 'running', undoing: 'no' };
    const again = this.#remember({ ...row, body, seq: 0 }, true);
    again.row.body.input = again.keep(input);
  }

  /**
   * One transition of a run, as one transaction.
   * @param mayWait whether it may be written with a later one, where it leads to nothing outside
   * @param beforehand what was parsed for it: without it, and after what is not written yet, it parses what it reads
   * @throws what the work throws: `reset` or `forget` come next
   */
  turn<Value>(
    run: number,
    workflow: Workflow,
    work: (turn: Turn, journal: SqlJournal) => Value,
    mayWait = false,
    beforehand?: Beforehand,
  ): Turned<Value> {
    const journal = this.#journalOf(run);
    if (!journal) throw new Error(`There is no run ${run}`);
    journal.prepare(this.#unwritten.has(run) ? undefined : beforehand);
    try {
      return this.#storage.transactionSync(() => this.#turn(journal, workflow, work, mayWait));
    } finally {
      journal.prepare(undefined);
    }
  }

  #turn<Value>(
    journal: SqlJournal,
    workflow: Workflow,
    work: (turn: Turn, journal: SqlJournal) => Value,
    mayWait: boolean,
  ): Turned<Value> {
    const { fuel, depth, output_bytes: outputBytes } = settingsOf(this.#env).TEMPLATE_BUDGETS;
    const { row } = journal;
    const now = Date.now();
    const bounds = { fuel, depth, outputBytes };
    const turn = newTurn({ workflow, journal, run: row.body, now, bounds });
    const value = work(turn, journal);
    const asked = journal.takeAsked();
    const isWritten = !(mayWait && !journal.mustWrite && leadsNowhere(workflow, journal, asked));
    if (isWritten) this.#write(journal);
    else this.#unwritten.add(row.run);
    return { value, row, isWritten, steps: turn.spent.steps, ...asked };
  }

  #write(journal: SqlJournal): void {
    journal.write();
    const { run, body } = journal.row;
    this.#unwritten.delete(run);
    // A run that waits takes no memory.
    if (!this.#held.has(run) && (body.inFlight === 0 || body.endedAt !== 0)) this.forget(run);
  }

  /** Writes what is due far off of runs that have been under way for a while. */
  writeDues(): void {
    for (const journal of this.#journals.values()) if (!journal.isNew) journal.writeDues();
  }

  /** Keeps a run in memory although it waits or has ended, until `release`. */
  hold(run: number): void {
    this.#held.add(run);
  }

  /** Forgets a run that could not begin. */
  drop(run: number): void {
    this.#held.delete(run);
    this.forget(run);
  }

  /** A run, by its id, takes no more memory than others. */
  release(id: string): void {
    const run = this.#numbers.get(id);
    if (run === undefined) return;
    this.#held.delete(run);
    const body = this.#journals.get(run)?.row.body;
    const isIdle = body?.inFlight === 0 || body?.endedAt !== 0;
    if (isIdle && !this.#unwritten.has(run)) this.forget(run);
  }

  /** All nodes of a run in the order of their starts, where they are in memory. */
  nodesOf(run: number): readonly Node[] | undefined {
    return this.#journals.get(run)?.nodes;
  }

  /** Writes what was not written yet of a run. */
  write(run: number): void {
    const journal = this.#unwritten.has(run) ? this.#journals.get(run) : undefined;
    if (journal) this.#storage.transactionSync(() => this.#write(journal));
  }

  /** Writes what was not written yet of any run. */
  writeAll(): void {
    for (const run of [...this.#unwritten]) this.write(run);
  }

  /** UUIDs of the endpoints that a run's values come from. */
  reachedOf(run: number): string[] {
    const known = this.#journals.get(run)?.reached;
    if (known) return [...known];
    const sql = 'SELECT endpoint FROM reached WHERE run = ?';
    return this.sql
      .exec<{ endpoint: string }>(sql, run)
      .toArray()
      .map(({ endpoint }) => endpoint);
  }

  /** Whether runs of a workflow may begin no more. */
  isClosed(workflow: string): boolean {
    return this.sql.exec('SELECT 1 FROM closed WHERE workflow = ?', workflow).toArray().length > 0;
  }

  /** Lets no run of a workflow begin any more. Answers those that have not ended. */
  close(workflow: string): { readonly id: string }[] {
    this.sql.exec('INSERT OR IGNORE INTO closed VALUES (?)', workflow);
    return this.sql
      .exec<{ id: string }>(
        `SELECT id FROM runs WHERE status NOT IN ('succeeded', 'failed', 'cancelled')
          AND json_extract(head, '$.workflow.uuid') = ?`,
        workflow,
      )
      .toArray();
  }
}
