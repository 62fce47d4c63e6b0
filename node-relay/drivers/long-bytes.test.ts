/** Bytes of long values are written in pieces, which together are what short ones have at once. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonOrString } from '../../kinds/json-forms.ts';
import { LongText } from '../../proto/long-text.ts';
import { type LongEncoder, longBase64, longJsonBytes, longUtf8 } from './long-bytes.ts';

/** Bytes of a piece, so that each character comes to lie over the end of one. */
const PIECE_BYTES = 3 * 8192;

function written(encode: LongEncoder, bytes: Buffer): string {
  const out = new LongText();
  for (const pieces = encode(bytes, out); !pieces.next().done; );
  // Each leaves as bytes of its own.
  return Buffer.concat(out.pieces.map((piece) => Buffer.from(piece))).toString();
}

/** What is at the end of a piece: characters whole and cut, and what is none. */
const end = fc.array(
  fc.oneof(
    fc.constantFrom('a', 'é', '€', '😀', '"', '\ufeff').map((each) => Buffer.from(each)),
    fc.uint8Array({ minLength: 1, maxLength: 4 }).map((each) => Buffer.from(each)),
  ),
  { maxLength: 6 },
);
const bytes = fc
  .tuple(fc.integer({ min: 1, max: 12 }), end, fc.nat(2))
  .map(([before, parts, pieces]) =>
    Buffer.concat([
      Buffer.alloc(PIECE_BYTES - before, 'x'),
      ...parts,
      Buffer.alloc(pieces * PIECE_BYTES, '1'),
    ]),
  );

test.each<[string, LongEncoder, (given: Buffer) => string]>([
  ['a text', longUtf8(), (given) => JSON.stringify(given.toString('utf8'))],
  ['base64', longBase64(), (given) => `"${given.toString('base64')}"`],
  ['JSON', longJsonBytes, (given) => jsonOrString(given.toString('utf8'))],
])('as %s', (_, encode, atOnce) => {
  fc.assert(
    fc.property(bytes, (given) => {
      expect(written(encode, given) === atOnce(given)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('tells how many characters each piece has', () => {
  const given = Buffer.alloc(100_000, '"');
  let characters = 0;
  const text = written(
    longUtf8((more) => (characters += more)),
    given,
  );
  expect(characters).toBe(text.length - '""'.length);
});
