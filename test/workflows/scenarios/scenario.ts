/**
 * The scenarios of Serverless Workflow's conformance features as definitions of ours. There a task
 * replaces the one document that a run carries; here an action has an output of its own, and the
 * workflow's `output` says what the run answers.
 */
import type { Json, JsonObject } from '../../../proto/json.ts';

/** A template that answers its input's `value`: what `set` is there. */
export const SET = {
  id: 'set',
  name: 'Set',
  transformationRules: [{ target: 'value', source: 'value' }],
};

/** A template that refuses everything with an error of its own: what `raise` is there. */
export const RAISE = {
  id: 'raise',
  name: 'Raise',
  transformationRules: [
    {
      target: 'never',
      source: 'never',
      validation: [
        {
          type: 'required',
          message: 'Compliance Error',
          code: 'https://serverlessworkflow.io/errors/types/compliance',
        },
      ],
    },
  ],
};

/** Endpoints of kind `http` on the pet store: without a login, and with its own. */
export const PETS = 'pets';
export const LOGGED_IN = 'pets-with-login';

/** A scenario, by the words of its feature. */
interface Named {
  readonly feature: string;
  readonly scenario: string;
}

/** One that is run. */
export interface Scenario extends Named {
  /** What is otherwise here. */
  readonly note?: string;
  readonly definition: JsonObject;
  readonly input: JsonObject;
  /** What is compared of the record. */
  readonly ends: JsonObject;
  /** Paths of the actions that ran, in the order of their starts. */
  readonly ran: readonly string[];
}

/** One that has no equivalent. */
export interface Without extends Named {
  readonly reason: string;
}

/** An action that answers a value. */
export const set = (id: string, value: Json, more: JsonObject = {}): JsonObject => ({
  ...{ id, type: 'template', template: SET.id, input: { value }, output: '$.output.value' },
  ...more,
});
/** An action that gets something of the pet store. */
export const get = (
  id: string,
  path: string,
  query: JsonObject,
  more: JsonObject = {},
): JsonObject => ({
  ...{ id, type: 'endpoint', endpoint: PETS, operation: 'read', input: { path, query } },
  ...more,
});
/** The colors that there are, with one more. */
export const append = (color: string, before = '$.input') => ({
  colors: `$([...(${before}.colors ?? []), ${color}])`,
});
/** A record of success. */
export const succeeds = (output: Json): JsonObject => ({ status: 'succeeded', output });
