/** How a transaction that has ended, or is about to, is told. Spec: transactions.md §5. */
import type { Closed } from '../../calls/transactions/taking-part.ts';
import type { TransactionRow } from './store.ts';

/** Whether nothing of it is to stay, however its participants end. */
export function isUndone({ status, sequence }: TransactionRow): boolean {
  const isMixed = status === 'mixed' && sequence === null;
  return status === 'rolling_back' || status === 'rolled_back' || isMixed;
}

/** Why it does not go on. */
export function closedAs({ status, isDoubtful }: TransactionRow): Closed {
  return { is: 'closed', status: isDoubtful ? 'in_doubt' : status };
}
