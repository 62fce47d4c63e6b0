/** A number that is only written otherwise, as `1.10` for `1.1`, is computed with as its double, and stays as it is where it moves. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, numberText, parseJson } from '../../../proto/json.ts';
import { unordered } from '../../../proto/ordered-json.ts';
import { parseWritten } from '../../../proto/written-json.ts';
import { Budget, compileExpression, Fault, isExact, type Value } from './index.ts';

const NAMES = ['a', 'b', 'l', 'o'];
const BOUNDS = { fuel: 1_000_000, depth: 100, outputBytes: 1_000_000 };

/** Everything that looks at a number. */
const COMPUTING = [
  ...['+', '-', '*', '/', '%', '**', '|', '&', '^', '<<', '>>', '>>>'].map((each) => `a ${each} b`),
  ...['<', '>', '<=', '>=', '===', '!==', '==', '!='].map((each) => `a ${each} b`),
  ...[
    '-a',
    '+a',
    '~a',
    '!a',
    'typeof a',
    'a ? 1 : 2',
    '(a && 1) || 2',
    '!(a || b)',
    ['`$', '{a}|$', '{b}`'].join(''),
  ],
  ...['String(a)', 'Number(a)', 'Boolean(a)', 'isFinite(a)', 'parseInt(a)', 'parseFloat(a)'],
  ...['a.toFixed(2)', 'a.toString()', 'a.toString(2)', 'a.toPrecision(3)', 'Object.is(a, b)'],
  ...[
    'Number.isInteger(a)',
    'Number.isSafeInteger(a)',
    'Math.max(a, b)',
    'Math.round(a)',
    'Math.sign(a)',
  ],
  ...['l.includes(a)', 'l.indexOf(a)', 'l.lastIndexOf(a)', 'l.findIndex((x) => x === a)'],
  ...[
    'l.some((x) => x)',
    'l.every((x) => x)',
    'l.filter((x) => x).length',
    'l.find((x) => x) === b',
  ],
  ...[
    'l.join()',
    'l + ""',
    'JSON.stringify(l)',
    'JSON.stringify(o)',
    'JSON.stringify(l, null, a % 5)',
  ],
  ...[
    'l.reduce((sum, x) => sum + x, 0)',
    'l.map((x) => x * 2)',
    'l.toSorted((x, y) => x - y) + ""',
  ],
  ...['l.toSorted() + ""', 'l[a]', 'o[a] === o.x', '"abcdef".slice(a % 7)', '"abcdef".at(a % 7)'],
  ...[
    '(() => { switch (a) { case b: return 1; default: return 2 } })()',
    '(() => { let c = a; c++; return c })()',
  ],
  ...['(() => { let c = a; c += b; return c })()', '(() => { let c = a; c &&= 1; return !c })()'],
  ...['(() => { let n = 0; while (a && n < 1) n += 1; return n })()', '[a] == a', '[a] === a'],
  ...[
    'Object.keys(Object.groupBy(l, (x) => x)) + ""',
    'Object.keys({[a]: 1})[0]',
    'a in l',
    'a instanceof b',
  ],
  ...[
    'toISO(a % 1000)',
    'l.slice(a % 3).length',
    'Array.from({length: a % 3}).length',
    'l.flat().length',
  ],
];

/** Everything that hands a value on, as `[source, text of the value in its text]`. */
const MOVING: readonly (readonly [source: string, place: (text: string) => string])[] = [
  ['a', (text) => text],
  ['o.x', (text) => text],
  ['o["x"]', (text) => text],
  ['o?.x', (text) => text],
  ['l[0]', (text) => text],
  ['(1, a)', (text) => text],
  ['true ? a : 0', (text) => text],
  ['undefined ?? a', (text) => text],
  ['"" || a', (text) => text],
  ['[a, 1]', (text) => `[${text},1]`],
  ['({a, "2": a})', (text) => `{"2":${text},"a":${text}}`],
  ['({...o}).x', (text) => text],
  ['[...l]', (text) => `[${text},${text}]`],
  ['l.map((each) => ({each}))', (text) => `[{"each":${text}},{"each":${text}}]`],
  ['l.filter(() => true).toReversed().slice(1).at(0)', (text) => text],
  ['l.find(() => true)', (text) => text],
  ['l.reduce((last, each) => each)', (text) => text],
  ['Object.values(o)', (text) => `[${text}]`],
  ['Object.fromEntries(Object.entries(o))', (text) => `{"x":${text}}`],
  ['(() => { const {x: [y] = [o.x]} = {}; return y })()', (text) => text],
  ['((...each) => each)(a)', (text) => `[${text}]`],
  ['structuredClone(o)', (text) => `{"x":${text}}`],
  ['a.valueOf()', (text) => text],
];

const number = fc
  .record({
    sign: fc.constantFrom('', '-'),
    digits: fc.constantFrom('0', '1', '2', '10', '19', '120', '4294967296', '123456789012345678'),
    fraction: fc.constantFrom('', '.0', '.10', '.5', '.500', '.1234567890123456789'),
    exponent: fc.constantFrom('', '', '', 'e0', 'E+2', 'e-1', 'e400', 'e-400'),
  })
  .map(({ sign, digits, fraction, exponent }) => sign + digits + fraction + exponent);

function valuesOf(read: (text: string) => Json, [a, b]: readonly [string, string]): Value[] {
  const text = `{"a":${a},"b":${b},"l":[${a},${b},${a}],"o":{"x":${a}}}`;
  const values = read(text) as Record<string, Json>;
  return NAMES.map((name) => values[name] as Value);
}

/** What it comes to, or the words of its fault. */
function resultOf(source: string, values: readonly Value[]): unknown {
  try {
    return compileExpression(source, { names: NAMES }).run(values, new Budget(BOUNDS, 0));
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

/** A number that moved is the same number. */
function plain(value: unknown): unknown {
  return isExact(value as Value) ? unordered(value as Json) : value;
}

describe.each(COMPUTING.map((source) => ({ source })))('$source', ({ source }) => {
  test('comes to the same, whichever way its numbers are written', () => {
    fc.assert(
      fc.property(fc.tuple(number, number), (given) => {
        const written = resultOf(source, valuesOf(parseWritten, given));
        expect(plain(written)).toEqual(plain(resultOf(source, valuesOf(parseJson, given))));
      }),
      { numRuns: 60, examples: [[['1.0', '1']], [['0.0', '-0']], [['-0', '0']], [['1e2', '100']]] },
    );
  });
});

test.each(MOVING)('%s hands the number on as it is', (source, place) => {
  fc.assert(
    fc.property(number, (text) => {
      const given = JSON.rawJSON(text) as Value;
      const values = [given, given, [given, given], { x: given }];
      expect(JSON.stringify(resultOf(source, values))).toBe(place(numberText(given as never)));
    }),
    { numRuns: 20 },
  );
});
