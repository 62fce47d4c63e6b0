/** The checker of histories finds each kind of anomaly, and none where there is none. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anomaliesIn, type Entry, type Step } from './check.ts';

const append = (key: string, value: number): Step => ({ key, append: value });
const read = (key: string, ...values: number[]): Step => ({ key, read: values });

/** Transactions that all overlap, unless times are given. */
function entry(id: number, steps: readonly Step[], more: Partial<Entry> = {}): Entry {
  return { id, began: 0, ended: 100, outcome: 'committed', steps, ...more };
}

const lists = (all: Readonly<Record<string, readonly number[]>>) => new Map(Object.entries(all));

test.each([
  [
    'a value that was lost',
    [entry(1, [append('a', 1)])],
    { a: [] },
    '1 has committed, and an effect is missing',
  ],
  ['a value twice', [entry(1, [append('a', 1)])], { a: [1, 1] }, 'a has 1 twice'],
  ['a value of nobody', [], { a: [1] }, 'a has 1, which nobody appended'],
  [
    'an effect of one that was aborted',
    [entry(1, [append('a', 1)], { outcome: 'aborted' })],
    { a: [1] },
    '1 was aborted, and has an effect',
  ],
  [
    'half of one',
    [entry(1, [append('a', 1), append('b', 2)], { outcome: 'unknown' })],
    { a: [1], b: [] },
    '1 is half done',
  ],
  [
    'a read of what was undone',
    [entry(1, [append('a', 1)]), entry(2, [read('a', 7)])],
    { a: [1] },
    '2 read a as 7, which it never was',
  ],
  [
    'a read without its own append',
    [entry(1, [append('a', 1), read('a')])],
    { a: [1] },
    '1 did not see its own append to a',
  ],
  [
    'an order other than that of numbers',
    [entry(1, [append('a', 1)], { sequence: 2 }), entry(2, [append('a', 2)], { sequence: 1 })],
    { a: [1, 2] },
    'a has 2 of number 1 after number 2',
  ],
  [
    'two lists in two orders',
    [entry(1, [append('a', 1), append('b', 1.5)]), entry(2, [append('a', 2), append('b', 2.5)])],
    { a: [1, 2], b: [2.5, 1.5] },
    'in a circle: 1, 2',
  ],
  [
    'a skew of writes',
    [entry(1, [read('a'), append('b', 1)]), entry(2, [read('b'), append('a', 2)])],
    { a: [2], b: [1] },
    'in a circle: 1, 2',
  ],
  [
    'half of what another wrote',
    [entry(1, [append('a', 1), append('b', 2)]), entry(2, [read('a', 1), read('b')])],
    { a: [1], b: [2] },
    'in a circle: 1, 2',
  ],
  [
    'a read of what was before it began',
    [entry(1, [append('a', 1)], { ended: 5 }), entry(2, [read('a')], { began: 6 })],
    { a: [1] },
    'in a circle: 1, 2',
  ],
] as const)('finds %s', (_, history, final, anomaly) => {
  expect(anomaliesIn(history, lists(final))).toEqual([anomaly]);
});

test('finds nothing where transactions ran one after the other', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), reads: fc.boolean() });
  const transaction = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    outcome: fc.constantFrom('committed', 'aborted', 'unknown', 'lost'),
  });
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 12 }), (all) => {
      const final = new Map<string, number[]>();
      let value = 0;
      const history = all.map(({ steps, outcome }, id): Entry => {
        const isThere = outcome === 'committed' || outcome === 'lost';
        const now = new Map([...final].map(([key, list]) => [key, [...list]]));
        const made = steps.flatMap(({ key, reads }): Step[] => {
          const list = now.get(key) ?? [];
          now.set(key, list);
          if (reads) return outcome === 'committed' ? [read(key, ...list)] : [];
          value += 1;
          list.push(value);
          return [append(key, value)];
        });
        if (isThere) for (const [key, list] of now) final.set(key, list);
        const told = outcome === 'lost' ? 'unknown' : outcome;
        return { id, began: id * 2, ended: id * 2 + 1, outcome: told, sequence: id, steps: made };
      });
      expect(anomaliesIn(history, final)).toEqual([]);
    }),
  );
});
