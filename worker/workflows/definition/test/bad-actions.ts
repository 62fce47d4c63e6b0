/** Actions and their order that cannot be, each with all that is told of it. */
import { type Bad, condition, flow, loop, task, template } from './builders.ts';

export const ACTIONS: readonly Bad[] = [
  ['no id', flow({ type: 'template', template: 't' }), ['actions.0.id: is required']],
  [
    'an id with a dot',
    flow(template('a.b')),
    ['actions.0.id: must be 1 to 64 letters, digits, _ and -'],
  ],
  [
    'an id that is too long',
    flow(template('a'.repeat(65))),
    ['actions.0.id: must be 1 to 64 letters, digits, _ and -'],
  ],
  [
    'an id twice',
    flow(template('a', { next: 'b' }), template('b', { next: 'x' }), {
      ...loop(template('a')),
      id: 'x',
    }),
    ['actions.2.action.id: is the id of another action: actions.0'],
  ],
  [
    'no type',
    flow({ id: 'a' }),
    [
      'actions.0.type: is required: endpoint, template, condition, parallel, loop, wait, humanTask, subworkflow, dynamicAction',
    ],
  ],
  [
    'an unknown type',
    flow({ id: 'a', type: 'http' }),
    [
      'actions.0.type: "http" is not known; known are endpoint, template, condition, parallel, loop, wait, humanTask, subworkflow, dynamicAction',
    ],
  ],
  [
    'a misspelt type',
    flow({ id: 'a', type: 'templat', template: 't' }),
    ['actions.0.type: "templat" is not known; did you mean "template"?'],
  ],
  [
    'a type that is no text',
    flow({ id: 'a', type: 1 }),
    [
      'actions.0.type: must be one of endpoint, template, condition, parallel, loop, wait, humanTask, subworkflow, dynamicAction',
    ],
  ],
  [
    'a member of another type',
    flow(template('a', { endpoint: 'sql' })),
    [
      'actions.0.endpoint: is no member of an action of type template; known are id, type, name, input, next, output, idempotencyKey, compensation, template, timeout',
    ],
  ],
  [
    'members of handlers and of the workflow',
    flow(template('a', { retry: {}, jitter: true, errorHandler: {}, trigger: {} })),
    [
      'actions.0.retry: is no member of an action of type template; it belongs in errorHandler.actions.a.retry',
      'actions.0.jitter: is no member of an action of type template; it belongs in errorHandler.actions.a.retry.jitter',
      'actions.0.errorHandler: is no member of an action of type template; it belongs in errorHandler.actions.a of the workflow',
      'actions.0.trigger: is no member of an action of type template; it belongs in trigger of the workflow, beside actions',
    ],
  ],
  [
    'a member of a handler, of an action without id',
    flow({ type: 'template', template: 't', retry: {} }),
    [
      'actions.0.id: is required',
      'actions.0.retry: is no member of an action of type template; it belongs in errorHandler.actions.<id>.retry',
    ],
  ],
  [
    'an escalation of a task',
    flow(task({ escalation: { roles: ['Admin'] } })),
    [
      'actions.0.escalation: is no member of an action of type humanTask; it belongs in timeout.escalation',
    ],
  ],
  [
    'a misspelt member',
    flow(template('a', { nxet: null })),
    ['actions.0.nxet: is no member of an action of type template; did you mean "next"?'],
  ],
  [
    'a next that is not there',
    flow(template('a', { next: 'b' })),
    ['actions.0.next: names no action of this list: "b"; known are a'],
  ],
  [
    'a next that is misspelt',
    flow(template('load', { next: 'laod' })),
    ['actions.0.next: names no action of this list: "laod"; did you mean "load"?'],
  ],
  [
    'a next that is a number',
    flow(template('a', { next: 5 })),
    ['actions.0.next: must be the id of an action of the same list, or null'],
  ],
  [
    'a next in another list',
    flow(template('a', { next: 'b' }), { ...loop(template('b')), id: 'l' }),
    [
      'actions.0.next: names an action of another list: "b" is actions.1.action',
      'actions.1: is never reached: no way leads from "a" to it',
    ],
  ],
  [
    'an action that leads to itself',
    flow(template('a', { next: 'a' })),
    ['actions.0.next: leads back to "a": a loop is the way to repeat'],
  ],
  [
    'a circle',
    flow(template('a', { next: 'b' }), template('b', { next: 'c' }), template('c', { next: 'a' })),
    ['actions.2.next: leads back to "a": a loop is the way to repeat'],
  ],
  [
    'an action that is never reached',
    flow(template('a'), template('b')),
    ['actions.1: is never reached: no way leads from "a" to it; give "a" "next": "b"'],
  ],
  [
    'two that are never reached',
    flow(template('a'), template('b', { next: 'c' }), template('c')),
    [
      'actions.1: is never reached: no way leads from "a" to it; give "a" "next": "b"',
      'actions.2: is never reached: no way leads from "a" to it',
    ],
  ],
  [
    'a choice without a condition',
    flow(template('a', { next: { true: 'b', false: null } }), template('b')),
    ['actions.0.next.condition: is required'],
  ],
  [
    'a choice with an unknown member',
    flow(template('a', { next: { condition: 'true', else: 'b' } })),
    ['actions.0.next.else: is no member of next; did you mean "false"?'],
  ],
  [
    'a choice that does not parse',
    flow(template('a', { next: { condition: '1 +', true: null } })),
    ['actions.0.next.condition: unexpected token (1:4)'],
  ],
  [
    'a timeout of a condition',
    flow(condition({ timeout: 'PT1S' })),
    [
      'actions.0.timeout: is no member of an action of type condition; known are id, type, name, input, next, output, idempotencyKey, compensation, condition, true, false',
    ],
  ],
  [
    'a timeout that is an object',
    flow(template('a', { timeout: { duration: 'PT1S' } })),
    ['actions.0.timeout: must be a text of at least one character'],
  ],
  [
    'a timeout that is no duration',
    flow(template('a', { timeout: '1 minute' })),
    [
      'actions.0.timeout: must be a duration of ISO 8601, of more than zero and up to ten years, such as PT30S or P1D',
    ],
  ],
  [
    'an empty name',
    flow(template('a', { name: '' })),
    ['actions.0.name: must be a text of at least one character'],
  ],
  [
    'an idempotency key that is no text',
    flow(template('a', { idempotencyKey: {} })),
    ['actions.0.idempotencyKey: must be a text of at least one character'],
  ],
  [
    'an idempotency key over itself',
    flow(template('a', { idempotencyKey: '$.actions.a.output' })),
    ['actions.0.idempotencyKey: is "a" itself, which has not run then (1:1)'],
  ],
  [
    'a compensation that is a list',
    flow(template('a', { compensation: [template('b')] })),
    ['actions.0.compensation: must be one action, and is a list'],
  ],
  [
    'a compensation without id',
    flow(template('a', { compensation: { type: 'template', template: 't' } })),
    ['actions.0.compensation.id: is required'],
  ],
  [
    'a compensation of a compensation',
    flow(template('a', { compensation: template('b', { compensation: template('c') }) })),
    [
      'actions.0.compensation.compensation: is not allowed on a compensation: only what a run did is compensated',
    ],
  ],
  [
    'a compensation that goes on',
    flow(template('a', { compensation: template('b', { next: 'a' }) })),
    ['actions.0.compensation.next: names an action of another list: "a" is actions.0'],
  ],
  ['no template', flow({ id: 'a', type: 'template' }), ['actions.0.template: is required']],
  [
    'an empty template',
    flow(template('a', { template: '' })),
    ['actions.0.template: must be a text of at least one character'],
  ],
  ['no workflow', flow({ id: 'a', type: 'subworkflow' }), ['actions.0.workflow: is required']],
  [
    'a wait for completion that is a text',
    flow({ id: 'a', type: 'subworkflow', workflow: 'w', waitForCompletion: 'yes' }),
    ['actions.0.waitForCompletion: must be true or false'],
  ],
  ['no condition', flow({ id: 'c', type: 'condition' }), ['actions.0.condition: is required']],
  [
    'a condition with next',
    flow(condition({ true: 'a', next: 'a' }), template('a')),
    ['actions.0.next: is not allowed on a condition: it goes on by true and false'],
  ],
  [
    'an action that no way of a condition leads to',
    flow(condition({}), template('a')),
    ['actions.1: is never reached: no way leads from "c" to it; give "c" "true": "a"'],
  ],
  [
    'a way that is not there',
    flow(condition({ true: 'b', false: 'c' })),
    [
      'actions.0.true: names no action of this list: "b"; known are c',
      'actions.0.false: leads back to "c": a loop is the way to repeat',
    ],
  ],
];
