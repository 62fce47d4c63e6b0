/** Workflows that are killed: each type of action alone and nested, and every way to fail. */
import {
  broken,
  by,
  chain,
  child,
  each,
  failing,
  handler,
  loop,
  of,
  type Part,
  parallel,
  type Shape,
  shape,
  step,
  task,
  twice,
  undo,
  WAIT,
  WIDE_GRAPH,
  wait,
} from './parts.ts';

/** Workflows that others begin: a step, and a step after a wait. */
export const CHILDREN: Readonly<Record<string, Part>> = {
  child: {
    actions: chain(
      step('in', { compensation: step('undo-in', {}, by('input.name')) }, by('input.name')),
      wait('w'),
      step('out', {}, by('input.name')),
    ),
  },
};
const ofChild = (name: string) => [`in-${name}`, `out-${name}`];

const LEAVES: readonly Shape[] = [
  shape('endpoint', [step('a'), step('b'), step('c')], ['a', 'b', 'c']),
  shape(
    'endpoint that reads',
    [
      step('a'),
      {
        ...{ id: 'look', type: 'endpoint', endpoint: 'list', operation: 'read' },
        input: { type: 'LRANGE', key: '$.input.list', start: 0, stop: -1 },
      },
      step('b'),
    ],
    ['a', 'b'],
  ),
  shape(
    'template',
    [step('a'), { id: 't', type: 'template', template: 'echo', input: { n: 1 } }, step('b')],
    ['a', 'b'],
  ),
  shape(
    'condition',
    [
      step('a'),
      { id: 'c', type: 'condition', condition: '$.run.id', true: 'b', false: null },
      step('b'),
    ],
    ['a', 'b'],
  ),
  shape('wait for a time', [step('a'), wait('w'), step('b')], ['a', 'b']),
  shape(
    'wait for an event',
    [
      step('a'),
      {
        ...{ id: 'w', type: 'wait', eventSource: 'causeway', eventPattern: 'run.started' },
        filter: 'event.data.run_id === $.run.id',
      },
      step('b'),
    ],
    ['a', 'b'],
  ),
  shape(
    'wait whose time is over',
    [
      step('a'),
      {
        id: 'w',
        type: 'wait',
        mode: 'callback',
        timeout: { duration: WAIT, action: 'b' },
        next: 'b',
      },
      step('b'),
    ],
    ['a', 'b'],
  ),
  shape(
    'task whose time is over',
    [step('a'), task('t', { timeout: { duration: WAIT, action: 'b' }, next: 'b' }), step('b')],
    ['a', 'b'],
  ),
  shape('subworkflow', [step('a'), child('s'), step('b')], ['a', ...ofChild('s'), 'b']),
  shape(
    'subworkflow that is not waited for',
    [step('a'), child('s', { waitForCompletion: false }), step('b'), wait('w'), wait('v')],
    ['a', ...ofChild('s'), 'b'],
  ),
  shape(
    'dynamicAction',
    [
      step('a'),
      {
        ...{ id: 'd', type: 'dynamicAction' },
        selection: { expression: "'two'", options: { one: step('one'), two: step('two') } },
      },
      step('b'),
    ],
    ['a', 'two', 'b'],
  ),
];

const NESTED: readonly Shape[] = [
  shape(
    'parallel',
    [parallel('p', [step('a'), chain(step('b'), step('c'))]), step('d')],
    ['a', 'b', 'c', 'd'],
  ),
  shape('loop', [loop('l', step('a', {}, of)), step('b')], [...each('a'), 'b']),
  shape(
    'loop, many at a time',
    [loop('l', step('a', {}, of), { mode: 'parallel' }), step('b')],
    [...each('a'), 'b'],
  ),
  shape(
    'parallel in loop',
    [loop('l', parallel('p', [step('a', {}, of), step('b', {}, of)])), step('c')],
    [...each('a'), ...each('b'), 'c'],
  ),
  shape(
    'loop in parallel',
    [parallel('p', [loop('l', step('a', {}, of)), step('b')]), step('c')],
    [...each('a'), 'b', 'c'],
  ),
  shape(
    'loop in loop',
    [
      loop(
        'l',
        loop('k', step('a', {}, by('item', 'other')), { as: 'other', collection: '[1, 2]' }),
      ),
    ],
    [1, 2, 3].flatMap((one) => [1, 2].map((two) => `a-${one}-${two}`)),
  ),
  shape(
    'parallel in parallel',
    [parallel('p', [parallel('q', [step('a'), step('b')]), step('c')]), step('d')],
    ['a', 'b', 'c', 'd'],
  ),
  shape(
    'wait in branch',
    [parallel('p', [chain(step('a'), wait('w'), step('b')), step('c')]), step('d')],
    ['a', 'b', 'c', 'd'],
  ),
  shape(
    'wait in loop',
    [loop('l', chain(wait('w'), step('a', {}, of)), { mode: 'parallel' }), step('b')],
    [...each('a'), 'b'],
  ),
  shape(
    'task in branch',
    [
      parallel('p', [chain(task('t', { timeout: { duration: WAIT, action: null } })), step('a')]),
      step('b'),
    ],
    ['a', 'b'],
  ),
  shape(
    'subworkflow in loop',
    [loop('l', child('s', {}, 'child', "$('s' + $.item)"), { collection: '[1, 2]' }), step('a')],
    [...ofChild('s1'), ...ofChild('s2'), 'a'],
  ),
  shape(
    'subworkflow in branch',
    [parallel('p', [child('s'), step('a')]), step('b')],
    [...ofChild('s'), 'a', 'b'],
  ),
  shape(
    'dynamicAction in loop',
    [
      loop('l', {
        ...{ id: 'd', type: 'dynamicAction' },
        selection: { expression: "'one'", options: { one: step('one', {}, of) } },
      }),
    ],
    each('one'),
  ),
  shape(
    'condition in loop',
    [
      loop('l', [
        { id: 'c', type: 'condition', condition: '$.item > 1', true: 'a', false: null },
        step('a', {}, of),
      ]),
    ],
    ['a-2', 'a-3'],
  ),
  {
    name: 'graph',
    status: 'succeeded',
    words: ['a', 'b', 'c', 'd'],
    definition: {
      actions: [
        step('a', { after: [] }),
        step('b', { after: [] }),
        wait('w', { after: ['a'] }),
        step('c', { after: ['w', 'b'] }),
        step('d', { after: ['a'] }),
      ],
    },
  },
  WIDE_GRAPH,
];

const FAILING: readonly Shape[] = [
  shape(
    'fallback',
    [step('a'), broken('x'), step('b')],
    ['a', 'f', 'b'],
    handler({ x: { fallback: step('f') } }),
  ),
  shape(
    'fallback in loop',
    [loop('l', broken('x')), step('b')],
    [...each('f'), 'b'],
    handler({ x: { fallback: step('f', {}, of) } }),
  ),
  shape(
    'error route out of a branch',
    [
      parallel('p', [broken('x'), wait('w')], { next: 'no' }),
      step('no', { next: null }),
      step('late'),
    ],
    ['late'],
    handler({ x: { action: 'late' } }),
  ),
  shape(
    'retry waiting',
    [step('a'), broken('x'), step('b')],
    ['a', 'f', 'b'],
    handler({ x: { ...twice, fallback: step('f') } }),
  ),
  shape(
    'retry waiting in branch',
    [parallel('p', [broken('x'), chain(step('a'), wait('w'), step('b'))]), step('c')],
    ['a', 'b', 'f', 'c'],
    handler({ x: { ...twice, fallback: step('f') } }),
  ),
  shape(
    'loop that goes on after errors',
    [loop('l', chain(step('a', {}, of), broken('x')), { continueOnError: true }), step('b')],
    [...each('a'), 'b'],
  ),
  shape(
    'escalation beside',
    [broken('x'), step('a')],
    ['e', 'f', 'a'],
    handler({ x: { fallback: step('f'), escalation: { incident: step('e') } } }),
  ),
  shape(
    'idempotencyKey',
    [loop('l', step('a', { idempotencyKey: '$.input.list' })), step('b')],
    ['a', 'b'],
  ),
  failing(
    'compensation',
    [step('a', undo('a')), wait('w'), step('b', undo('b')), broken('x')],
    ['a', 'b', 'undo-b', 'undo-a'],
  ),
  failing(
    'compensation in loop',
    [loop('l', step('a', undo('a', of), of)), broken('x')],
    [...each('a'), ...each('undo-a')],
  ),
  failing(
    'compensation in parallel',
    [parallel('p', [step('a', undo('a')), step('b', undo('b'))]), broken('x')],
    ['a', 'b', 'undo-a', 'undo-b'],
  ),
  failing(
    'compensation of a subworkflow',
    [step('a', undo('a')), child('s'), broken('x')],
    ['a', ...ofChild('s'), 'undo-in-s', 'undo-a'],
  ),
];

/** All of them. */
export const SHAPES: readonly Shape[] = [...LEAVES, ...NESTED, ...FAILING];
