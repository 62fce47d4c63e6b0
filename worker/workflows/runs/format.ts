/** The form in which an object keeps its runs. Each change that an earlier version could not read, or that cannot read what that one wrote, counts it up. */
import { ForeignFormat, foreignFormat } from '../../db/kept-format.ts';
import { log } from '../../log.ts';

/** Of what this version writes: outputs of loops and branches refer to large values, and what a run has still to begin is due. */
export const FORMAT = 2;
/** It reads these: format 1 has no such outputs, and is else the same. */
const READ: readonly number[] = [1, FORMAT];
const WHAT = 'workflow runs';

/** A table that format 1 has from its beginning, when its number was not written yet; earlier forms do not have it. */
const SINCE_1 = 'texts';

/**
 * Checks what another version may have written.
 * @param written the number that is kept; undefined where there is none
 * @throws ForeignFormat
 */
export function checkFormat(sql: SqlStorage, written: string | undefined): void {
  const kept = written === undefined ? unwritten(sql) : Number(written);
  if (!READ.includes(kept)) throw new ForeignFormat(WHAT, { kept, read: FORMAT });
}

function unwritten(sql: SqlStorage): number {
  const where = "type = 'table' AND name = ?";
  return sql.exec(`SELECT 1 FROM sqlite_master WHERE ${where}`, SINCE_1).toArray().length;
}

/**
 * For the clock, which would try again and again: answers false where what is kept is in another format.
 * @param object its name
 */
export async function unlessForeign(opened: Promise<boolean>, object: string): Promise<boolean> {
  try {
    return await opened;
  } catch (thrown) {
    const foreign = foreignFormat(thrown);
    if (foreign === undefined) throw thrown;
    log('error', 'runs of workflows are left as they are', { object, foreign });
    return false;
  }
}
