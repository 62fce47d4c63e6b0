/** Long values in pieces are together the text that short ones have at once. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LongText } from '../proto/long-text.ts';
import { jsonOrString, plainString } from './json-forms.ts';
import { type LongEncoder, longJson, longPlain, longString } from './long-values.ts';

function inPieces(encode: LongEncoder, text: string, perPiece?: number) {
  const out = new LongText(perPiece);
  let pauses = 0;
  for (const pieces = encode(text, out); !pieces.next().done; ) pauses += 1;
  // Each leaves as bytes of its own.
  const bytes = Buffer.concat(out.pieces.map((piece) => Buffer.from(piece)));
  return { bytes, pauses };
}

const part = fc.constantFrom(
  '"',
  '\\',
  '\n',
  '\r',
  '\u0001',
  'a',
  '\ud83d',
  '\ude00',
  '😀',
  '€',
  '1',
);
const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));
const spaced = fc
  .tuple(fc.jsonValue(), fc.constantFrom('', ' ', '\n', '\r\n '))
  .map(([value, space]) => JSON.stringify(value, null, space));
/** At times what is nearly JSON. */
const json = fc
  .tuple(spaced, fc.nat(200), fc.constantFrom('', '', '', ',', '"', '}', '\\'))
  .map(([whole, at, more]) => whole.slice(0, at) + more + whole.slice(at));
const perPiece = fc.integer({ min: 1, max: 9 });

test.each<[string, LongEncoder, (text: string) => string, fc.Arbitrary<string>]>([
  ['texts', longString, JSON.stringify, text],
  ['texts that should need no escaping', longPlain, plainString, text],
  ['JSON', longJson, jsonOrString, fc.oneof(json, text)],
])('%s are written as at once', (_, encode, atOnce, given) => {
  fc.assert(
    fc.property(given, perPiece, (each, characters) => {
      const { bytes } = inPieces(encode, each, characters);
      expect(bytes.toString()).toBe(Buffer.from(atOnce(each)).toString());
    }),
    { numRuns: 2_000 },
  );
});

const MANY = 200_000;

test.each([
  ['numbers', `[${'1,'.repeat(MANY)}1]`],
  ['lists', `${'['.repeat(MANY)}${']'.repeat(MANY)}`],
  ['members', `{${'"a":1,\n'.repeat(MANY)}"a":1}`],
  ['a text with escapes', `"${'\\"'.repeat(MANY)}"`],
  ['a name with escapes', `{"${'\\u0000'.repeat(MANY)}":1}`],
  ['no JSON', `[${'1,'.repeat(MANY)}]`],
])('JSON of %s gives way', (_, given) => {
  const { bytes, pauses } = inPieces(longJson, given);
  expect(bytes.toString() === jsonOrString(given)).toBe(true);
  expect(pauses).toBeGreaterThan(10);
});
