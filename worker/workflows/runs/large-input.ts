/**
 * Writes the large input of a run before the run begins, a megabyte at a time and in turn: to seal and write it holds the
 * thread of all organizations. Until the first transition is written, there is no such run. docs/heavy-work.md.
 */
import { undivided } from '../../../proto/work/pieces.ts';
import type { Driver } from './driver.ts';
import { deleteRun } from './tables.ts';

/** Characters from which an input is written by itself. */
const LARGE_INPUT = 1024 * 1024;

/** The ref of such an input: the first of its run's values. */
export const INPUT_REF = 1;

/** The number of a run that has its input already. */
export interface LargeInput {
  readonly run: number;
}

/** What writes values of runs, and in whose turn. */
type Writer = Pick<Driver, 'keeper' | 'computing'>;

/** Writes an input if it is large; answers the number of the run that is to have it. */
export async function writeLargeInput(
  { keeper, computing }: Writer,
  input: string,
): Promise<LargeInput | undefined> {
  if (input.length < LARGE_INPUT) return undefined;
  const run = keeper.next();
  // What the object finds here after it has died, it removes: worker/workflows/runs/forking.ts.
  keeper.sql.exec('INSERT INTO copying VALUES (?)', run);
  try {
    const sealed = await computing.inTurn(keeper.vault.sealText(run, input));
    const writes = keeper.vault.writeSealed(run, INPUT_REF, sealed);
    // One in a turn: what follows each, when the database takes it in, is not measured and as long.
    const writeNext = () => writes.next().done === true;
    while (!(await computing.inTurn(undivided(writeNext))));
  } catch (thrown) {
    dropLargeInput({ keeper }, { run });
    throw thrown;
  }
  return { run };
}

/** The run begins: its input is its own from the transition on that is written now. */
export function takeLargeInput({ keeper }: Pick<Writer, 'keeper'>, { run }: LargeInput): void {
  keeper.sql.exec('DELETE FROM copying WHERE run = ?', run);
}

/** Removes an input that no run has. */
export function dropLargeInput({ keeper }: Pick<Writer, 'keeper'>, { run }: LargeInput): void {
  deleteRun(keeper.sql, run);
}
