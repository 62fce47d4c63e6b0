/** Tables of an object that runs workflows. Several runs share one; each row begins with its run. */

/** Those with large rows have rowids: without one, each row that a search compares with is read whole. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS definitions (
    workflow TEXT NOT NULL, version TEXT NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (workflow, version)
  );
  CREATE TABLE IF NOT EXISTS runs (
    run INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, head TEXT NOT NULL,
    body TEXT NOT NULL, status TEXT NOT NULL, seq INTEGER NOT NULL DEFAULT 0, expires INTEGER
  );
  CREATE INDEX IF NOT EXISTS runs_expires ON runs (expires) WHERE expires IS NOT NULL;
  CREATE TABLE IF NOT EXISTS nodes (
    run INTEGER NOT NULL, path TEXT NOT NULL, generation INTEGER NOT NULL, owner TEXT NOT NULL,
    phase TEXT NOT NULL, undo TEXT NOT NULL, begun INTEGER NOT NULL, ended INTEGER NOT NULL,
    seq INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run, path, generation)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS nodes_begun ON nodes (run, begun);
  CREATE INDEX IF NOT EXISTS nodes_seq ON nodes (run, seq);
  CREATE INDEX IF NOT EXISTS nodes_active ON nodes (run) WHERE phase <> 'ended';
  CREATE INDEX IF NOT EXISTS nodes_undo ON nodes (run, ended) WHERE undo = 'todo';
  CREATE TABLE IF NOT EXISTS texts (
    run INTEGER NOT NULL, ref INTEGER NOT NULL, size INTEGER NOT NULL, bytes BLOB,
    PRIMARY KEY (run, ref)
  );
  CREATE TABLE IF NOT EXISTS pieces (
    run INTEGER NOT NULL, ref INTEGER NOT NULL, at INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (run, ref, at)
  );
  CREATE TABLE IF NOT EXISTS dues (
    run INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (run, path, kind)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS dues_at ON dues (at);
  CREATE TABLE IF NOT EXISTS elements (
    run INTEGER NOT NULL, path TEXT NOT NULL, first INTEGER NOT NULL, ref INTEGER NOT NULL,
    PRIMARY KEY (run, path, first)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS results (
    run INTEGER NOT NULL, path TEXT NOT NULL, at INTEGER NOT NULL, output INTEGER, error INTEGER,
    PRIMARY KEY (run, path, at)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS taken (
    run INTEGER NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (run, event)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS callbacks (
    run INTEGER NOT NULL, path TEXT NOT NULL, ref INTEGER, PRIMARY KEY (run, path)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS reached (
    run INTEGER NOT NULL, endpoint TEXT NOT NULL, PRIMARY KEY (run, endpoint)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS outbox (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL, body TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, at INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS outbox_run ON outbox (run, id);
  CREATE TABLE IF NOT EXISTS unindexed (run INTEGER PRIMARY KEY, tells TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS keys (
    name TEXT PRIMARY KEY, run TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL,
    ref INTEGER, expires INTEGER
  );
  CREATE INDEX IF NOT EXISTS keys_expires ON keys (expires) WHERE expires IS NOT NULL;
  CREATE TABLE IF NOT EXISTS waiters (
    name TEXT NOT NULL, run TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (name, run, path)
  );
  CREATE TABLE IF NOT EXISTS gates (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, run TEXT NOT NULL UNIQUE,
    inside INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS gates_name ON gates (name, inside, id);
  CREATE TABLE IF NOT EXISTS gate_limits (name TEXT PRIMARY KEY, most INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS closed (workflow TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS copying (run INTEGER PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS forks (run INTEGER PRIMARY KEY, action TEXT NOT NULL);`;

/** Makes those that are not there. */
export function createTables(sql: SqlStorage): void {
  sql.exec(TABLES);
}

/** All that is kept of a run and nothing else, table by table. */
const OF_RUN = [
  'nodes',
  'dues',
  'elements',
  'results',
  'taken',
  'callbacks',
  'reached',
  'outbox',
  'unindexed',
  'pieces',
  'texts',
  'forks',
  'copying',
] as const;

/** Removes a run with all that is kept of it. */
export function deleteRun(sql: SqlStorage, run: number): void {
  for (const table of OF_RUN) sql.exec(`DELETE FROM ${table} WHERE run = ?`, run);
  sql.exec('DELETE FROM runs WHERE run = ?', run);
}
