/** Actions that hold others that cannot be, each with all that is told of it. */
import { type Bad, dynamic, flow, loop, parallel, template } from './builders.ts';

export const CONTAINERS: readonly Bad[] = [
  ['no branches', flow({ id: 'p', type: 'parallel' }), ['actions.0.branches: is required']],
  ['no branch', flow(parallel([])), ['actions.0.branches: must have 1 to 100 branches']],
  [
    'an empty branch',
    flow(parallel([[template('a')], []])),
    ['actions.0.branches.1: must have at least one action'],
  ],
  [
    'a branch that is a text',
    flow(parallel(['a'])),
    ['actions.0.branches.0: must be an object, an action'],
  ],
  [
    '101 branches',
    flow(parallel(Array.from({ length: 101 }, (_, i) => template(`a${i}`)))),
    ['actions.0.branches: must have 1 to 100 branches'],
  ],
  [
    'results to join that are a text',
    flow(parallel([template('a')], { joinResults: 'yes' })),
    ['actions.0.joinResults: must be true or false'],
  ],
  [
    'a branch that leads out',
    flow(parallel([template('a', { next: 'b' })], { next: 'b' }), template('b')),
    ['actions.0.branches.0.next: names an action of another list: "b" is actions.1'],
  ],
  [
    'a branch that reads another',
    flow(parallel([template('a'), template('b', { input: '$.actions.a.output' })])),
    ['actions.0.branches.1.input: names "a", which runs beside this action, or in its place (1:1)'],
  ],
  [
    'a branch that reads its parallel',
    flow(parallel([template('a', { input: '$.actions.p.output' })])),
    ['actions.0.branches.0.input: is "p" itself, which has not run then (1:1)'],
  ],
  [
    'no collection',
    flow({ id: 'l', type: 'loop', action: template('a') }),
    ['actions.0.collection: is required'],
  ],
  [
    'no action of a loop',
    flow({ id: 'l', type: 'loop', collection: '$.input.all' }),
    ['actions.0.action: is required'],
  ],
  ['an empty loop', flow(loop([])), ['actions.0.action: must have at least one action']],
  [
    'a collection that is a list',
    flow(loop(template('a'), { collection: [1, 2] })),
    ['actions.0.collection: must be a text of at least one character'],
  ],
  [
    'an element called input',
    flow(loop(template('a'), { as: 'input' })),
    ['actions.0.as: may not be one of input, trigger, run, actions, error, results, output'],
  ],
  [
    'an element called output',
    flow(loop(template('a'), { as: 'output' })),
    ['actions.0.as: may not be one of input, trigger, run, actions, error, results, output'],
  ],
  [
    'an element called by two words',
    flow(loop(template('a'), { as: 'two words' })),
    ['actions.0.as: must be 1 to 64 letters, digits and _, and begin with no digit'],
  ],
  [
    'an index called results',
    flow(loop(template('a'), { index: 'results' })),
    ['actions.0.index: may not be one of input, trigger, run, actions, error, results, output'],
  ],
  [
    'an index that is the element',
    flow(loop(template('a'), { as: 'row', index: 'row' })),
    ['actions.0.index: is the name of the element already: row'],
  ],
  [
    'an unknown mode of a loop',
    flow(loop(template('a'), { mode: 'event' })),
    ['actions.0.mode: "event" is not known; known are sequential, parallel'],
  ],
  [
    'no element at a time',
    flow(loop(template('a'), { mode: 'parallel', maxConcurrency: 0 })),
    ['actions.0.maxConcurrency: must be an integer from 1 to 100'],
  ],
  [
    '101 elements at a time',
    flow(loop(template('a'), { mode: 'parallel', maxConcurrency: 101 })),
    ['actions.0.maxConcurrency: must be an integer from 1 to 100'],
  ],
  [
    'an aggregation that is a text',
    flow(loop(template('a'), { aggregation: '$.results' })),
    ['actions.0.aggregation: must be an object'],
  ],
  [
    'an aggregation that does not parse',
    flow(loop(template('a'), { aggregation: { n: '$.results.(' } })),
    ['actions.0.aggregation.n: unexpected token (1:11)'],
  ],
  [
    'an aggregation over an element',
    flow(loop(template('a'), { aggregation: { n: '$.actions.a.output' } })),
    [
      'actions.0.aggregation.n: names "a", which is inside the loop "l": its output is in $.actions.l.output.results (1:1)',
    ],
  ],
  [
    'a loop whose action is never reached',
    flow(loop([template('a'), template('b')])),
    ['actions.0.action.1: is never reached: no way leads from "a" to it; give "a" "next": "b"'],
  ],
  [
    'a loop that is read from outside',
    flow(loop(template('a'), { next: 'b' }), template('b', { input: { x: '$.actions.a.output' } })),
    [
      'actions.1.input.x: names "a", which is inside the loop "l": its output is in $.actions.l.output.results (1:1)',
    ],
  ],
  ['no selection', flow({ id: 'd', type: 'dynamicAction' }), ['actions.0.selection: is required']],
  [
    'no expression of a selection',
    flow(dynamic({ options: { x: template('x') } })),
    ['actions.0.selection.expression: is required'],
  ],
  [
    'no options',
    flow(dynamic({ expression: '$.input.k' })),
    ['actions.0.selection.options: is required'],
  ],
  [
    'no option',
    flow(dynamic({ expression: '$.input.k', options: {} })),
    ['actions.0.selection.options: must have at least one action'],
  ],
  [
    'an option that can be no id',
    flow(
      dynamic({ expression: '$.input.k', options: { 'a b': { type: 'template', template: 't' } } }),
    ),
    [
      'actions.0.selection.options.a b: is the id of its action, and must be 1 to 64 letters, digits, _ and -; or give the action an id',
    ],
  ],
  [
    'a default that is no option',
    flow(
      dynamic({
        expression: '$.input.k',
        options: { mail: { type: 'template', template: 't' } },
        default: 'male',
      }),
    ),
    ['actions.0.selection.default: names no option: "male"; did you mean "mail"?'],
  ],
  [
    'an unknown member of a selection',
    flow(dynamic({ expression: '$.input.k', options: { x: template('x') }, otherwise: 'x' })),
    [
      'actions.0.selection.otherwise: is no member of selection; known are expression, options, default',
    ],
  ],
  [
    'an option that reads another',
    flow(
      dynamic({
        expression: '$.input.k',
        options: { x: template('x'), y: template('y', { input: '$.actions.x.output' }) },
      }),
    ),
    [
      'actions.0.selection.options.y.input: names "x", which runs beside this action, or in its place (1:1)',
    ],
  ],
  [
    'an option that goes on',
    flow(dynamic({ expression: '$.input.k', options: { x: template('x', { next: 'd' }) } })),
    ['actions.0.selection.options.x.next: names an action of another list: "d" is actions.0'],
  ],
];
