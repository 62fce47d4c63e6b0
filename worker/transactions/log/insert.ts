/** How a transaction and its participants come into the log's tables. */
import type {
  Mark,
  NewShare,
  NewTransaction,
  ShareStatus,
} from '../../calls/transactions/object.ts';
import type { Change, Head } from './rows.ts';

/** One that is written later than it began. */
export interface Later {
  readonly given: NewTransaction;
  /** When it began, in Unix epoch milliseconds. */
  readonly now: number;
}

/** How a transaction stands when it is written. */
export type Standing = Required<Pick<Change, 'status'>> &
  Pick<Change, 'due' | 'sequence' | 'decided'>;

/** Without its participants. @param due at its deadline, unless another time is named */
export function insertTransaction(
  sql: SqlStorage,
  { given, now }: Later,
  { status, due, sequence, decided }: Standing,
): void {
  const { id, caller, requestId, address, guarantee, claims, key, timeoutMs } = given;
  const body = key ? { body: key.body } : {};
  const head: Head = { caller, requestId, address, guarantee, claims, ...body };
  const deadline = now + timeoutMs;
  sql.exec(
    `INSERT INTO transactions (id, status, caller, key, head, started, deadline, due, sequence, decided)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, status, caller.uuid, key?.name ?? null, JSON.stringify(head), now, deadline],
    ...[due ?? deadline, sequence ?? null, decided ?? null],
  );
}

/** Participants of one statement: each brings nine values, and a database may take no more than a hundred. */
const ROWS_MAX = 10;

/** Those that take part. @param marks of those that are prepared, once that is known: the others have only read */
export function insertShares(
  sql: SqlStorage,
  id: string,
  shares: readonly NewShare[],
  marks?: readonly Mark[],
): void {
  for (let from = 0; from < shares.length; from += ROWS_MAX) {
    const some = shares.slice(from, from + ROWS_MAX);
    sql.exec(
      `INSERT INTO shares (id, n, endpoint, name, kind, part, revision, status, recovery)
        VALUES ${some.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?)').join()}`,
      ...some.flatMap((share) => valuesOf(id, share, marks)),
    );
  }
}

function valuesOf(
  id: string,
  { n, endpoint, id: name, kind, part, revision }: NewShare,
  marks: readonly Mark[] | undefined,
): SqlStorageValue[] {
  const mark = marks?.find((each) => each.n === n);
  const reads = part === 'reads' || (marks !== undefined && mark === undefined);
  const status: ShareStatus = reads ? 'reading' : 'active';
  return [id, n, endpoint, name, kind, part, revision, status, mark?.recovery ?? ''];
}
