/** Statements of the object that keeps what webhooks were sent, on the database that it has of its own. */
import type { Owner } from '../workflows/runs/object.ts';
import type { TriggerState } from '../workflows/triggers/state.ts';
import type { Delivery, DeliveryError, KnownDelivery, Note } from './object.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS deliveries (
    workflow TEXT NOT NULL, trigger_index INTEGER NOT NULL, digest TEXT NOT NULL,
    receipt TEXT NOT NULL, run TEXT, received INTEGER NOT NULL,
    PRIMARY KEY (workflow, trigger_index, digest)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS deliveries_received ON deliveries (received);
  CREATE TABLE IF NOT EXISTS states (
    workflow TEXT NOT NULL, trigger_index INTEGER NOT NULL, last INTEGER, error TEXT,
    failed INTEGER NOT NULL, PRIMARY KEY (workflow, trigger_index)
  ) WITHOUT ROWID;`;

export class DeliveryStore {
  readonly #sql: SqlStorage;
  #isOpen = false;
  #owner: Owner | undefined;

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

  open({ orgUuid, orgId, sealedDataKey }: Owner): void {
    if (this.#owner?.sealedDataKey === sealedDataKey) return;
    this.#sql.exec(TABLES);
    this.#owner = { orgUuid, orgId, sealedDataKey };
    this.#sql.exec("INSERT OR REPLACE INTO meta VALUES ('owner', ?)", JSON.stringify(this.#owner));
  }

  owner(): Owner {
    if (this.#owner) return this.#owner;
    const { value } = this.#sql
      .exec<{ value: string }>("SELECT value FROM meta WHERE name = 'owner'")
      .one();
    this.#owner = JSON.parse(value) as Owner; // As `open` wrote it.
    return this.#owner;
  }

  /** @param since what was received before it counts for nothing */
  find({ workflow, index, digest }: Delivery, since: number): KnownDelivery | undefined {
    const [row] = this.#sql
      .exec<{ receipt: string; run: string | null }>(
        `SELECT receipt, run FROM deliveries
          WHERE workflow = ? AND trigger_index = ? AND digest = ? AND received >= ?`,
        workflow,
        index,
        digest,
        since,
      )
      .toArray();
    return row && { receipt: row.receipt, ...(row.run === null ? {} : { run: row.run }) };
  }

  add({ workflow, index, digest }: Delivery, receipt: string, now: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO deliveries VALUES (?, ?, ?, ?, NULL, ?)',
      workflow,
      index,
      digest,
      receipt,
      now,
    );
  }

  note({ workflow, index, at, run, digest, error, isTrusted }: Note): void {
    if (run !== undefined && digest !== undefined) {
      const where = 'workflow = ? AND trigger_index = ? AND digest = ?';
      this.#sql.exec(`UPDATE deliveries SET run = ? WHERE ${where}`, run, workflow, index, digest);
    }
    const told = error && JSON.stringify(error);
    this.#sql.exec(
      `INSERT INTO states VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (workflow, trigger_index) DO UPDATE SET
          last = coalesce(max(coalesce(last, 0), excluded.last), last),
          error = coalesce(excluded.error, error),
          failed = iif(?, excluded.failed, failed)`,
      workflow,
      index,
      error ? null : at,
      told ?? null,
      error && isTrusted ? 1 : 0,
      isTrusted ? 1 : 0,
    );
  }

  states(workflow: string): TriggerState[] {
    return this.#sql
      .exec<{ trigger_index: number; last: number | null; error: string | null; failed: number }>(
        'SELECT trigger_index, last, error, failed FROM states WHERE workflow = ?',
        workflow,
      )
      .toArray()
      .map(({ trigger_index: index, last, error, failed }) => ({
        index,
        ...(last === null ? {} : { last }),
        // As `note` wrote it.
        ...(error === null ? {} : { error: JSON.parse(error) as DeliveryError }),
        state: failed === 1 ? ('failing' as const) : ('active' as const),
      }));
  }

  forget(workflow: string): void {
    this.#sql.exec('DELETE FROM deliveries WHERE workflow = ?', workflow);
    this.#sql.exec('DELETE FROM states WHERE workflow = ?', workflow);
  }

  removeBefore(time: number): void {
    this.#sql.exec('DELETE FROM deliveries WHERE received < ?', time);
  }

  hasDeliveries(): boolean {
    return this.#sql.exec('SELECT 1 FROM deliveries LIMIT 1').toArray().length > 0;
  }
}
