/** Statements about the nonces that a node's relay has used, on the node's own object's database. */

/** Expired ones that one use clears away: more than it adds, so that none stay. */
const SWEEP_STEP = 100;
/** Milliseconds that a nonce is kept beyond its end: the clocks of two callers may differ. */
const SLACK_MS = 30_000;

/**
 * Uses up a nonce; false where it was used before.
 * @param expiresAt of the nonce; an expired one is refused before it comes here. Unix epoch milliseconds, as `now`
 */
export function useNonce(sql: SqlStorage, nonce: string, expiresAt: number, now: number): boolean {
  // The object forgets its node with all of its tables.
  sql.exec(
    'CREATE TABLE IF NOT EXISTS nonces (nonce TEXT PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID',
  );
  sql.exec('CREATE INDEX IF NOT EXISTS nonces_expires ON nonces (expires)');
  sql.exec(
    'DELETE FROM nonces WHERE nonce IN (SELECT nonce FROM nonces WHERE expires <= ? ORDER BY expires LIMIT ?)',
    now - SLACK_MS,
    SWEEP_STEP,
  );
  const added = sql.exec(
    'INSERT INTO nonces (nonce, expires) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING nonce',
    nonce,
    expiresAt,
  );
  return added.toArray().length > 0;
}
