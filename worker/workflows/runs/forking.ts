/** Copies into a fork what it keeps of another run, piece by piece: until all is there, the fork is no run. Spec: workflows.md §6, `fork`. */
import type { Workflow } from '../definition/tree.ts';
import type { Turn } from '../engine/turn.ts';
import type { Order } from './head.ts';
import type { SqlJournal } from './journal.ts';
import type { Keeper } from './keeper.ts';
import { putKept } from './kept.ts';
import { type Reachable, runsObject } from './reachable.ts';
import { deleteRun } from './tables.ts';

/** Characters of what is written at a time, about. */
const PIECE = 1024 * 1024;

/** Copies all. Answers false where there is no room, or the other run is gone: then the fork is, too. */
export async function copyKept(
  { env, driver }: Reachable,
  run: number,
  workflow: Workflow,
  { orgUuid, forkedFrom = '', fork }: Order,
): Promise<boolean> {
  const { keeper, allowance } = driver;
  if (!fork) return true;
  const put = (lines: readonly string[]) => {
    const copy = (turn: Turn, journal: SqlJournal) => {
      journal.reach(fork.reached);
      putKept(turn, lines);
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
        put(lines);
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
  let rest = '';
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts.filter((part) => part !== '')) {
      lines.push(line);
      length += line.length;
    }
    if (length < PIECE) continue;
    yield lines;
    lines = [];
    length = 0;
  }
  yield lines;
}
