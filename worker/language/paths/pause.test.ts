/** A search in pieces finds what a search at once finds, and no piece is long. */
import { expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { Budget, FILTER_STEPS_MAX } from './budget.ts';
import { Path } from './path.ts';
import { EXHAUSTED } from './test/search.ts';

/** Steps of a piece, with one selector's look at a container of the documents below. */
const LARGEST_PIECE = 80_000 + 40_000;

const list = (count: number, each: (at: number) => Json): Json[] =>
  Array.from({ length: count }, (_, at) => each(at));
const DEEP = list(700, () => 0).reduce<Json>((inner) => ({ a: [inner, 1] }), 1);
const DOCUMENTS: Readonly<Record<string, Json>> = {
  wide: list(20_000, (at) => ({ a: at, b: [at, { c: 'x' }] })),
  deep: DEEP,
  members: Object.fromEntries(list(2_000, (at) => at).map((at) => [`m${String(at)}`, { a: [at] }])),
};
const PATHS = [
  '$',
  '$..*',
  '$..a',
  '$..[1, 0, -1]',
  '$[*].b[::-1]',
  '$..b[?@.c]',
  '$..*[*]',
  '$[?@.a > 19990 || @.a[0] > 1990]',
  '$..[5:2000:7]..c',
  '$..[?count(@..*) < 2]',
];
const cases = Object.keys(DOCUMENTS).flatMap((name) => PATHS.map((path) => ({ name, path })));

test.each(cases)('$path in the document that is $name', ({ name, path: text }) => {
  const document = DOCUMENTS[name] ?? null;
  const path = new Path(text);
  const atOnce: Json[] = [];
  const budget = new Budget(20_000_000, () => EXHAUSTED);
  path.each(document, budget, ({ value }) => {
    atOnce.push(value);
  });
  const found: Json[] = [];
  const spending = new Budget(20_000_000, () => EXHAUSTED);
  let before = 0;
  let largest = 0;
  for (const _ of path.search(document, spending, ({ value }) => void found.push(value))) {
    largest = Math.max(largest, spending.spent - before);
    before = spending.spent;
  }
  expect(found.length).toBe(atOnce.length);
  expect(found.every((value, at) => value === atOnce[at])).toBe(true);
  expect(spending.spent).toBe(budget.spent);
  expect(largest).toBeLessThan(LARGEST_PIECE);
});

test('a filter of one value ends where it would hold the thread for long', () => {
  const scales: string[] = [];
  const budget = new Budget(20_000_000, (scale) => {
    scales.push(scale);
    return EXHAUSTED;
  });
  const path = new Path('$[?count($..*..*) > 5]');
  expect(() => path.each(DEEP, budget, () => {})).toThrow(EXHAUSTED);
  expect(scales).toEqual(['filter']);
  expect(budget.spent).toBeLessThan(FILTER_STEPS_MAX + 100_000);
});
