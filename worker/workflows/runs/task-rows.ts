/** Tasks of runs in D1, where people find them; what decides is in the run. Spec: workflows.md §6, `/tasks`. */
import { isJsonObject, type JsonObject, parseJson } from '../../../proto/json.ts';
import { databaseOf } from '../../context.ts';
import type { WorkflowTaskRow } from '../../db/tasks.ts';
import { type SealingContext, seal } from '../../secrets/seal.ts';
import { settingsOf } from '../../settings.ts';
import type { Node } from '../engine/journal.ts';
import { audienceOf } from './audience.ts';
import type { RunEffect } from './head.ts';
import type { RunRow } from './journal.ts';
import { idOf } from './names.ts';
import type { Owner } from './object.ts';
import type { Reachable } from './reachable.ts';
import { endTask, upsertTask } from './store.ts';

/** What a task asks, as its run made it. */
export interface Content {
  readonly title: string;
  readonly description?: string;
  readonly assignees: JsonObject;
  readonly form: JsonObject;
  /** Roles that became assignees when its time ran out once. */
  readonly escalation?: readonly string[];
}

/** Reads what a run made. */
export function contentIn(text: string): Content {
  const content = parseJson(text) as unknown as Content; // As the run made it.
  return isJsonObject(content.assignees) ? content : { ...content, assignees: {} };
}

/** What seals a task's content. */
export function taskSealing(
  settings: SealingContext['settings'],
  { orgUuid, sealedDataKey }: Pick<Owner, 'orgUuid' | 'sealedDataKey'>,
  task: string,
): SealingContext {
  return { settings, orgUuid, sealedDataKey, purpose: `workflow-task:${task}` };
}

/** Id of the task that a node has opened last. */
function lastOf({ driver }: Reachable, row: RunRow, { path, begun, state }: Node): string {
  return state.task ?? idOf(driver.keeper.vault, 'task', row.id, path, begun);
}

/** Writes a task that was opened, or whose time ran out once. */
export async function openTask(
  at: Reachable,
  row: RunRow,
  { path, task, escalated }: Extract<RunEffect, { do: 'open-task' }>,
): Promise<void> {
  const { env, driver } = at;
  const node = driver.keeper.nodeAt(row.run, path);
  const input = driver.inputOf(row.run, path);
  if (!node || input === undefined || node.phase === 'ended') return;
  const uuid = task ?? lastOf(at, row, node);
  const { orgUuid } = row.head;
  const due = driver.dueAt(row.run, path, 'timeout');
  const content = withEscalation(at, row, node.action, input, escalated);
  const sealing = taskSealing(settingsOf(env), row.head, uuid);
  const opened: WorkflowTaskRow = {
    orgUuid,
    uuid,
    workflowUuid: row.head.workflow.uuid,
    runUuid: row.id,
    action: node.action,
    path,
    status: 'open',
    sealedContent: await seal(sealing, content),
    ...(await audienceOf(sealing, contentIn(content))),
    createdAt: node.attemptAt,
    dueAt: due ?? null,
    escalated,
    completedBy: null,
    completedAt: null,
  };
  await upsertTask(databaseOf(env), opened);
}

/** Once it is escalated, more roles may complete it. */
function withEscalation(
  { driver }: Reachable,
  row: RunRow,
  id: string,
  input: string,
  escalated: boolean,
): string {
  const action = driver.workflowOf(row)?.byId.get(id);
  const more = action?.type === 'humanTask' ? action.timeout?.escalation : undefined;
  if (!escalated || !more) return input;
  const task = parseJson(input) as JsonObject; // As the engine made it.
  return JSON.stringify({ ...task, escalation: [...more] });
}

/** Writes that a task is over. */
export async function closeTask(
  at: Reachable,
  row: RunRow,
  { path, task, status, by }: Extract<RunEffect, { do: 'close-task' }>,
): Promise<void> {
  const node = at.driver.keeper.nodeAt(row.run, path);
  const uuid = task ?? (node && lastOf(at, row, node));
  if (uuid === undefined) return;
  const { orgUuid } = row.head;
  await endTask(databaseOf(at.env), orgUuid, uuid, {
    status,
    completedBy: status === 'done' ? (by ?? node?.by ?? null) : null,
    completedAt: Date.now(),
  });
}
