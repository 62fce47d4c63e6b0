/** Graphs that cannot be, each with all that is told of it. */
import { type Bad, condition, flow, handled, loop, template, wait } from './builders.ts';

export const GRAPHS: readonly Bad[] = [
  [
    'a next',
    flow(template('a', { next: 'b' }), template('b', { after: ['a'] })),
    ['actions.0.next: is not allowed in a graph: its actions begin by after'],
  ],
  [
    'an after that is not there',
    flow(template('a', { after: ['z'] })),
    ['actions.0.after.0: names no action of this list: "z"; known are a'],
  ],
  [
    'an after that is a text',
    flow(template('a'), template('b', { after: 'a' })),
    ['actions.1.after: must be an array'],
  ],
  [
    'a circle',
    flow(template('a', { after: ['b'] }), template('b', { after: ['a'] })),
    ['actions.0.after.0: closes a circle: "b" itself waits for "a"'],
  ],
  [
    'a circle of three',
    flow(
      template('s', { after: [] }),
      template('x', { after: ['s', 'z'] }),
      template('y', { after: ['x'] }),
      template('z', { after: ['y'] }),
    ),
    ['actions.1.after.1: closes a circle: "z" itself waits for "x", by "y"'],
  ],
  [
    'a circle of many',
    flow(
      ...Array.from({ length: 9 }, (_, at) => template(`a${at}`, { after: [`a${(at + 8) % 9}`] })),
    ),
    [
      'actions.0.after.0: closes a circle: "a8" itself waits for "a0", by "a7", "a6", "a5", "a4", "a3" and 2 more',
    ],
  ],
  [
    'an action after itself',
    flow(template('a', { after: ['a'] })),
    ['actions.0.after.0: names the action itself, which would wait for itself'],
  ],
  [
    'a condition',
    flow(template('a', { after: [] }), condition({ after: ['a'] })),
    ['actions.1.type: "condition" is not allowed in a graph: its actions begin by after'],
  ],
  [
    'a condition with ways on',
    flow(template('a', { after: ['c'] }), condition({ after: [], true: 'a', false: 'z' })),
    ['actions.1.type: "condition" is not allowed in a graph: its actions begin by after'],
  ],
  [
    'a start',
    { start: 'a', actions: [template('a', { after: [] })] },
    ['start: is not allowed in a graph: actions without after begin at once'],
  ],
  [
    'a timeout with an action',
    flow(
      template('a', { after: [] }),
      wait({ mode: 'callback', after: [], timeout: { duration: 'PT1S', action: 'a' } }),
    ),
    [
      'actions.1.timeout.action: is not allowed in a graph: without it the wait fails with TIMED_OUT',
    ],
  ],
  [
    'a route',
    handled({ default: { action: 'a' } }, [template('a', { after: [] })]),
    ['errorHandler.default.action: is not allowed in a graph: its actions begin by after'],
  ],
  [
    'an action that it does not come after',
    flow(template('a', { after: [] }), template('b', { after: [], input: '$.actions.a.output' })),
    ['actions.1.input: names "a", which this action does not come after (1:1)'],
  ],
  [
    'an after in a list within',
    flow(loop([template('a'), template('b', { after: ['l'] })])),
    ['actions.0.action.1.after.0: names an action of another list: "l" is actions.0'],
  ],
];
