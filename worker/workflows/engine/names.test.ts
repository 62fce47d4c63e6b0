/** Names that objects of the host have by themselves are names like any other: of actions, elements, members, options. Contract §7. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { TIMES } from '../../test/runs.ts';
import { calledBack } from './arrivals.ts';
import { due } from './machine.ts';
import { run } from './test/actions.ts';
import { World } from './test/world.ts';

const NAMES = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', 'length'],
  ...['__defineGetter__', '__lookupSetter__', 'isPrototypeOf', 'toJSON', 'then', 'plain'],
];

/** Something that only answers its output. */
const says = (id: string, output: Json, next: string | null = null) => ({
  ...{ id, type: 'condition', condition: 'true', true: next, false: next, output },
});
const at = (path: string, name: string) => `${path}[${JSON.stringify(name)}]`;

test('every place of a workflow that takes a name takes these', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray(NAMES, { minLength: 9, maxLength: 9 }),
      fc.constantFrom(...NAMES),
      fc.constantFrom(...NAMES),
      (ids, member, key) => {
        const [first, loop, body, joined, one, two, chosen, as, index] = ids as [
          ...[string, string, string, string, string, string, string, string, string],
        ];
        const each = says(body, { element: at('$', as), number: `$.${index}` });
        const branches = [says(one, 'x'), says(two, 'y')];
        const options = { [key]: { ...says('option', 'got') } };
        const selection = { expression: at('$.input', 'chosen'), options };
        const aggregation = { [member]: '$.results.length', results: '$.results' };
        const looping = { id: loop, type: 'loop', collection: '[10, 20]', as, index, aggregation };
        const ran = run(
          {
            actions: [
              says(first, { [member]: at('$.input', member) }, loop),
              { ...looping, action: each, next: joined },
              { id: joined, type: 'parallel', joinResults: true, branches, next: chosen },
              { id: chosen, type: 'dynamicAction', selection },
            ],
            output: [first, loop, joined, chosen].map((id) => `${at('$.actions', id)}.output`),
          },
          Object.fromEntries([
            ['chosen', key],
            [member, { deep: 1 }],
          ]),
        );
        const results = [10, 20].map((element, number) => ({ element, number }));
        const expected = [
          { [member]: { deep: 1 } },
          { [member]: 2, results, count: 2 },
          { [one]: 'x', [two]: 'y' },
          'got',
        ];
        // As text: a comparison of objects could overlook a member of such a name.
        expect([ran.status, JSON.stringify(ran.output)]).toEqual([
          'succeeded',
          JSON.stringify(expected),
        ]);
      },
    ),
    { numRuns: 100 * TIMES },
  );
});

test.each(NAMES)('what is below an action %s stops whole, in however many transitions', (id) => {
  const branches = Array.from({ length: 12 }, (_, branch) => ({
    ...{ id: `w${branch}`, type: 'wait', mode: 'callback' },
  }));
  const world = new World({ actions: [{ id, type: 'parallel', branches, timeout: 'PT1S' }] });
  world.begin();
  world.beginsMax = 10;
  due(world.turn(), id, 'timeout');
  // It has not been stopped yet, and nothing may come to it any more.
  expect(calledBack(world.turn(), `${id}[9].w9`, '1')).toBe(false);
  world.go();
  expect([world.run.status, world.node(id).status]).toEqual(['failed', 'failed']);
  expect(world.journal.active()).toEqual([]);
});
