import fc from 'fast-check';
import { expect, test } from 'vitest';
import { whole } from '../../../proto/work/pieces.ts';
import { elementsInPieces } from './elements.ts';

const seed = Number(process.env.TEST_SEED ?? 1);

test('the elements of any array, each as it was written', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2), (values, space) => {
      const found = whole(elementsInPieces(JSON.stringify(values, null, space)));
      expect(found.map((each) => JSON.stringify(JSON.parse(each)))).toEqual(
        values.map((each) => JSON.stringify(each)),
      );
    }),
    { seed },
  );
});

test.each([
  ['[1.50,"a\\\\","],[\\"",{"a":[1,2]}]', ['1.50', '"a\\\\"', '"],[\\""', '{"a":[1,2]}']],
  ['[]', []],
  ['[[],[]]', ['[]', '[]']],
])('%s', (text, elements) => {
  expect(whole(elementsInPieces(text))).toEqual(elements);
});
