/** JSON is passed on as it was written: every digit, every zero, every member in its place. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './json.ts';
import { textInPieces } from './json-bytes.ts';
import { whole } from './work/pieces.ts';
import {
  isWrittenOtherwise,
  isWrittenOtherwiseInPieces,
  parseWritten,
  writtenText,
} from './written-json.ts';

/** A document, and its text without white space. */
interface Written {
  readonly text: string;
  readonly compact: string;
}

const digits = (most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: most });
const number = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.constant('0'), fc.bigInt({ min: 1n, max: 10n ** 40n }).map(String)),
    fraction: fc.option(digits(40), { nil: undefined }),
    exponent: fc.option(
      fc.record({ mark: fc.constantFrom('e', 'E', 'e+', 'E-'), digits: digits(4) }),
      { nil: undefined },
    ),
  })
  .map(({ sign, whole: integer, fraction, exponent }) =>
    [
      sign,
      integer,
      fraction === undefined ? '' : `.${fraction}`,
      exponent === undefined ? '' : `${exponent.mark}${exponent.digits}`,
    ].join(''),
  );
const space = fc.constantFrom('', '', ' ', '\n', '\t', '\r\n', '  ');
const string = fc.oneof(fc.string(), fc.constantFrom('1e5', ' 1.10,', '":1e3', '1', '-0', '"5":'));
const name = fc.oneof(
  fc.constantFrom('a', '1', '10', '2', '01', '4294967295', '__proto__', ''),
  fc.string(),
);
const scalar = fc.oneof(
  number,
  number,
  fc.constantFrom('null', 'true', 'false', '1', '-1', '0.5'),
  string.map((each) => JSON.stringify(each)),
);

const { document } = fc.letrec<{ document: Written; array: Written; object: Written }>((tie) => ({
  document: fc.oneof(
    { depthSize: 'small' },
    scalar.map((text) => ({ text, compact: text })),
    tie('array'),
    tie('object'),
  ),
  array: fc.tuple(fc.array(tie('document'), { maxLength: 4 }), space).map(([each, gap]) => ({
    text: `[${gap}${each.map(({ text }) => text).join(`${gap},${gap}`)}${gap}]`,
    compact: `[${each.map(({ compact }) => compact).join()}]`,
  })),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(name, tie('document')), { selector: ([own]) => own, maxLength: 4 }),
      space,
    )
    .map(([members, gap]) => ({
      text: `{${gap}${members.map(([own, { text }]) => `${JSON.stringify(own)}${gap}:${gap}${text}`).join(`${gap},${gap}`)}${gap}}`,
      compact: `{${members.map(([own, { compact }]) => `${JSON.stringify(own)}:${compact}`).join()}}`,
    })),
}));
/** As bodies are: with something around. */
const body = document.map(({ text, compact }) => ({
  text: `{"value":${text} }`,
  compact: `{"value":${compact}}`,
}));

describe('a document', () => {
  test('is written as it was read', () => {
    fc.assert(
      fc.property(body, ({ text, compact }) => {
        const value = parseWritten(text);
        expect(writtenText(value)).toBe(compact);
        expect(whole(textInPieces(value))).toBe(compact);
      }),
      { numRuns: 500 },
    );
  });

  test('that is not found to be written otherwise loses nothing by being parsed', () => {
    fc.assert(
      fc.property(body, ({ text, compact }) => {
        expect(whole(isWrittenOtherwiseInPieces(text))).toBe(isWrittenOtherwise(text));
        if (!isWrittenOtherwise(text)) expect(JSON.stringify(parseJson(text))).toBe(compact);
      }),
      { numRuns: 2_000 },
    );
  });

  test('has the last of two members of one name, in the place of the first', () => {
    expect(writtenText(parseWritten('{"2":1,"b":2,"2":3.0}'))).toBe('{"2":3.0,"b":2}');
  });
});

test.each([
  '{"a":1.5,"b":"1.10","c":[0.25,100,-7]}',
  '{"at":"2026-01-01T00:00:00.000Z","id":"7e5f1e10-0e0e-4e4e-8e8e-1e2e3e4e5e6e"}',
  '{"amount":1234567890123456}',
])('%s is written as usual', (text) => {
  expect(isWrittenOtherwise(text)).toBe(false);
});
