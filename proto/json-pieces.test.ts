/** Parsing in pieces against the runtime's own parser. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEPTH_MAX, isJsonObject, parseJson } from './json.ts';
import { parseInPieces, TooDeep } from './json-pieces.ts';
import { namesOf } from './ordered-json.ts';
import { whole } from './work/pieces.ts';

const inPieces = (text: string) => whole(parseInPieces(text));
/** Either what was parsed, as text, so that the order of members counts, or that it is no JSON. */
const outcome = (parse: () => unknown) => {
  try {
    return JSON.stringify(parse());
  } catch (thrown) {
    // Of a text that is both no JSON and too deep either may be told.
    return thrown instanceof SyntaxError || thrown instanceof TooDeep ? 'refused' : thrown;
  }
};

/** Both outcomes where they differ, cut short. */
function difference(text: string): readonly unknown[] {
  const both = [outcome(() => inPieces(text)), outcome(() => parseJson(text))];
  return both[0] === both[1] ? [] : both.map((each) => String(each).slice(0, 200));
}

/** Values some of which are larger than a piece, on any level. */
const large = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ maxLength: 12, unit: 'binary' }),
    fc.constantFrom(null, true, '\\', '"', '[{', 'x'.repeat(40_000), '\\"'.repeat(9_000)),
  ),
  name: fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('__proto__', '7', '"', '}', 'a')),
  many: fc
    .tuple(tie('leaf'), fc.integer({ min: 0, max: 6_000 }))
    .map(([leaf, count]) => Array.from({ length: count }, () => leaf)),
  members: fc
    .integer({ min: 0, max: 3_000 })
    .map((count) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`${at % 7 ? 'n' : ''}${at}`, at]),
      ),
    ),
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('leaf'),
    tie('many'),
    tie('members'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(tie('name'), tie('value')), { maxLength: 4 })
      .map((members) => Object.fromEntries(members as [string, unknown][])),
  ),
})).value;
const spaced = fc
  .tuple(large, fc.constantFrom(undefined, 1, '\t'))
  .map(([value, space]) => JSON.stringify(value, null, space) ?? 'null');

test('reads what the parser of the runtime reads', () =>
  fc.assert(
    fc.property(spaced, (text) => {
      expect(difference(text)).toEqual([]);
    }),
    { numRuns: 50 },
  ));

test('takes for JSON just what the parser of the runtime does, whatever was changed', () =>
  fc.assert(
    fc.property(
      spaced,
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...',:[]{}"\\ 1a', ',,', '')), {
        minLength: 1,
        maxLength: 3,
      }),
      (text, changes) => {
        const broken = changes.reduce((left, [place, put]) => {
          const at = place % (left.length + 1);
          return left.slice(0, at) + put + left.slice(at + (place % 2));
        }, text);
        expect(difference(broken)).toEqual([]);
      },
    ),
    { numRuns: 100 },
  ));

const FILLER = '1,'.repeat(40_000);
test.each([
  `[${FILLER}1]`,
  `[${FILLER}]`,
  `[,${FILLER}1]`,
  `[${FILLER},1]`,
  `[[${FILLER}1],[${FILLER}1]]`,
  `[[${FILLER}1] [${FILLER}1]]`,
  `[[${FILLER}1],]`,
  `[[${FILLER}1]1]`,
  `[1[${FILLER}1]]`,
  `{"a":[${FILLER}1],"b":1}`,
  `{"a":[${FILLER}1],}`,
  `{"a" [${FILLER}1]}`,
  `{"a":1,"a":[${FILLER}1],"a":2}`,
  `{"b":0,"a":1"a":[${FILLER}1]}`,
  `{:[${FILLER}1]}`,
  `{[${FILLER}1]}`,
  `[${FILLER}1}`,
  `{"a":[${FILLER}1}]`,
  `[${FILLER}1]]`,
  `[${FILLER}1] 1`,
  `[${FILLER}1`,
  `[${FILLER}12345678901234567890, 1.10]`,
  `{"__proto__":[${FILLER}1],"1":2}`,
])('case %#', (text) => {
  expect(difference(text)).toEqual([]);
});

test('refuses what nests too deep, and takes what just does not', () => {
  const nested = (depth: number) => `[${FILLER}${'['.repeat(depth - 1)}${']'.repeat(depth)}`;
  expect(difference(nested(DEPTH_MAX))).toEqual([]);
  expect(() => inPieces(nested(DEPTH_MAX + 1))).toThrow(TooDeep);
  expect(() => inPieces(nested(DEPTH_MAX + 1))).toThrow(
    `at line 1, column ${1 + FILLER.length + DEPTH_MAX} it nests deeper than ${DEPTH_MAX}`,
  );
});

test('pauses often, whatever the shape', () => {
  const shapes = [`[${FILLER}1]`, `[${'[],'.repeat(40_000)}1]`, `[${'{"a":[1]},'.repeat(9_000)}1]`];
  for (const shape of shapes) {
    let pauses = 0;
    const pieces = parseInPieces(shape);
    while (!pieces.next().done) pauses += 1;
    expect(pauses).toBeGreaterThan(shape.length / (64 * 1024) - 1);
  }
});

test('lists the names of a large object as JavaScript does, without asking it', () => {
  const edges = [2 ** 30, 2 ** 32 - 2, 2 ** 32 - 1, 9_999_999_999];
  const name = fc.oneof(fc.nat(), fc.constantFrom(...edges), fc.string({ maxLength: 6 }));
  const names = fc.uniqueArray(name.map(String), { minLength: 5_000, maxLength: 9_000 });
  fc.assert(
    fc.property(names, (each) => {
      const object = inPieces(`{${each.map((own) => `${JSON.stringify(own)}:"12345"`).join()}}`);
      if (!isJsonObject(object)) throw new Error('It is no object');
      expect(namesOf(object)).toEqual(Object.keys(object));
      // So it is known with its names.
      expect(Object.isExtensible(object)).toBe(false);
    }),
    { numRuns: 20 },
  );
});
