/** Bytes that are larger than one value of an object's storage may be. */

/** Bytes of one piece; a value may have 2 MB. */
const PIECE = 1024 * 1024;

const TABLE =
  'CREATE TABLE IF NOT EXISTS pieces (name TEXT, at INTEGER, bytes BLOB, PRIMARY KEY (name, at))';

/** Keeps bytes under a name, instead of what was there. */
export function putPieces(sql: SqlStorage, name: string, bytes: Uint8Array): void {
  sql.exec(TABLE);
  sql.exec('DELETE FROM pieces WHERE name = ?', name);
  for (let at = 0; at * PIECE < bytes.byteLength; at += 1) {
    const piece = bytes.slice(at * PIECE, (at + 1) * PIECE);
    sql.exec('INSERT INTO pieces VALUES (?, ?, ?)', name, at, piece.buffer);
  }
}

/** What was kept; empty when nothing was. */
export function readPieces(sql: SqlStorage, name: string): Uint8Array {
  sql.exec(TABLE);
  const rows = sql.exec<{ bytes: ArrayBuffer }>(
    'SELECT bytes FROM pieces WHERE name = ? ORDER BY at',
    name,
  );
  const pieces = [...rows].map(({ bytes }) => new Uint8Array(bytes));
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** Forgets what was kept under a name. */
export function dropPieces(sql: SqlStorage, name: string): void {
  sql.exec(TABLE);
  sql.exec('DELETE FROM pieces WHERE name = ?', name);
}
