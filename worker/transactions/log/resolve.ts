/** Records what a person did in the database of a participant in doubt. Spec: transactions.md §5. */
import { type Decisions, INTERRUPTED } from './decisions.ts';
import type { Actor } from './entries.ts';
import type { LogStore, ShareRow, TransactionRow } from './store.ts';

/** What was found, and by whom. */
interface Resolution {
  readonly outcome: 'committed' | 'rolled_back';
  readonly by: Actor;
}

/** The participant that is in doubt, if it is. @param name id of its endpoint */
export function doubtfulShare(store: LogStore, id: string, name: string): ShareRow | undefined {
  return store.shares(id).find((each) => each.name === name && each.status === 'in_doubt');
}

/** Ends it as it was found; one that decides takes the decision with it. */
export function resolveShare(
  { store, decisions }: { readonly store: LogStore; readonly decisions: Decisions },
  row: TransactionRow,
  { n }: ShareRow,
  { outcome, by }: Resolution,
): void {
  store.endShare(row.id, n, outcome, `${by.name} said so`);
  decisions.record(by, `transaction.resolve.${outcome}`, row.id);
  if (row.status !== 'preparing') return;
  if (outcome === 'committed') decisions.commit(row, by);
  else decisions.rollBack(row, INTERRUPTED);
}
