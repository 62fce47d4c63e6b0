/** Tables of the object that follows changes, in the database that it has of its own. */
/** Those with large rows have rowids: without one, each row that a search compares with is read whole. */
export const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS triggers (
    workflow TEXT NOT NULL, idx INTEGER NOT NULL, paused INTEGER NOT NULL DEFAULT 0,
    last INTEGER, error TEXT, trouble TEXT, PRIMARY KEY (workflow, idx)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pending (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, lane TEXT NOT NULL, id TEXT NOT NULL,
    time INTEGER NOT NULL, bytes INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS pending_lane ON pending (lane, seq);
  CREATE UNIQUE INDEX IF NOT EXISTS pending_once ON pending (lane, id);
  CREATE TABLE IF NOT EXISTS bodies (
    seq INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (seq, part)
  );
  CREATE TABLE IF NOT EXISTS lanes (
    lane TEXT PRIMARY KEY, workflow TEXT NOT NULL, idx INTEGER NOT NULL, head INTEGER NOT NULL,
    at INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, run TEXT
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS lanes_due ON lanes (run, at, head);
  CREATE INDEX IF NOT EXISTS lanes_trigger ON lanes (workflow, idx);
  CREATE TABLE IF NOT EXISTS starts (
    lane TEXT NOT NULL, time INTEGER NOT NULL, stored INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS starts_lane ON starts (lane, time);
  CREATE INDEX IF NOT EXISTS starts_stored ON starts (stored);
  CREATE TABLE IF NOT EXISTS tells (
    id TEXT PRIMARY KEY, event TEXT NOT NULL, time TEXT NOT NULL, data TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS drops (
    id INTEGER PRIMARY KEY AUTOINCREMENT, endpoint TEXT NOT NULL, own INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, at INTEGER NOT NULL DEFAULT 0, until INTEGER NOT NULL
  );`;
