/** What the log keeps of transactions, and the tables that it lies in. */
import type {
  KeptFailure,
  NewTransaction,
  Part,
  ShareStatus,
  Status,
} from '../../calls/transactions/object.ts';
import type { Terms } from '../../calls/transactions/taking-part.ts';

/**
 * Made again where they are not there. Those with large rows have rowids: without one, each row that a search compares with is
 * read whole. What is large comes last: what follows it is only found by reading it.
 */
export const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS transactions (
    id TEXT PRIMARY KEY, sequence INTEGER, status TEXT NOT NULL, sought INTEGER NOT NULL DEFAULT 0,
    doubtful INTEGER NOT NULL DEFAULT 0, caller TEXT NOT NULL, key TEXT, head TEXT NOT NULL,
    error TEXT, started INTEGER NOT NULL, deadline INTEGER NOT NULL, decided INTEGER,
    ended INTEGER, due INTEGER, tries INTEGER NOT NULL DEFAULT 0,
    busy INTEGER NOT NULL DEFAULT 0, reply BLOB
  );
  CREATE UNIQUE INDEX IF NOT EXISTS transactions_key ON transactions (key) WHERE key IS NOT NULL;
  CREATE INDEX IF NOT EXISTS transactions_due ON transactions (due) WHERE due IS NOT NULL;
  CREATE INDEX IF NOT EXISTS transactions_started ON transactions (started, id);
  CREATE INDEX IF NOT EXISTS transactions_caller ON transactions (caller, started, id);
  CREATE INDEX IF NOT EXISTS transactions_kept ON transactions (caller, length(reply)) WHERE reply IS NOT NULL;
  CREATE TABLE IF NOT EXISTS shares (
    id TEXT NOT NULL, n INTEGER NOT NULL, endpoint TEXT NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, part TEXT NOT NULL, revision INTEGER NOT NULL, status TEXT NOT NULL,
    recovery TEXT NOT NULL DEFAULT '', reason TEXT, held TEXT, PRIMARY KEY (id, n)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS shares_open ON shares (endpoint, revision) WHERE status IN ('active', 'in_doubt');
  CREATE TABLE IF NOT EXISTS endpoints (
    endpoint TEXT NOT NULL, revision INTEGER NOT NULL, snapshot TEXT NOT NULL,
    used INTEGER NOT NULL, PRIMARY KEY (endpoint, revision)
  );
  CREATE TABLE IF NOT EXISTS entries (at INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL);`;

/** What is kept of a transaction as it came. */
export type Head = Pick<
  NewTransaction,
  'caller' | 'requestId' | 'address' | 'guarantee' | 'claims'
> & {
  /** Digest of the body that came with the key. */
  readonly body?: string;
  /** Of one that its client goes on with. */
  readonly terms?: Terms;
};

/** A transaction. Times are Unix epoch milliseconds. */
export interface TransactionRow {
  readonly id: string;
  readonly sequence: number | null;
  readonly status: Exclude<Status, 'in_doubt'>;
  /** Whether the commit of its last resource may have been sent. */
  readonly sought: boolean;
  readonly isDoubtful: boolean;
  readonly head: Head;
  readonly error: KeptFailure | undefined;
  readonly started: number;
  readonly deadline: number;
  readonly decided: number | null;
  readonly ended: number | null;
  readonly due: number | null;
  readonly tries: number;
  /** Whether a request is under way in it. */
  readonly isBusy: boolean;
}

/** A participant. */
export interface ShareRow {
  readonly n: number;
  /** UUID. */
  readonly endpoint: string;
  /** The endpoint's id. */
  readonly name: string;
  readonly kind: string;
  readonly part: Part;
  readonly revision: number;
  readonly status: ShareStatus;
  readonly recovery: string;
  readonly reason: string | null;
  /** JSON of a `HeldShare`. */
  readonly held: string | null;
}

/** Members of a transaction that change. */
export interface Change {
  readonly sequence?: number;
  readonly status?: Exclude<Status, 'in_doubt'>;
  readonly sought?: 0 | 1;
  readonly doubtful?: 0 | 1;
  readonly error?: string;
  readonly reply?: ArrayBuffer;
  readonly decided?: number;
  readonly ended?: number;
  readonly due?: number | null;
  readonly tries?: number;
  readonly busy?: 0 | 1;
  /** A `Head`. */
  readonly head?: string;
}

/** What there is to do, and when. Times are Unix epoch milliseconds. */
export interface Agenda {
  /** When something is to be done for a transaction. */
  readonly due: number | null;
  /** When the one that is kept longest began. */
  readonly started: number | null;
  /** Whether entries of the audit wait, and configurations are kept: 1 or 0. */
  readonly entries: number;
  readonly snapshots: number;
}

/** A row as it is read. */
export type Columns = Record<string, SqlStorageValue>;

/** Those of `rowOf`. */
export const COLUMNS =
  'id, sequence, status, sought, doubtful, head, error, started, deadline, decided, ended, due, tries, busy';

/** A transaction as it was read. */
export function rowOf({ sought, doubtful, busy, head, error, ...row }: Columns): TransactionRow {
  return {
    ...(row as unknown as TransactionRow), // The columns that are named alike.
    sought: sought === 1,
    isDoubtful: doubtful === 1,
    isBusy: busy === 1,
    head: JSON.parse(String(head)) as Head, // As `add` wrote it.
    error: error === null ? undefined : (JSON.parse(String(error)) as KeptFailure), // As the log wrote it.
  };
}
