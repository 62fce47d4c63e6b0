/** Arrays in PostgreSQL's text as JSON: the pieces of a long one are together what the whole is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LongText } from '../../../proto/long-text.ts';
import { whole } from '../../../proto/work/pieces.ts';
import { quotedElement } from './array-text.ts';
import { encoderOf, type Format, longEncoderOf, type TypeInfo } from './encode.ts';

function arrayOf(format: Format, delimiter = ','): TypeInfo {
  return { name: 'a', format: 'text', element: { type: { name: 'e', format }, delimiter } };
}

const format = fc.constantFrom<Format>(
  'text',
  'bare',
  'boolean',
  'integer',
  'bigint',
  'float',
  'bytes',
  'json',
  'timestamptz',
);

/** Texts that elements have, and what is none. */
const element = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }).map(String),
  fc.constantFrom('NULL', '-0', '0', '007', '1.5', '-', 'NaN', 'null', 't', '\\x00ff', '""', '{}'),
  fc.string({ unit: 'binary', maxLength: 40 }).map(quotedElement),
  fc.stringMatching(/^[\\"{}\u{1f600}a]{0,20}$/u).map(quotedElement),
  fc.json().map(quotedElement),
);
const { array } = fc.letrec<{ array: string; item: string }>((tie) => ({
  item: fc.oneof({ withCrossShrink: true, maxDepth: 4 }, element, tie('array')),
  array: fc
    .array(tie('item'), { maxLength: 8 })
    .chain((items) => fc.constantFrom(`{${items.join(',')}}`, `{${items.join(';')}}`)),
}));
/** Arrays, what becomes of them when one character is another, and any text. */
const text = fc.oneof(
  array,
  fc.tuple(array, fc.nat(), fc.constantFrom('', '{', '}', ',', '"', '\\', '1')).map(broken),
  array.map((each) => `[0:1]=${each}`),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.stringMatching(/^\{[{},"\\1-]{0,30}$/),
);

function broken([given, at, other]: readonly [string, number, string]): string {
  const place = at % (given.length + 1);
  return given.slice(0, place) + other + given.slice(place + 1);
}

/** The text in pieces of about so many characters, and how many pauses there were. */
function inPieces(type: TypeInfo, given: string, perPiece: number, numbersAsStrings = false) {
  const out = new LongText(perPiece);
  let pauses = 0;
  const pieces = longEncoderOf(type, numbersAsStrings)(given, out);
  while (!pieces.next().done) pauses += 1;
  return { json: out.pieces.join(''), pauses };
}

describe('in pieces', () => {
  test('any text is written as in one', () => {
    const perPiece = fc.integer({ min: 1, max: 12 });
    const delimiter = fc.constantFrom(',', ';');
    fc.assert(
      fc.property(
        text,
        format,
        delimiter,
        perPiece,
        fc.boolean(),
        (given, of, between, size, asStrings) => {
          const type = arrayOf(of, between);
          const { json } = inPieces(type, given, size, asStrings);
          expect(json).toBe(encoderOf(type, asStrings)(given));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test('a text with pairs of surrogates is not cut within one', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (given, size) => {
          const { json } = inPieces({ name: 't', format: 'text' }, given, size);
          expect(json).toBe(JSON.stringify(given));
        },
      ),
    );
  });

  const MANY = 200_000;
  test.each<[string, Format, string]>([
    ['integers', 'integer', `{${Array(MANY).fill(1).join(',')}}`],
    ['nulls', 'integer', `{${Array(MANY).fill('NULL').join(',')}}`],
    ['arrays within', 'bigint', `{${Array(MANY).fill('{1}').join(',')}}`],
    ['texts', 'text', `{${Array(MANY).fill('a').join(',')}}`],
    ['one text that is escaped', 'text', quotedElement('"'.repeat(MANY))],
    ['no array', 'integer', `{${Array(MANY).fill(1).join(',')}`],
  ])('%s give way', (_, of, given) => {
    const { json, pauses } = inPieces(arrayOf(of), given, new LongText().perPiece);
    expect(pauses).toBeGreaterThan(given.length / 20_000);
    expect(json).toBe(encoderOf(arrayOf(of), false)(given));
  });
});

test.each<[Format, string, string]>([
  ['integer', '{1,-2,NULL,{3}}', '[1,-2,null,[3]]'],
  ['integer', '{007,-0,,}', '"{007,-0,,}"'],
  ['integer', '{007,-0}', '["007",-0]'],
  ['bigint', '{9007199254740993,1}', '["9007199254740993",1]'],
  ['bare', '{1,2}', '["1","2"]'],
  ['text', '{"a\\"b","NULL",NULL}', '["a\\"b","NULL",null]'],
  ['text', '[0:0]={a}', '"[0:0]={a}"'],
  ['json', '{"{\\"a\\": 1}"}', '[{"a": 1}]'],
])('%s %s', (of, given, expected) => {
  expect(encoderOf(arrayOf(of), false)(given)).toBe(expected);
});

test('64-bit integers are strings where they are asked for', () => {
  expect(encoderOf(arrayOf('bigint'), true)('{1,2}')).toBe('["1","2"]');
  expect(whole(longEncoderOf(arrayOf('bigint'), true)('{1,2}', new LongText()))).toBeUndefined();
});
