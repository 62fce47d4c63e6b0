/** Lets a run go on that failed or was cancelled. Spec: workflows.md §6, `retry`. */
import { queueAgain, retryRun } from '../engine/resume.ts';
import type { Turn } from '../engine/turn.ts';
import type { Driver } from './driver.ts';
import type { Retrier } from './head.ts';
import type { SqlJournal } from './journal.ts';
import type { Retried, RunSummary } from './object.ts';
import { firstUndone, mainNodes } from './undone.ts';

const ENDED = new Set(['succeeded', 'failed', 'cancelled']);

/** Undefined where there is no such run. @param by whose rights it needs, too, from then on */
export async function retryBy(
  driver: Driver,
  run: string,
  by: Retrier,
): Promise<Exclude<Retried, RunSummary> | 'retried' | undefined> {
  const row = await driver.findInTurn(run);
  if (!row) return undefined;
  if (row.head.isRefused) return 'refused';
  const { keeper } = driver;
  const { status, undone, notUndone, undoing } = row.body;
  const wasUndone = status === 'succeeded' ? undoing !== 'no' : undone + notUndone > 0;
  if (!ENDED.has(status)) return 'running';
  if (wasUndone) return { undone: firstUndone(keeper, row, mainNodes(keeper, row)) };
  if (status === 'succeeded') return 'succeeded';
  keeper.retriedBy(row.run, by);
  await driver.act(row.run, goOn);
  return 'retried';
}

/** At once, or when its gate lets it in again. */
function goOn(turn: Turn, journal: SqlJournal): void {
  const { gate } = journal.row.head;
  if (gate) {
    queueAgain(turn);
    journal.effect({ do: 'enter', gate: gate.name, max: gate.max, isAgain: true });
  } else retryRun(turn);
}
