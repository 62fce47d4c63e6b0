/** Statements about what an object keeps by caller of its organization's storage, on the object's own database. */

/** One caller's room. All but the names are bytes. */
export interface RoomRow {
  readonly caller: string;
  readonly orgUuid: string;
  readonly holder: string;
  /** Of the organization's storage, as it was when room was taken last. */
  readonly quota: number;
  readonly used: number;
  /** Those that D1 knows about. */
  readonly held: number;
}

/** Makes the table where it is not there. */
export function createRooms(sql: SqlStorage): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS rooms (
    caller TEXT PRIMARY KEY,
    orgUuid TEXT NOT NULL,
    holder TEXT NOT NULL,
    quota INTEGER NOT NULL,
    used INTEGER NOT NULL,
    held INTEGER NOT NULL
  )`);
}

/** One caller's. */
export function selectRoom(sql: SqlStorage, caller: string): RoomRow | undefined {
  return rowsOf(sql, 'SELECT * FROM rooms WHERE caller = ?', caller)[0];
}

/** All callers'. */
export function selectRooms(sql: SqlStorage): RoomRow[] {
  return rowsOf(sql, 'SELECT * FROM rooms');
}

/** Notes a room; one that is neither used nor held goes. */
export function setRoom(sql: SqlStorage, row: RoomRow): void {
  const { caller, orgUuid, holder, quota, used, held } = row;
  if (used === 0 && held === 0) sql.exec('DELETE FROM rooms WHERE caller = ?', caller);
  else {
    sql.exec(
      'INSERT OR REPLACE INTO rooms (caller, orgUuid, holder, quota, used, held) VALUES (?, ?, ?, ?, ?, ?)',
      caller,
      orgUuid,
      holder,
      quota,
      used,
      held,
    );
  }
}

/** Counts again what each takes. @param kept as `CallerRoom` has it */
export function recountRooms(sql: SqlStorage, kept: string): void {
  sql.exec(`UPDATE rooms SET used = (${kept})`);
}

function rowsOf(sql: SqlStorage, query: string, ...bound: string[]): RoomRow[] {
  type Row = { [Member in keyof RoomRow]: RoomRow[Member] }; // An interface has no index signature.
  return sql.exec<Row>(query, ...bound).toArray();
}
