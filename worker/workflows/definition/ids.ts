/** Names that a definition gives. Spec: workflows.md §1. */

/** Ids of actions, of form fields, and segments of a webhook's path. */
export const ACTION_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Most actions of a definition, all of the tree counted. Spec silent. */
export const ACTIONS_MAX = 10_000;
/** The message about any other id. */
export const ACTION_ID_FORM = 'must be 1 to 64 letters, digits, _ and -';
/** Ids that a hint may name: those that actions can have. */
export function* nameable(ids: Iterable<string>): Generator<string> {
  for (const id of ids) if (ACTION_ID.test(id)) yield id;
}

/** Names in `as` and `index`: what an expression may write behind `$.`. */
export const LOOP_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** Members of `$` that no loop may hide. */
const ROOT_NAMES = ['input', 'trigger', 'run', 'actions', 'error', 'results'];
/** Names that no element and no position may have: as `output` it could not be read where an action's own output is. */
export const TAKEN_NAMES = [...ROOT_NAMES, 'output'];
