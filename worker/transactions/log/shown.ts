/** A transaction as people see it. Spec: transactions.md §3. */
import { nameOf } from '../../calls/transactions/names.ts';
import type { Shown } from '../../calls/transactions/object.ts';
import type { LogStore, TransactionRow } from './store.ts';

/** A transaction with its participants. */
export function shown(store: LogStore, row: TransactionRow): Shown {
  const { id, sequence, status, isDoubtful, head, error, started, decided, ended } = row;
  const participants = store.shares(id).map(({ n, name, kind, part, reason, ...share }) => ({
    endpoint: name,
    kind,
    status: share.status,
    ...(part === 'prepares' ? { gid: nameOf(store.log(), id, n) } : {}),
    ...(reason === null ? {} : { reason }),
  }));
  return {
    ...{ id, sequence, guarantee: head.guarantee, status: isDoubtful ? 'in_doubt' : status },
    ...{ caller: head.caller.uuid, started, participants },
    requestId: head.requestId,
    ...(decided === null ? {} : { decided }),
    ...(ended === null ? {} : { ended }),
    ...(error ? { error } : {}),
  };
}
