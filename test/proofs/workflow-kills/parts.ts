/** Parts that the killed workflows are put together from. Each step adds a word to a list. */
import type { Json } from '../../../proto/json.ts';

/** A part of a definition. */
export type Part = { readonly [member: string]: Json };

/** A workflow, and what an undisturbed run of it does. */
export interface Shape {
  readonly name: string;
  readonly definition: Part;
  readonly status: 'succeeded' | 'failed';
  /** Words that its steps add, each once. */
  readonly words: readonly string[];
}

/** Milliseconds of every wait for a time. */
export const WAIT_MS = 700;
/** The same, as durations are written. */
export const WAIT = `PT${WAIT_MS / 1000}S`;

/** The id of an action and what an element adds to its word. */
export function step(id: string, more: Part = {}, word = ''): Part {
  const element = word === '' ? id : `$(\`${id}${word}\`)`;
  const request = { type: 'RPUSH', key: '$.input.list', element: [element] };
  return { id, type: 'endpoint', endpoint: 'list', operation: 'write', input: request, ...more };
}
/** What an element, or an input, adds to a word. */
export const by = (...names: string[]) => names.map((name) => `-\${$.${name}}`).join('');
/** What an element of a loop adds to a word. */
export const of = by('item');
/** A wait for a time. */
export const wait = (id: string, more: Part = {}): Part => ({
  ...{ id, type: 'wait', mode: 'duration', duration: WAIT },
  ...more,
});
/** What always fails: a list is no number. */
export const broken = (id: string, more: Part = {}): Part => ({
  ...{ id, type: 'endpoint', endpoint: 'list', operation: 'write' },
  input: { type: 'INCR', key: '$.input.never' },
  ...more,
});
/** A member that lets an action be undone by a word. */
export const undo = (id: string, word = '') => ({ compensation: step(`undo-${id}`, {}, word) });
/** A loop over three elements. */
export const loop = (id: string, action: Json, more: Part = {}): Part => ({
  ...{ id, type: 'loop', collection: '[1, 2, 3]', action },
  ...more,
});
/** Branches alongside each other. */
export const parallel = (id: string, branches: Json[], more: Part = {}): Part => ({
  ...{ id, type: 'parallel', branches },
  ...more,
});
/** A run of another workflow. */
export const child = (id: string, more: Part = {}, workflow = 'child', name: Json = id): Part => ({
  ...{ id, type: 'subworkflow', workflow },
  input: { list: '$.input.list', never: '$.input.never', name },
  ...more,
});
/** A task that nobody completes. */
export const task = (id: string, more: Part = {}): Part => ({
  ...{ id, type: 'humanTask', title: 'Look', assignees: { roles: ['Admin'] } },
  ...more,
});
/** Each action with the next. */
export function chain(...actions: Part[]): Part[] {
  return actions.map((action, at) => {
    const next = actions[at + 1]?.id;
    return next === undefined || action.type === 'condition' ? action : { next, ...action };
  });
}

/** Words that a loop's elements add. */
export const each = (id: string) => [1, 2, 3].map((item) => `${id}-${item}`);

/** A shape whose run succeeds. */
export function shape(
  name: string,
  actions: Part[],
  words: readonly string[],
  more: Part = {},
): Shape {
  return { name, definition: { actions: chain(...actions), ...more }, status: 'succeeded', words };
}

/** A shape whose run fails. */
export function failing(
  name: string,
  actions: Part[],
  words: readonly string[],
  more: Part = {},
): Shape {
  return { ...shape(name, actions, words, more), status: 'failed' };
}

/** The handler of errors of single actions. */
export const handler = (actions: Part): Part => ({ errorHandler: { actions } });
/** Two attempts, soon after each other. */
export const twice = {
  retry: { maxAttempts: 2, initialInterval: 0.7, retryableErrors: ['REQUEST_FAILED'] },
};

const WIDE = Array.from({ length: 250 }, (_, at) => ({
  ...{ id: `w${at}`, type: 'template', template: 'echo', input: { n: at }, after: ['a'] },
}));
/** A graph in which so much comes after the first action that it begins in several transitions. */
export const WIDE_GRAPH: Shape = {
  name: 'wide graph',
  status: 'succeeded',
  words: ['a', 'z'],
  definition: {
    actions: [step('a', { after: [] }), ...WIDE, step('z', { after: WIDE.map(({ id }) => id) })],
  },
};
