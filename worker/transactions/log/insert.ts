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

/** One that takes part. @param mark of one that is prepared; left out before that is known, null where it has only read */
export function insertShare(
  sql: SqlStorage,
  id: string,
  { n, endpoint, id: name, kind, part, revision }: NewShare,
  mark?: Mark | null,
): void {
  const reads = part === 'reads' || mark === null;
  const status: ShareStatus = reads ? 'reading' : 'active';
  sql.exec(
    'INSERT INTO shares (id, n, endpoint, name, kind, part, revision, status, recovery) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[id, n, endpoint, name, kind, part, revision, status, mark?.recovery ?? ''],
  );
}
