/** Entries of the audit that wait in the log to be written to D1, as JSON. */
export class OwedEntries {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(entry: string): void {
    this.#sql.exec('INSERT INTO entries (entry) VALUES (?)', entry);
  }

  /** The oldest first. */
  list(limit: number): { readonly at: number; readonly entry: string }[] {
    return this.#sql
      .exec<{ at: number; entry: string }>(
        'SELECT at, entry FROM entries ORDER BY at LIMIT ?',
        limit,
      )
      .toArray();
  }

  drop(upTo: number): void {
    this.#sql.exec('DELETE FROM entries WHERE at <= ?', upTo);
  }
}
