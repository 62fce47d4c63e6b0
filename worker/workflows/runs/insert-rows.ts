/** Many rows by one statement: each statement costs more than a row. */

/** Values that one statement binds: the platform takes a hundred. */
const VALUES_MAX = 100;

/**
 * Inserts rows.
 * @param table its name, with the names of the columns where not all are given
 * @param or what is done about a row that is there already
 */
export function insertRows(
  sql: SqlStorage,
  table: string,
  rows: readonly (readonly SqlStorageValue[])[],
  or: 'REPLACE' | 'IGNORE' | 'ABORT' = 'ABORT',
): void {
  const columns = rows[0]?.length ?? 1;
  const step = Math.floor(VALUES_MAX / columns);
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  for (let at = 0; at < rows.length; at += step) {
    const some = rows.slice(at, at + step);
    const all = some.map(() => row).join(', ');
    sql.exec(`INSERT OR ${or} INTO ${table} VALUES ${all}`, ...some.flat());
  }
}
