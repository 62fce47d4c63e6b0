/** Waits and human tasks that cannot be, each with all that is told of it. */
import { type Bad, flow, task, template, wait } from './builders.ts';

export const PEOPLE: readonly Bad[] = [
  [
    'an unknown mode',
    flow(wait({ mode: 'timer' })),
    ['actions.0.mode: "timer" is not known; known are event, duration, until, callback'],
  ],
  [
    'an event without source and pattern',
    flow(wait({})),
    ['actions.0.eventSource: is required', 'actions.0.eventPattern: is required'],
  ],
  [
    'a duration of an event',
    flow(wait({ eventSource: 's', eventPattern: 'p', duration: 'PT1S' })),
    ['actions.0.duration: is of mode duration, and this one is event'],
  ],
  [
    'a duration without a mode',
    flow(wait({ duration: 'PT1S' })),
    ['actions.0.mode: is required beside duration: set "mode": "duration"'],
  ],
  ['no duration', flow(wait({ mode: 'duration' })), ['actions.0.duration: is required']],
  [
    'a duration that is a number',
    flow(wait({ mode: 'duration', duration: 5 })),
    [
      'actions.0.duration: must be a duration of ISO 8601, of more than zero and up to ten years, such as PT30S or P1D',
    ],
  ],
  [
    'a duration that is no duration',
    flow(wait({ mode: 'duration', duration: '5 minutes' })),
    [
      'actions.0.duration: must be a duration of ISO 8601, of more than zero and up to ten years, such as PT30S or P1D',
    ],
  ],
  [
    'a duration of no time',
    flow(wait({ mode: 'duration', duration: 'PT0S' })),
    [
      'actions.0.duration: must be a duration of ISO 8601, of more than zero and up to ten years, such as PT30S or P1D',
    ],
  ],
  ['no time', flow(wait({ mode: 'until' })), ['actions.0.until: is required']],
  [
    'a time that is none',
    flow(wait({ mode: 'until', until: 'tomorrow' })),
    ['actions.0.until: must be a time such as 2030-01-31T12:00:00Z, or an expression'],
  ],
  [
    'a filter of a callback',
    flow(wait({ mode: 'callback', filter: 'true' })),
    ['actions.0.filter: is of mode event, and this one is callback'],
  ],
  [
    'a filter that does not parse',
    flow(wait({ eventSource: 's', eventPattern: 'p', filter: 'event.(' })),
    ['actions.0.filter: unexpected token (1:7)'],
  ],
  [
    'an unknown since',
    flow(wait({ eventSource: 's', eventPattern: 'p', since: 'ever' })),
    ['actions.0.since: "ever" is not known; known are run, wait'],
  ],
  [
    'a pattern that is too long',
    flow(wait({ eventSource: 's', eventPattern: 'p'.repeat(256) })),
    ['actions.0.eventPattern: must be a text of 1 to 255 characters'],
  ],
  [
    'a timeout that is a text',
    flow(wait({ mode: 'callback', timeout: 'PT1S' })),
    ['actions.0.timeout: must be an object'],
  ],
  [
    'a timeout without duration',
    flow(wait({ mode: 'callback', timeout: { action: null } })),
    ['actions.0.timeout.duration: is required'],
  ],
  [
    'a timeout that leads nowhere',
    flow(wait({ mode: 'callback', timeout: { duration: 'PT1S', action: 'b' } })),
    ['actions.0.timeout.action: names no action of this list: "b"; known are w'],
  ],
  [
    'a timeout that leads back',
    flow(
      template('a', { next: 'w' }),
      wait({ mode: 'callback', timeout: { duration: 'PT1S', action: 'a' } }),
    ),
    ['actions.1.timeout.action: leads back to "a": a loop is the way to repeat'],
  ],
  [
    'lists for assignees and a form',
    flow(task({ assignees: ['ada'], form: [] })),
    [
      'actions.0.assignees: must be an object: {"roles": […], "users": […]}',
      'actions.0.form: must be an object: {"fields": […]}',
    ],
  ],
  [
    'no title and no assignees',
    flow({ id: 'h', type: 'humanTask' }),
    ['actions.0.title: is required', 'actions.0.assignees: is required'],
  ],
  [
    'an empty title',
    flow(task({ title: '' })),
    ['actions.0.title: must be a text of at least one character, or an expression'],
  ],
  [
    'a description that is a number',
    flow(task({ description: 5 })),
    ['actions.0.description: must be a text, or an expression'],
  ],
  [
    'assignees that are a list',
    flow(task({ assignees: ['Admin'] })),
    ['actions.0.assignees: must be an object: {"roles": […], "users": […]}'],
  ],
  [
    'assignees that are nobody',
    flow(task({ assignees: { roles: [], users: [] } })),
    ['actions.0.assignees: must name at least one role or user'],
  ],
  [
    'an unknown role',
    flow(task({ assignees: { roles: ['admin', 'None', 'group:'] } })),
    [
      'actions.0.assignees.roles.0: must be one of Read, Write, Admin, SuperAdmin, or group:<name>',
      'actions.0.assignees.roles.1: must be one of Read, Write, Admin, SuperAdmin, or group:<name>',
      'actions.0.assignees.roles.2: must be one of Read, Write, Admin, SuperAdmin, or group:<name>',
    ],
  ],
  [
    'an empty user',
    flow(task({ assignees: { users: [''] } })),
    ['actions.0.assignees.users.0: must be a username or a UUID'],
  ],
  ['a form without fields', flow(task({ form: {} })), ['actions.0.form.fields: is required']],
  [
    'a field without id',
    flow(task({ form: { fields: [{ type: 'string' }] } })),
    ['actions.0.form.fields.0.id: is required'],
  ],
  [
    'a field that is a text',
    flow(task({ form: { fields: ['name'] } })),
    ['actions.0.form.fields.0: must be an object'],
  ],
  [
    'a field twice',
    flow(task({ form: { fields: [{ id: 'a' }, { id: 'a' }] } })),
    ['actions.0.form.fields.1.id: is the id of another field'],
  ],
  [
    'an unknown type of a field',
    flow(task({ form: { fields: [{ id: 'a', type: 'file' }] } })),
    [
      'actions.0.form.fields.0.type: "file" is not known; known are string, text, number, integer, boolean, date, select, multiselect',
    ],
  ],
  [
    'a choice without options',
    flow(task({ form: { fields: [{ id: 'a', type: 'select' }] } })),
    ['actions.0.form.fields.0.options: is required'],
  ],
  [
    'no option of a choice',
    flow(task({ form: { fields: [{ id: 'a', type: 'select', options: [] }] } })),
    ['actions.0.form.fields.0.options: must have 1 to 1000 options'],
  ],
  [
    'an option that is a number',
    flow(
      task({ form: { fields: [{ id: 'a', type: 'multiselect', options: [1, { label: 'x' }] }] } }),
    ),
    [
      'actions.0.form.fields.0.options.0: must be a text, or an object of value and label',
      'actions.0.form.fields.0.options.1.value: is required',
    ],
  ],
  [
    'options of a text',
    flow(task({ form: { fields: [{ id: 'a', type: 'text', options: ['x'] }] } })),
    ['actions.0.form.fields.0.options: is of select and multiselect, and this is text'],
  ],
  [
    'an escalation without roles',
    flow(task({ timeout: { duration: 'PT1H', escalation: {} } })),
    ['actions.0.timeout.escalation.roles: is required'],
  ],
  [
    'an escalation to an unknown role',
    flow(task({ timeout: { duration: 'PT1H', escalation: { roles: ['boss'] } } })),
    [
      'actions.0.timeout.escalation.roles.0: must be one of Read, Write, Admin, SuperAdmin, or group:<name>',
    ],
  ],
];
