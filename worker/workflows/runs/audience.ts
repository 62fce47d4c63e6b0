/** Who may complete a task, as lists are searched by: levels by their rank, users and groups by tags that reveal no name. */
import type { Json, JsonObject } from '../../../proto/json.ts';
import type { WorkflowTaskRow } from '../../db/tasks.ts';
import { LEVELS, type Level } from '../../levels.ts';
import { type SealingContext, tagsOf } from '../../secrets/seal.ts';

/** Tags of one task; of one with more only its content says. */
const TAGS_MAX = 100;
const PURPOSE = 'workflow-task-audience';

/** Who may complete a task. */
interface Assignees {
  /** Levels, and groups as `group:<name>`. */
  readonly roles: readonly string[];
  /** Usernames and UUIDs, in small letters. */
  readonly users: readonly string[];
}

/** The assignees of a task's content. @param escalation roles that became assignees, too */
export function assigneesIn({
  assignees,
  escalation = [],
}: {
  readonly assignees: JsonObject;
  readonly escalation?: readonly string[];
}): Assignees {
  const users = textsIn(assignees.users).map((user) => user.toLowerCase());
  return { roles: [...textsIn(assignees.roles), ...escalation], users };
}

/** The columns of a task's row that it is found by. */
export async function audienceOf(
  sealing: SealingContext,
  content: Parameters<typeof assigneesIn>[0],
): Promise<Pick<WorkflowTaskRow, 'audienceRank' | 'audience'>> {
  const { roles, users } = assigneesIn(content);
  const ranks = roles.filter(isLevel).map(rankOf);
  const names = [...roles.filter((role) => !isLevel(role)), ...users];
  const tags = names.length > TAGS_MAX ? undefined : await audienceTags(sealing, names);
  return {
    audienceRank: ranks.length === 0 ? null : Math.min(...ranks),
    audience: tags === undefined ? null : JSON.stringify(tags),
  };
}

/** The tags of names that `audienceOf` finds them by: usernames and UUIDs in small letters, groups as `group:<name>`. */
export function audienceTags(
  sealing: SealingContext,
  names: readonly string[],
): Promise<readonly string[]> {
  return tagsOf({ ...sealing, purpose: PURPOSE }, names);
}

/** Whether a role is a level. */
export function isLevel(text: string): text is Level {
  return (LEVELS as readonly string[]).includes(text);
}

/** How high a level is. */
export function rankOf(level: Level): number {
  return LEVELS.indexOf(level);
}

function textsIn(json: Json | undefined): string[] {
  const list = Array.isArray(json) ? json : [json];
  return list.filter((each): each is string => typeof each === 'string');
}
