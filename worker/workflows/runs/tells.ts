/** Events of runs that the organization's log is told of with the next write of the index. Spec: workflows.md §5, "Our own events". */
import { type JsonObject, parseJson } from '../../../proto/json.ts';
import { type NewEvent, OWN } from '../../events/object.ts';
import type { RunEffect } from './head.ts';
import type { RunRow } from './journal.ts';
import type { Keeper } from './keeper.ts';

type Tell = Extract<RunEffect, { do: 'tell' }>;

/** A line of what is to be told of a run. */
interface TellRecord extends Omit<Tell, 'do'> {
  /** Names it among all of the run. */
  readonly name: string;
  /** ISO 8601. */
  readonly time: string;
}

/** Whether an effect is told with the index. */
export function isTell(effect: RunEffect): effect is Tell {
  return effect.do === 'tell';
}

/** Adds what is told of a run, which is then written to the index, too. @param of names what they come with, once in the run */
export function addTells(
  sql: SqlStorage,
  run: number,
  of: number | string,
  tells: readonly Tell[],
): void {
  const time = new Date().toISOString();
  const lines = tells.map(({ do: _, ...tell }, at): string => {
    const line: TellRecord = { ...tell, name: `${of}.${at}`, time };
    return `${JSON.stringify(line)}\n`;
  });
  const onConflict = 'ON CONFLICT (run) DO UPDATE SET tells = tells || excluded.tells';
  if (lines.length > 0) {
    sql.exec(`INSERT INTO unindexed VALUES (?, ?) ${onConflict}`, run, lines.join(''));
  } else sql.exec("INSERT OR IGNORE INTO unindexed VALUES (?, '')", run);
}

/** What the log of events is told. @param tells as they were added */
export function eventsOf(keeper: Keeper, { id, head, run }: RunRow, tells: string): NewEvent[] {
  return tells
    .split('\n')
    .filter((line) => line !== '')
    .map((text) => {
      const { event, path, data, name, time } = JSON.parse(text) as TellRecord; // As addTells wrote it.
      const all = {
        workflow: head.workflow.id,
        run_id: id,
        ...(path === '' ? {} : { path }),
        ...data,
        ...(event.startsWith('task.') ? askedAt(keeper, run, path) : {}),
      };
      const by = { workflow: head.workflow.uuid, chain: head.chain ?? 1 };
      return {
        ...{ source: OWN, event, id: `${id}:${name}`, time },
        ...{ data: JSON.stringify(all), by },
      };
    });
}

/** Characters of a task's title that are told, and of its assignees as JSON. Spec silent. */
const TITLE_MAX = 1_000;
const ASSIGNEES_MAX = 64 * 1024;

/**
 * What a task asks, and of whom, so that somebody can be told by mail: read when it is told, since the
 * lines that wait to be told are not sealed. Spec: workflows.md §5, "`data` of these events".
 */
function askedAt(keeper: Keeper, run: number, path: string): JsonObject {
  const input = keeper.nodeAt(run, path)?.input;
  if (input === undefined) return {};
  const { title, assignees } = parseJson(keeper.text(run, input)) as JsonObject; // As the engine made it.
  const isTold = assignees !== undefined && JSON.stringify(assignees).length <= ASSIGNEES_MAX;
  return {
    ...(typeof title === 'string' ? { title: title.slice(0, TITLE_MAX) } : {}),
    ...(isTold ? { assignees } : {}),
  };
}
