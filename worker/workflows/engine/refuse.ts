/** A run that fails before it begins: what was to start it is refused. Spec: workflows.md §5. */
import { failRun } from './advance.ts';
import { settle } from './settle.ts';
import type { Turn } from './turn.ts';

/** Why; faults as of an input. */
interface Refusal {
  readonly code: string;
  readonly faults: readonly { readonly path: string; readonly message: string }[];
}

/** Ends the run as failed, without actions. */
export function refuse(turn: Turn, { code, faults }: Refusal): void {
  const { run, now } = turn;
  run.status = 'running';
  run.startedAt = now;
  const message = faults.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  const details = faults.map(({ path, message: told }) => ({ path, message: told }));
  failRun(turn, { code, message, action: '', details });
  settle(turn);
}
