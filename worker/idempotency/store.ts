/** Statements of the objects that own idempotency keys, on the database that each has of its own. */

/** A call that came with a key. Times are Unix epoch milliseconds. */
export interface CallRow {
  /** Of whose key it is and what for; see location.ts. */
  readonly name: string;
  /** Which try it is: one that was given up cannot end another's. */
  readonly attempt: string;
  /** The body's digest, sealed; empty where the name has it. */
  readonly body: string;
  readonly since: number;
  /** It can run no longer than that. */
  readonly until: number;
  readonly expires: number;
  /** Why its reply is not kept, as JSON; null while it runs, and when the reply is. */
  readonly fact: string | null;
  /** Sealed. */
  readonly reply: ArrayBuffer | null;
  /** Whose storage it counts against; empty for none. */
  readonly caller: string;
  /** What it takes of that, reply included. */
  readonly bytes: number;
}

/** Bytes of a call besides its texts of free length: measured, with its index. */
const FIXED_BYTES = 320;

/** What a call takes of its caller's storage while it runs. */
export function bytesOf({ name, body }: Pick<CallRow, 'name' | 'body'>): number {
  return FIXED_BYTES + 2 * name.length + body.length;
}

/** Makes the table where it is not there. */
export function createTable(sql: SqlStorage): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS calls (
    name TEXT PRIMARY KEY,
    attempt TEXT NOT NULL,
    body TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    fact TEXT,
    caller TEXT NOT NULL DEFAULT '',
    bytes INTEGER NOT NULL DEFAULT 0,
    reply BLOB
  )`);
  const [{ text = '' } = {}] = sql
    .exec<{ text: string }>("SELECT sql AS text FROM sqlite_master WHERE name = 'calls'")
    .toArray();
  if (text.includes('caller')) return;
  // A table of an earlier version; what it keeps counts against no caller, and goes within a day.
  sql.exec("ALTER TABLE calls ADD COLUMN caller TEXT NOT NULL DEFAULT ''");
  sql.exec('ALTER TABLE calls ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0');
}

/** Whether the table is there: nothing else makes storage of an object that has none. */
export function hasTable(sql: SqlStorage): boolean {
  const found = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'calls'");
  return found.toArray().length > 0;
}

/** The call of that name, expired or not. */
export function selectCall(sql: SqlStorage, name: string): CallRow | undefined {
  type Row = { [Member in keyof CallRow]: CallRow[Member] }; // An interface has no index signature.
  return sql.exec<Row>('SELECT * FROM calls WHERE name = ?', name).toArray()[0];
}

/** Notes a call that begins, instead of what the name stood for. */
export function replaceCall(sql: SqlStorage, row: Omit<CallRow, 'fact' | 'reply'>): void {
  const { name, attempt, body, since, until, expires, caller, bytes } = row;
  sql.exec(
    'INSERT OR REPLACE INTO calls (name, attempt, body, since, until, expires, caller, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    name,
    attempt,
    body,
    since,
    until,
    expires,
    caller,
    bytes,
  );
}

/** How a call ended, and what that takes of its caller's storage. */
export interface Ending extends Pick<CallRow, 'fact' | 'bytes'> {
  readonly reply: Uint8Array | null;
}

/** Notes how a call ended, unless it is another's by now or has ended before. */
export function endCall(
  sql: SqlStorage,
  { name, attempt }: Pick<CallRow, 'name' | 'attempt'>,
  { fact, reply, bytes }: Ending,
): void {
  sql.exec(
    `UPDATE calls SET fact = ?, reply = ?, bytes = bytes + ?
      WHERE name = ? AND attempt = ? AND fact IS NULL AND reply IS NULL`,
    fact,
    reply,
    bytes,
    name,
    attempt,
  );
}

/** Removes a call that runs, unless it is another's by now. */
export function deleteCall(
  sql: SqlStorage,
  { name, attempt }: Pick<CallRow, 'name' | 'attempt'>,
): void {
  sql.exec(
    'DELETE FROM calls WHERE name = ? AND attempt = ? AND fact IS NULL AND reply IS NULL',
    name,
    attempt,
  );
}

/**
 * Removes the calls that have expired among the `limit` that began first: all are kept for the
 * same time, so the order in which they were written is that in which they expire.
 */
export function deleteExpired(sql: SqlStorage, now: number, limit: number): void {
  sql.exec(
    'DELETE FROM calls WHERE expires <= ? AND rowid IN (SELECT rowid FROM calls ORDER BY rowid LIMIT ?)',
    now,
    limit,
  );
}

/** When the call expires that began first; `undefined` when there is none. */
export function nextExpiry(sql: SqlStorage): number | undefined {
  const [first] = sql
    .exec<{ expires: number }>('SELECT expires FROM calls ORDER BY rowid LIMIT 1')
    .toArray();
  return first?.expires;
}
