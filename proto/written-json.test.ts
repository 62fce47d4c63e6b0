/** JSON is passed on as it was written: every digit, every zero, every member in its place. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './json.ts';
import { textInPieces } from './json-bytes.ts';
import { body } from './test-json-texts.ts';
import { whole } from './work/pieces.ts';
import {
  isWrittenOtherwise,
  isWrittenOtherwiseInPieces,
  parseWritten,
  writtenText,
} from './written-json.ts';

test('plain values are written as the engine writes them, also together', () => {
  const plain = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  fc.assert(
    fc.property(fc.array(plain), (values) => {
      expect(JSON.stringify(values)).toBe(`[${values.map((each) => writtenText(each)).join(',')}]`);
    }),
  );
});

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
  '{"1":0}',
  '{"\\u0031":0}',
  '{"1\\u0030" \n:0}',
  '{"0":0}',
  '[1.10]',
  '[1.0]',
  '[1e2]',
  '[1.5E+300]',
  '[-0]',
  '[{"a":-0 }]',
  '[0.0000001]',
  '[1000000000000000000000]',
])('%s is written otherwise', (text) => {
  expect(isWrittenOtherwise(text)).toBe(true);
});

test.each([
  '{"a":1.5,"b":"1.10","c":[0.25,100,-7]}',
  '{"at":"2026-01-01T00:00:00.000Z","id":"7e5f1e10-0e0e-4e4e-8e8e-1e2e3e4e5e6e"}',
  '{"amount":1234567890123456}',
  '{"01":1,"4294967296000":2,"2026-01-01":3,"1a":4,"-0":5,"1.0":6,"a":"1","b":["2","1e5"]}',
  '[true,false,null,-0.5,10,-1]',
  '{"\\"":"1\\\\","a":"\\"1.0,"}',
])('%s is written as usual', (text) => {
  expect(isWrittenOtherwise(text)).toBe(false);
});
