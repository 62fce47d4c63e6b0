/** Definitions of tests in few words: actions by the first letter of their type. */
import type { Kind } from '../../../../kinds/index.ts';
import type { Json, JsonObject } from '../../../../proto/json.ts';
import { type ReadWorkflow, readWorkflow } from '../read.ts';

/** What it is, its members besides the name, and every fault as `path: message (line:column)`. */
export type Bad = readonly [what: string, members: JsonObject, told: readonly string[]];

type Rest = Readonly<Record<string, Json>>;

export const template = (id: string, rest: Rest = {}): JsonObject => ({
  id,
  type: 'template',
  template: 't',
  ...rest,
});
export const endpoint = (endpoint: string, input: Json, rest: Rest = {}): JsonObject => ({
  id: 'e',
  type: 'endpoint',
  endpoint,
  operation: 'read',
  input,
  ...rest,
});
export const wait = (rest: Rest): JsonObject => ({ id: 'w', type: 'wait', ...rest });
export const task = (rest: Rest): JsonObject => ({
  id: 'h',
  type: 'humanTask',
  title: 'T',
  assignees: { roles: ['Admin'] },
  ...rest,
});
export const loop = (action: Json, rest: Rest = {}): JsonObject => ({
  id: 'l',
  type: 'loop',
  collection: '$.input.all',
  action,
  ...rest,
});
export const parallel = (branches: Json, rest: Rest = {}): JsonObject => ({
  id: 'p',
  type: 'parallel',
  branches,
  ...rest,
});
export const dynamic = (selection: Json, rest: Rest = {}): JsonObject => ({
  id: 'd',
  type: 'dynamicAction',
  selection,
  ...rest,
});
export const condition = (rest: Rest): JsonObject => ({
  id: 'c',
  type: 'condition',
  condition: '$.input.x',
  ...rest,
});

/** Actions one after the other, or as their members say. */
export const flow = (...actions: Json[]): JsonObject => ({ actions });
/** One action that calls a template. */
export const one: Json[] = [template('a')];
export const handled = (errorHandler: Json, actions: Json[] = one): JsonObject => ({
  actions,
  errorHandler,
});
export const fired = (trigger: Json, rest: Rest = {}): JsonObject => ({
  actions: one,
  trigger,
  ...rest,
});
export const hook = (authentication: Json, rest: Rest = {}): JsonObject =>
  fired({ type: 'webhook', path: 'a', authentication, ...rest });

const KINDS = new Map<string, Kind>([
  ['sql', 'postgres'],
  ['kv', 'redis'],
  ['doc', 'mongo'],
  ['web', 'http'],
]);

/** Reads a definition where the endpoints are `sql`, `kv`, `doc` and `web`. */
export function read(definition: JsonObject): ReadWorkflow {
  return readWorkflow(definition, { kindOf: (endpoint) => KINDS.get(endpoint) });
}
