/** What one object keeps: its runs, their values and definitions, and the transitions that change them. */
import type { Bindings } from '../../context.ts';
import { publicUrl } from '../../public-url.ts';
import { sealBytes, unsealBytes } from '../../secrets/seal.ts';
import { settingsOf } from '../../settings.ts';
import type { Workflow } from '../definition/tree.ts';
import type { Run } from '../engine/journal.ts';
import type { Turn } from '../engine/turn.ts';
import { digestNow } from './digest.ts';
import type { Call, Head, RunEffect } from './head.ts';
import { type RunRow, SqlJournal } from './journal.ts';
import type { Owner } from './object.ts';
import { createTables } from './tables.ts';
import { Vault } from './vault.ts';

/** What a transition answered, and what follows from it. */
export interface Turned<Value> {
  readonly value: Value;
  readonly row: RunRow;
  readonly calls: readonly Call[];
  readonly hasEffects: boolean;
  /** Unix epoch milliseconds of the earliest time that became due. */
  readonly earliest: number;
}

interface RunColumns extends Record<string, SqlStorageValue> {
  readonly run: number;
  readonly id: string;
  readonly head: string;
  readonly body: string;
  readonly seq: number;
}

export class Keeper {
  readonly #storage: DurableObjectStorage;
  readonly #env: Bindings;
  /** Of the object. */
  readonly name: string;
  #opening: Promise<Vault> | undefined;
  #vault: Vault | undefined;
  #owner: Owner | undefined;

  constructor(storage: DurableObjectStorage, env: Bindings, name: string) {
    this.#storage = storage;
    this.#env = env;
    this.name = name;
  }

  get sql(): SqlStorage {
    return this.#storage.sql;
  }

  /** @throws Error before `open` */
  get vault(): Vault {
    if (!this.#vault) throw new Error('The object is not open');
    return this.#vault;
  }

  /** @throws Error before `open` */
  get owner(): Owner {
    if (!this.#owner) throw new Error('The object is not open');
    return this.#owner;
  }

  /** Whether anything was ever kept here. */
  get isNew(): boolean {
    const tables = this.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'meta'").toArray();
    return tables.length === 0;
  }

  /**
   * Opens what seals the object's values; the first time it is made. Answers whether there is anything.
   * @param owner whose object it is, where the caller knows
   */
  async open(owner?: Owner): Promise<boolean> {
    if (this.#vault) {
      if (owner && owner.sealedDataKey !== this.#owner?.sealedDataKey) this.#remember(owner);
      return true;
    }
    if (this.isNew && !owner) return false;
    this.#opening ??= this.#open(owner).finally(() => {
      this.#opening = undefined;
    });
    this.#vault = await this.#opening;
    return true;
  }

  async #open(owner: Owner | undefined): Promise<Vault> {
    createTables(this.sql);
    const known = this.#meta('owner');
    const own = owner ?? (known && (JSON.parse(new TextDecoder().decode(known)) as Owner));
    if (!own) throw new Error('Nobody says whose object it is');
    const { orgUuid, sealedDataKey } = own;
    const purpose = `workflow-runs:${this.name}`;
    const sealing = { settings: settingsOf(this.#env), orgUuid, sealedDataKey, purpose };
    const sealed = this.#meta('key');
    const key = sealed
      ? await unsealBytes(sealing, sealed)
      : crypto.getRandomValues(new Uint8Array(32));
    if (!sealed) this.#setMeta('key', await sealBytes(sealing, key));
    if (owner || !known) this.#remember(own);
    else this.#owner = own;
    return new Vault(this.sql, key, this.name);
  }

  #remember({ orgUuid, orgId, sealedDataKey }: Owner): void {
    this.#owner = { orgUuid, orgId, sealedDataKey };
    this.#setMeta('owner', new TextEncoder().encode(JSON.stringify(this.#owner)));
  }

  #meta(name: string): Uint8Array | undefined {
    const [row] = this.sql
      .exec<{ value: ArrayBuffer }>('SELECT value FROM meta WHERE name = ?', name)
      .toArray();
    return row && new Uint8Array(row.value);
  }

  #setMeta(name: string, value: Uint8Array): void {
    this.sql.exec('INSERT OR REPLACE INTO meta VALUES (?, ?)', name, new Uint8Array(value).buffer);
  }

  /** A run that is kept here, by its id. */
  find(id: string): RunRow | undefined {
    return this.#select('id = ?', id);
  }

  /** A run that is kept here, by its number. */
  at(run: number): RunRow | undefined {
    return this.#select('run = ?', run);
  }

  #select(where: string, bound: string | number): RunRow | undefined {
    const [row] = this.sql
      .exec<RunColumns>(`SELECT run, id, head, body, seq FROM runs WHERE ${where}`, bound)
      .toArray();
    if (!row) return undefined;
    return {
      run: row.run,
      id: row.id,
      head: JSON.parse(row.head) as Head,
      body: bodyOf(row.body),
      seq: row.seq,
    };
  }

  /** Adds a run, without beginning it. Its input's ref is set then. */
  insert(id: string, head: Head, body: Omit<Run, 'input'>, input: string): RunRow {
    const { run } = this.sql
      .exec<{ run: number }>(
        "INSERT INTO runs (id, head, body, status) VALUES (?, ?, '{}', ?) RETURNING run",
        id,
        JSON.stringify(head),
        body.status,
      )
      .one();
    const whole: Run = { ...body, input: this.vault.keep(run, input) };
    this.sql.exec('UPDATE runs SET body = ? WHERE run = ?', JSON.stringify(whole), run);
    return { run, id, head, body: whole, seq: 0 };
  }

  /** One transition of a run, as one transaction. */
  turn<Value>(run: number, workflow: Workflow, work: (turn: Turn) => Value): Turned<Value> {
    return this.#storage.transactionSync(() => this.turnWithin(run, workflow, work));
  }

  /** As `turn`, within a transaction of the caller's. */
  turnWithin<Value>(run: number, workflow: Workflow, work: (turn: Turn) => Value): Turned<Value> {
    const row = this.at(run);
    if (!row) throw new Error(`There is no run ${run}`);
    const settings = settingsOf(this.#env);
    const { fuel, depth, output_bytes: outputBytes } = settings.TEMPLATE_BUDGETS;
    const { orgUuid, orgId, workflow: of } = row.head;
    const journal = new SqlJournal(this.sql, this.vault, row, {
      baseUrl: `${publicUrl(settings) ?? ''}/hooks/${orgId}/-/`,
      keyOf: (action, value) => digestNow(JSON.stringify([orgUuid, of.uuid, action, value])),
    });
    const value = work({
      workflow,
      journal,
      run: row.body,
      now: Date.now(),
      bounds: { fuel, depth, outputBytes },
      agenda: [],
    });
    journal.finish();
    this.sql.exec('INSERT OR IGNORE INTO unindexed VALUES (?)', run);
    const { calls, hasEffects, earliest } = journal;
    return { value, row, calls, hasEffects, earliest };
  }

  /** UUIDs of the endpoints that a run's values come from. */
  reachedOf(run: number): string[] {
    const sql = 'SELECT endpoint FROM reached WHERE run = ?';
    return this.sql
      .exec<{ endpoint: string }>(sql, run)
      .toArray()
      .map(({ endpoint }) => endpoint);
  }

  /** A run's values come from these endpoints, too. */
  addReached(run: number, endpoints: readonly string[]): void {
    for (const endpoint of endpoints) {
      this.sql.exec('INSERT OR IGNORE INTO reached VALUES (?, ?)', run, endpoint);
    }
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

  /** Where a fork begins; undefined of other runs. */
  forkOf(run: number): string | undefined {
    const sql = 'SELECT action FROM forks WHERE run = ?';
    return this.sql.exec<{ action: string }>(sql, run).toArray()[0]?.action;
  }

  setFork(run: number, from: string): void {
    this.sql.exec('INSERT OR REPLACE INTO forks VALUES (?, ?)', run, from);
  }

  /** Adds what is to be done outside for a run. */
  enqueue(run: number, effect: RunEffect): void {
    const text = JSON.stringify(effect);
    this.sql.exec('INSERT INTO outbox (run, kind, body) VALUES (?, ?, ?)', run, effect.do, text);
  }

  transaction<Value>(work: () => Value): Value {
    return this.#storage.transactionSync(work);
  }
}

/** Members that are undefined are left out of the body. */
function bodyOf(text: string): Run {
  const absent = {
    stop: undefined,
    output: undefined,
    error: undefined,
    routed: undefined,
    finishing: undefined,
    last: undefined,
    key: undefined,
  };
  return { ...absent, ...(JSON.parse(text) as Run) };
}
