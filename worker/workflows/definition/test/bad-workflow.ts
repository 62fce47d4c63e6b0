/** Members of a workflow that cannot be, each with all that is told of it. */
import { type Bad, loop, one, template } from './builders.ts';

export const WORKFLOW: readonly Bad[] = [
  ['no members', {}, ['name: is required', 'actions: is required']],
  [
    'an unknown member',
    { actions: one, colour: 'red' },
    [
      'colour: is no member of a workflow; known are id, name, description, version, status, runAs, key, trigger, input, start, actions, output, errorHandler, executionSettings, humanInteraction, monitoring, collaboration, documentation',
    ],
  ],
  [
    'a misspelt member',
    { actions: one, trigers: [] },
    ['trigers: is no member of a workflow; did you mean "trigger"?'],
  ],
  [
    'members of what is within',
    {
      actions: one,
      deadLetterQueue: {},
      retry: {},
      maxAttempts: 3,
      timeout: 'PT1S',
      inputSchema: {},
      next: 'a',
    },
    [
      'deadLetterQueue: is no member of a workflow; it belongs in errorHandler.deadLetterQueue',
      'retry: is no member of a workflow; it belongs in errorHandler.default.retry, or errorHandler.actions.<id>.retry',
      'maxAttempts: is no member of a workflow; it belongs in errorHandler.default.retry.maxAttempts, or errorHandler.actions.<id>.retry.maxAttempts',
      'timeout: is no member of a workflow; it belongs in executionSettings.timeout',
      'inputSchema: is no member of a workflow; it belongs in input.schema',
      'next: is no member of a workflow; it belongs in an action',
    ],
  ],
  ['no actions', { actions: [] }, ['actions: must have at least one action']],
  ['actions that are no list', { actions: {} }, ['actions: must be an array']],
  [
    'actions that are no objects',
    { actions: ['a', 1] },
    ['actions.0: must be an object, an action', 'actions.1: must be an object, an action'],
  ],
  ['a name that is empty', { name: '', actions: one }, ['name: may not be empty']],
  ['a name that is no text', { name: 5, actions: one }, ['name: must be a string, not a number']],
  [
    'a description that is no text',
    { description: [], actions: one },
    ['description: must be a string, not an array'],
  ],
  [
    'a version with blanks',
    { version: '1 0', actions: one },
    ['version: must be 1 to 64 letters, digits and . _ + -, and begin with a letter or digit'],
  ],
  [
    'an id with blanks',
    { id: 'a b', actions: one },
    [
      'id: must be 1 to 128 letters, digits, dots, underscores and hyphens, and begin with a letter or digit',
    ],
  ],
  [
    'an id that is a UUID',
    { id: '00000000-0000-4000-8000-000000000000', actions: one },
    ['id: may not be a UUID'],
  ],
  ['an id that is reserved', { id: 'subjects', actions: one }, ['id: may not be "subjects"']],
  [
    'an unknown status',
    { status: 'stopped', actions: one },
    ['status: "stopped" is not known; known are active, paused'],
  ],
  [
    'unknown rights',
    { runAs: 'root', actions: one },
    ['runAs: "root" is not known; known are caller, author'],
  ],
  [
    'a start that is no action',
    { start: 'b', actions: one },
    ['start: names no action of the top level: "b"'],
  ],
  [
    'a start within a loop',
    { start: 'b', actions: [loop(template('b'))] },
    ['start: names no action of the top level: "b"'],
  ],
  [
    'a key over more than the input',
    { key: '$.actions.a.output', actions: one },
    ['key: may read $.input alone: nothing else is known then (1:1)'],
  ],
  [
    'a key over everything',
    { key: 'JSON.stringify($)', actions: one },
    ['key: may read $.input alone: nothing else is known then (1:16)'],
  ],
  ['a key that does not parse', { key: '$.input.', actions: one }, ['key: unexpected token (1:9)']],
  [
    'a key that is no text',
    { key: 5, actions: one },
    ['key: must be a text of at least one character'],
  ],
  ['an input that is no object', { input: 'x', actions: one }, ['input: must be an object']],
  [
    'an unknown member of input',
    { input: { shema: {} }, actions: one },
    ['input.shema: is no member of input; did you mean "schema"?'],
  ],
  [
    'a schema that is no schema',
    { input: { schema: 5 }, actions: one },
    ['input.schema: must be a JSON Schema'],
  ],
  [
    'a schema with an unknown type',
    { input: { schema: { type: 'object', properties: { a: { type: 'text' } } } }, actions: one },
    [
      'input.schema.properties.a.type: is not "array", "boolean", "integer", "null", "number", "object" or "string"',
    ],
  ],
  [
    'an output over what is not there',
    { output: { x: '$.actions.b.output' }, actions: one },
    ['output.x: names no action: "b"; known are a (1:1)'],
  ],
  [
    'an output over an action of a loop',
    { output: '$.actions.b.output', actions: [loop(template('b'))] },
    [
      'output: names "b", which is inside the loop "l": its output is in $.actions.l.output.results (1:1)',
    ],
  ],
  [
    'a timeout that is no duration',
    { executionSettings: { timeout: '30s' }, actions: one },
    [
      'executionSettings.timeout: must be a duration of ISO 8601, of more than zero and up to ten years, such as PT30S or P1D',
    ],
  ],
  [
    'a timeout of nothing',
    { executionSettings: { timeout: 'PT0S' }, actions: one },
    [
      'executionSettings.timeout: must be a duration of ISO 8601, of more than zero and up to ten years, such as PT30S or P1D',
    ],
  ],
  [
    'a retention beyond ten years',
    { executionSettings: { retention: 'P11Y' }, actions: one },
    [
      'executionSettings.retention: must be a duration of ISO 8601, of more than zero and up to ten years, such as PT30S or P1D',
    ],
  ],
  [
    'no runs at a time',
    { executionSettings: { maxConcurrency: 0 }, actions: one },
    ['executionSettings.maxConcurrency: must be an integer from 1 to 10000'],
  ],
  [
    'half a run at a time',
    { executionSettings: { maxConcurrency: 1.5 }, actions: one },
    ['executionSettings.maxConcurrency: must be an integer from 1 to 10000'],
  ],
  [
    'a concurrency key over the run',
    { executionSettings: { concurrencyKey: '$.run.id' }, actions: one },
    ['executionSettings.concurrencyKey: may read $.input alone: nothing else is known then (1:1)'],
  ],
  [
    'settings that are no object',
    { executionSettings: [], actions: one },
    ['executionSettings: must be an object'],
  ],
  [
    'documentation that is no object',
    { documentation: 'https://x', actions: one },
    ['documentation: must be an object'],
  ],
];
