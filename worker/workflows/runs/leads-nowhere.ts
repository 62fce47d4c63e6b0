/** Which transitions need not be written at once: done again, they lose nothing. docs/heavy-work.md. */
import type { Workflow } from '../definition/tree.ts';
import type { SqlJournal, Transition } from './journal.ts';

/** Milliseconds within which nothing may be due of what is not written. */
const SOON_MS = 1_000;

/** Whether a transition leads only to calls that change nothing, as far as that is known, or to what is under way already: done again, they lose nothing. */
export function leadsNowhere(
  { byId }: Workflow,
  journal: SqlJournal,
  { calls, hasEffects, earliest }: Transition,
): boolean {
  const { inFlight, endedAt } = journal.row.body;
  if (inFlight === 0 || endedAt !== 0 || hasEffects || earliest < Date.now() + SOON_MS)
    return false;
  return calls.every(({ path }) => {
    const action = byId.get(journal.node(path)?.action ?? '');
    return (
      action?.type === 'template' || (action?.type === 'endpoint' && action.operation === 'read')
    );
  });
}
