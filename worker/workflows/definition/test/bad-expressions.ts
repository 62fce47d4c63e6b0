/** Expressions and what they see that cannot be, each with all that is told of it. */
import { type Bad, condition, flow, loop, template, wait } from './builders.ts';

export const EXPRESSIONS: readonly Bad[] = [
  [
    'an expression that does not parse',
    flow(template('a', { input: { x: '$.input.[' } })),
    ['actions.0.input.x: unexpected token (1:9)'],
  ],
  [
    'an expression in a list',
    flow(template('a', { input: [1, { y: '$(1 +)' }] })),
    ['actions.0.input.1.y: unexpected token (1:4)'],
  ],
  [
    'an action that is not there',
    flow(template('a', { input: '$.actions.b.output' })),
    ['actions.0.input: names no action: "b"; known are a (1:1)'],
  ],
  [
    'an action that is misspelt',
    flow(template('load', { next: 'b' }), template('b', { input: '$.actions.laod.output' })),
    ['actions.1.input: names no action: "laod"; did you mean "load"? (1:1)'],
  ],
  [
    'an action that comes later',
    flow(template('a', { input: '$.actions.b.output', next: 'b' }), template('b')),
    ['actions.0.input: names "b", which cannot have run before (1:1)'],
  ],
  [
    'an action on the other way',
    flow(
      condition({ true: 'a', false: 'b' }),
      template('a'),
      template('b', { input: '$.actions.a.output' }),
    ),
    ['actions.2.input: names "a", which cannot have run before (1:1)'],
  ],
  [
    'an action itself',
    flow(template('a', { input: { x: '$.actions["a"].status' } })),
    ['actions.0.input.x: is "a" itself, which has not run then (1:1)'],
  ],
  [
    'an action that only a run knows',
    flow(template('a', { next: 'b' }), template('b', { input: '$.actions[$.input.which].output' })),
    ['actions.1.input: names an action by a value: write its id, as $.actions.<id> (1:1)'],
  ],
  [
    'a compensation',
    flow(
      template('a', { compensation: template('u'), next: 'b' }),
      template('b', { input: '$.actions.u.output' }),
    ),
    ['actions.1.input: names "u", which cannot have run before (1:1)'],
  ],
  [
    'the way of an action by what comes later',
    flow(template('a', { next: { condition: '$.actions.b.output', true: 'b' } }), template('b')),
    ['actions.0.next.condition: names "b", which cannot have run before (1:1)'],
  ],
  [
    'what is kept of an action by itself',
    flow(template('a', { output: '$.actions.a.output' })),
    ['actions.0.output: is "a" itself, which has not run then (1:1)'],
  ],
  [
    'a callback within a loop',
    flow(template('a', { input: '$.actions.w.url', next: 'l' }), loop(wait({ mode: 'callback' }))),
    [
      'actions.0.input: names "w", which is inside the loop "l": its output is in $.actions.l.output.results (1:1)',
    ],
  ],
  [
    'a statement',
    flow(template('a', { input: '$(return 1)' })),
    ['actions.0.input: unexpected token (1:1)'],
  ],
];
