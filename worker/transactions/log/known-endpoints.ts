/** Endpoints that transactions were under way with, as they were then: so that what they left can be found and ended. Spec: transactions.md §3. */
import type { NewShare } from '../../calls/transactions/object.ts';

/** Milliseconds after which it is noted again that an endpoint's configuration is used. */
const USED_EVERY_MS = 60_000;

export class KnownEndpoints {
  readonly #sql: SqlStorage;
  /** When configurations were noted as used, by endpoint and revision. */
  readonly #usedAt = new Map<string, number>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** All that was kept is gone. */
  forget(): void {
    this.#usedAt.clear();
  }

  /** Notes that a share of an endpoint is used that may be prepared. */
  use(share: NewShare, now: number): void {
    if (this.#isNoted(share, now)) return;
    const { endpoint, revision, snapshot } = share;
    this.#sql.exec(
      'INSERT OR REPLACE INTO endpoints VALUES (?, ?, ?, ?)',
      ...[endpoint, revision, snapshot, now],
    );
    this.#usedAt.set(`${endpoint} ${revision}`, now);
  }

  /** Whether sweeps look wherever these shares may come to be prepared. */
  areSwept(shares: readonly NewShare[], now: number): boolean {
    return shares.every((share) => share.part === 'reads' || this.#isNoted(share, now));
  }

  #isNoted({ endpoint, revision }: NewShare, now: number): boolean {
    return now - (this.#usedAt.get(`${endpoint} ${revision}`) ?? 0) < USED_EVERY_MS;
  }

  /** An endpoint as it was when a share of it began. */
  snapshot(endpoint: string, revision: number): string | undefined {
    const sql = 'SELECT snapshot FROM endpoints WHERE endpoint = ? AND revision = ?';
    return this.#sql.exec<{ snapshot: string }>(sql, endpoint, revision).toArray()[0]?.snapshot;
  }

  snapshots(): { readonly endpoint: string; readonly snapshot: string }[] {
    return this.#sql
      .exec<{ endpoint: string; snapshot: string }>('SELECT endpoint, snapshot FROM endpoints')
      .toArray();
  }

  /** Removes those that nothing needs any more. */
  removeUsedBefore(time: number): void {
    this.#sql.exec(
      `DELETE FROM endpoints WHERE used < ? AND NOT EXISTS (SELECT 1 FROM shares s
        WHERE s.endpoint = endpoints.endpoint AND s.revision = endpoints.revision
          AND s.status IN ('active', 'in_doubt'))`,
      time,
    );
  }
}
