/** Copies into a fork what it keeps of another run, piece by piece: until all is there, the fork is no run. Spec: workflows.md §6, `fork`. */
import { inLargeParts } from '../../drivers/large-parts.ts';
import { inRecordTurn } from '../../limits/record-turns.ts';
import type { Workflow } from '../definition/tree.ts';
import type { TextPart } from '../engine/text-parts.ts';
import type { Turn } from '../engine/turn.ts';
import type { Order } from './head.ts';
import type { SqlJournal } from './journal.ts';
import type { Keeper } from './keeper.ts';
import { putKept } from './kept.ts';
import { type Reachable, runsObject } from './reachable.ts';
import { deleteRun } from './tables.ts';

/** Characters of what is written at a time, about: it holds the thread of all organizations. */
const PIECE = 256 * 1024;

/** Copies all. Answers false where there is no room, or the other run is gone: then the fork is, too. */
export async function copyKept(
  { env, driver }: Reachable,
  run: number,
  workflow: Workflow,
  { orgUuid, forkedFrom = '', fork }: Order,
): Promise<boolean> {
  const { keeper, allowance } = driver;
  if (!fork) return true;
  const of = { address: orgUuid };
  const pieces: TextPart[] = [];
  const put = (lines: readonly string[]) => {
    const copy = (turn: Turn, journal: SqlJournal) => {
      journal.reach(fork.reached);
      putKept(turn, lines, pieces);
    };
    keeper.turn(run, workflow, copy);
    keeper.sql.exec('INSERT OR IGNORE INTO copying VALUES (?)', run);
    keeper.sql.exec('DELETE FROM unindexed WHERE run = ?', run);
  };
  try {
    const stream = await runsObject(env, orgUuid, forkedFrom).kept(forkedFrom, fork.from);
    if (stream) {
      for await (const lines of piecesOf(stream)) {
        const length = lines.reduce((sum, line) => sum + line.length, 0);
        if (!(await allowance.has(length))) return drop(keeper, run);
        // Each is opened, sealed anew and written.
        const bytesOf = () => 2 * length;
        await inRecordTurn(of, { work: () => put(lines), bytesOf, isBegun: true });
      }
    }
    if (!stream || isOver(keeper, run)) return drop(keeper, run);
    keeper.sql.exec('DELETE FROM copying WHERE run = ?', run);
    return true;
  } catch (thrown) {
    drop(keeper, run);
    throw thrown;
  }
}

/** Removes forks that were being copied when the object ended: nobody was told of them. */
export function dropCopies(keeper: Keeper): void {
  const rows = keeper.sql.exec<{ run: number }>('SELECT run FROM copying').toArray();
  for (const { run } of rows) drop(keeper, run);
}

/** Its workflow was deleted meanwhile. */
function isOver(keeper: Keeper, run: number): boolean {
  return keeper.at(run)?.body.endedAt !== 0;
}

function drop(keeper: Keeper, run: number): false {
  keeper.forget(run);
  deleteRun(keeper.sql, run);
  return false;
}

/** Lines, as many as are written at a time. */
async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  let lines: string[] = [];
  let length = 0;
  for await (const line of linesOf(inLargeParts(stream))) {
    lines.push(line);
    length += line.length;
    if (length < PIECE) continue;
    yield lines;
    lines = [];
    length = 0;
  }
  yield lines;
}

/** Lines that are not empty; each part is looked through once, however long a line is. */
export async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  for await (const part of parts) {
    const [first = '', ...others] = decoder.decode(part, { stream: true }).split('\n');
    begun.push(first);
    for (const other of others) {
      const line = begun.join('');
      begun = [other];
      if (line !== '') yield line;
    }
  }
}
