/** Statements of the object that keeps decisions on transactions, on the database that it has of its own. */

import { randomName } from '../../calls/transactions/names.ts';
import type {
  ListQuery,
  LogOwner,
  Mark,
  NewShare,
  NewTransaction,
  ShareStatus,
} from '../../calls/transactions/object.ts';
import type { Coming, HeldShare, NewInteractive } from '../../calls/transactions/taking-part.ts';
import { insertShares, insertTransaction, type Later, type Standing } from './insert.ts';
import { KnownEndpoints } from './known-endpoints.ts';
import { OwedEntries } from './owed-entries.ts';
import {
  type Agenda,
  type Change,
  COLUMNS,
  type Columns,
  type Head,
  rowOf,
  type ShareRow,
  TABLES,
  type TransactionRow,
} from './rows.ts';

export type { ShareRow, TransactionRow };

export class LogStore {
  readonly #storage: SqlStorage;
  /** Those that are written before anything else is read or written. */
  readonly #pending: Later[] = [];
  #isOpen = false;
  #owner: LogOwner | undefined;
  #log: string | undefined;
  #sequence: number | undefined;
  readonly endpoints: KnownEndpoints;
  readonly entries: OwedEntries;

  constructor(sql: SqlStorage) {
    this.#storage = sql;
    this.endpoints = new KnownEndpoints(sql);
    this.entries = new OwedEntries(sql);
  }

  /** For what may see what is still to be written: what has rows of its own goes without. */
  get #sql(): SqlStorage {
    this.writePending();
    return this.#storage;
  }

  /** Whether anything was ever kept here. */
  get isOpen(): boolean {
    this.#isOpen ||=
      this.#sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'meta'").toArray().length > 0;
    return this.#isOpen;
  }

  /** All that was kept is gone. */
  forget(): void {
    this.#isOpen = false;
    this.#owner = undefined;
    this.#log = undefined;
    this.#sequence = undefined;
    this.endpoints.forget();
    this.#pending.length = 0;
  }

  open({ orgUuid, orgId, sealedDataKey }: LogOwner): void {
    if (this.#owner?.sealedDataKey === sealedDataKey) return;
    this.#sql.exec(TABLES);
    this.#owner = { orgUuid, orgId, sealedDataKey };
    this.#setMeta('owner', JSON.stringify(this.#owner));
    this.#sql.exec("INSERT OR IGNORE INTO meta VALUES ('log', ?)", randomName());
  }

  owner(): LogOwner {
    this.#owner ??= JSON.parse(this.#meta('owner')) as LogOwner; // As `open` wrote it.
    return this.#owner;
  }

  /** The log's own id, which names in backends carry. */
  log(): string {
    this.#log ??= this.#meta('log');
    return this.#log;
  }

  /** A number above all that were given before. */
  nextSequence(): number {
    const next = (this.#sequence ?? this.#lastSequence()) + 1;
    this.#setMeta('sequence', `${next}`);
    this.#sequence = next;
    return next;
  }

  #lastSequence(): number {
    const sql = "SELECT value FROM meta WHERE name = 'sequence'";
    return Number(this.#storage.exec<{ value: string }>(sql).toArray()[0]?.value ?? 0);
  }

  #meta(name: string): string {
    return this.#sql.exec<{ value: string }>('SELECT value FROM meta WHERE name = ?', name).one()
      .value;
  }

  #setMeta(name: string, value: string): void {
    this.#storage.exec('INSERT OR REPLACE INTO meta VALUES (?, ?)', name, value);
  }

  /** Adds one with whatever comes next. Until then an instance that ends forgets it. */
  addLater(given: NewTransaction, now: number): void {
    this.#pending.push({ given, now });
  }

  /** Writes what was to be written later. Answers whether there was any. */
  writePending(): boolean {
    const pending = this.#pending.splice(0);
    for (const { given, now } of pending) this.add(given, 'preparing', now);
    return pending.length > 0;
  }

  /** Takes one back that was to be written later. */
  takeLater(id: string): Later | undefined {
    const at = this.#pending.findIndex(({ given }) => given.id === id);
    return at < 0 ? undefined : this.#pending.splice(at, 1)[0];
  }

  add(given: NewTransaction, status: 'active' | 'preparing', now: number): void {
    insertTransaction(this.#sql, { given, now }, { status });
    this.#addShares(given.id, given.shares, now);
  }

  /** Adds one that has been decided meanwhile. @param marks as for `markAll` */
  addDecided(later: Later, standing: Standing, marks: readonly Mark[]): void {
    const { given, now } = later;
    insertTransaction(this.#storage, later, standing);
    this.#addShares(given.id, given.shares, now, marks);
  }

  /** Adds one that its client goes on with. */
  addInteractive(
    { id, caller, requestId, address, keys, terms, timeoutMs }: NewInteractive,
    due: number,
    now: number,
  ): void {
    const claims = { endpoints: [], ...(keys ? { keys } : {}) };
    const head: Head = { caller, requestId, address, guarantee: 'atomic', claims, terms };
    this.#sql.exec(
      "INSERT INTO transactions (id, status, caller, head, started, deadline, due) VALUES (?, 'active', ?, ?, ?, ?, ?)",
      ...[id, caller.uuid, JSON.stringify(head), now, now + timeoutMs, due],
    );
  }

  /** Adds a participant. */
  addShare(id: string, share: NewShare, now: number): void {
    this.#addShares(id, [share], now);
  }

  #addShares(id: string, shares: readonly NewShare[], now: number, marks?: readonly Mark[]): void {
    insertShares(this.#storage, id, shares, marks);
    for (const share of shares) if (share.part !== 'reads') this.endpoints.use(share, now);
  }

  /** Keeps what a participant holds at a node, or that it is about to. */
  hold(id: string, n: number, held: HeldShare | Coming): void {
    const text = JSON.stringify(held);
    this.#sql.exec('UPDATE shares SET held = ? WHERE id = ? AND n = ?', text, id, n);
  }

  find(id: string): TransactionRow | undefined {
    return this.#select('id = ?', id)[0];
  }

  findByKey(key: string): TransactionRow | undefined {
    return this.#select('key = ?', key)[0];
  }

  /** Those that have not ended. */
  unended(): TransactionRow[] {
    return this.#select('due IS NOT NULL');
  }

  /** Those that something is to be done for, the longest first. */
  due(now: number): TransactionRow[] {
    return this.#select('due <= ? ORDER BY due', now);
  }

  agenda(): Agenda {
    type Row = { [Member in keyof Agenda]: Agenda[Member] }; // An interface has no index signature.
    return this.#sql
      .exec<Row>(
        `SELECT (SELECT min(due) FROM transactions WHERE due IS NOT NULL) AS due,
          (SELECT started FROM transactions ORDER BY started, id LIMIT 1) AS started,
          EXISTS (SELECT 1 FROM entries) AS entries, EXISTS (SELECT 1 FROM endpoints) AS snapshots`,
      )
      .one();
  }

  #select(where: string, ...values: SqlStorageValue[]): TransactionRow[] {
    return this.#sql
      .exec<Columns>(`SELECT ${COLUMNS} FROM transactions WHERE ${where}`, ...values)
      .toArray()
      .map(rowOf);
  }

  reply(id: string): Uint8Array | undefined {
    const [row] = this.#sql
      .exec<{ reply: ArrayBuffer | null }>('SELECT reply FROM transactions WHERE id = ?', id)
      .toArray();
    return row?.reply ? new Uint8Array(row.reply) : undefined;
  }

  change(id: string, change: Change): void {
    const members = Object.entries(change);
    const set = members.map(([name]) => `${name} = ?`).join(', ');
    const values = members.map(([, value]) => value as SqlStorageValue); // As `Change` says.
    this.#sql.exec(`UPDATE transactions SET ${set} WHERE id = ?`, ...values, id);
  }

  /** Ends some that are as their decision left them, and have committed: what they worked on says nothing any more. */
  endCommitted(ids: readonly string[], now: number): void {
    const among = 'id IN (SELECT value FROM json_each(?))';
    const list = JSON.stringify(ids);
    this.#storage.exec(
      `UPDATE shares SET status = 'committed' WHERE ${among} AND status = 'active'`,
      list,
    );
    this.#storage.exec(
      `UPDATE transactions SET status = 'committed', ended = ?, due = NULL,
        head = json_set(head, '$.claims', json('{"endpoints":[]}')) WHERE ${among}`,
      ...[now, list],
    );
  }

  /** Lets the key of a transaction be used again. */
  freeKey(id: string): void {
    this.#sql.exec('UPDATE transactions SET key = NULL WHERE id = ?', id);
  }

  shares(id: string): ShareRow[] {
    type Row = { [Member in keyof ShareRow]: ShareRow[Member] }; // An interface has no index signature.
    return this.#sql
      .exec<Row>(
        'SELECT n, endpoint, name, kind, part, revision, status, recovery, reason, held FROM shares WHERE id = ? ORDER BY n',
        id,
      )
      .toArray();
  }

  /** Keeps what prepared participants are asked by; those that are not named have only read. */
  markAll(id: string, marks: readonly Mark[]): void {
    for (const { n, recovery } of marks) {
      this.#sql.exec('UPDATE shares SET recovery = ? WHERE id = ? AND n = ?', recovery, id, n);
    }
    const named = JSON.stringify(marks.map(({ n }) => n));
    this.#sql.exec(
      `UPDATE shares SET status = 'reading' WHERE id = ? AND n NOT IN (SELECT value FROM json_each(?))`,
      ...[id, named],
    );
  }

  endShare(id: string, n: number, status: ShareStatus, reason: string | null = null): void {
    this.#sql.exec(
      'UPDATE shares SET status = ?, reason = ? WHERE id = ? AND n = ?',
      ...[status, reason, id, n],
    );
  }

  /** The newest first. */
  page({ status, caller, after, limit }: ListQuery): TransactionRow[] {
    const where = ['1'];
    const values: SqlStorageValue[] = [];
    const add = (condition: string, ...given: SqlStorageValue[]) => {
      where.push(condition);
      values.push(...given);
    };
    if (status === 'in_doubt') add('doubtful = 1');
    else if (status !== undefined) add('status = ? AND doubtful = 0', status);
    if (caller !== undefined) add('caller = ?', caller);
    if (after) add('(started, id) < (?, ?)', ...after);
    const order = 'ORDER BY started DESC, id DESC LIMIT ?';
    return this.#select(`${where.join(' AND ')} ${order}`, ...values, limit);
  }

  /** Removes what ended before, and configurations that nothing needs any more. */
  removeBefore(time: number, usedBefore: number): void {
    // What ended before has started before, which an index knows: the others are not read.
    const ended = 'started < ?1 AND ended < ?1';
    const ids = `SELECT id FROM transactions WHERE ${ended}`;
    this.#sql.exec(`DELETE FROM shares WHERE id IN (${ids})`, time);
    this.#sql.exec(`DELETE FROM transactions WHERE ${ended}`, time);
    this.endpoints.removeUsedBefore(usedBefore);
  }
}
