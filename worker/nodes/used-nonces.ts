/** The nonces that a node's relay has used, in the node's own object's database. */

/** Expired ones that one use clears away: more than it adds, so that none stay. */
const SWEEP_STEP = 100;
/** Milliseconds that a nonce is kept beyond its end: the clocks of two callers may differ. */
const SLACK_MS = 30_000;
/** Kept at a time; a relay uses some sixty in that time. Spec silent. */
export const NONCES_MAX = 10_000;

/** What became of a nonce: `full` where so many were used that no more are taken for now. */
type NonceUse = 'taken' | 'used' | 'full';

/** The nonces of one node. */
export class UsedNonces {
  readonly #sql: SqlStorage;
  /** How many are kept; undefined until they were counted. */
  #kept: number | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Uses up a nonce.
   * @param expiresAt of the nonce; an expired one is refused before it comes here. Unix epoch milliseconds, as `now`
   */
  use(nonce: string, expiresAt: number, now: number): NonceUse {
    const kept = (this.#kept ?? this.#count()) - this.#sweep(now);
    this.#kept = kept;
    if (kept >= NONCES_MAX) return 'full';
    const added = this.#sql.exec(
      'INSERT INTO nonces (nonce, expires) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING nonce',
      nonce,
      expiresAt,
    );
    if (added.toArray().length === 0) return 'used';
    this.#kept = kept + 1;
    return 'taken';
  }

  /** The object has forgotten its node with all of its tables. */
  forget(): void {
    this.#kept = undefined;
  }

  #count(): number {
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS nonces (nonce TEXT PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID',
    );
    this.#sql.exec('CREATE INDEX IF NOT EXISTS nonces_expires ON nonces (expires)');
    return this.#sql.exec<{ n: number }>('SELECT count(*) AS n FROM nonces').one().n;
  }

  #sweep(now: number): number {
    const swept = this.#sql.exec(
      'DELETE FROM nonces WHERE nonce IN (SELECT nonce FROM nonces WHERE expires <= ? ORDER BY expires LIMIT ?) RETURNING nonce',
      now - SLACK_MS,
      SWEEP_STEP,
    );
    return swept.toArray().length;
  }
}
