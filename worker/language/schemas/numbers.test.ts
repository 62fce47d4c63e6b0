/** Promises of exact.ts: numbers that no double holds are compared by all their digits. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../../proto/json.ts';
import { compileSchema } from './compile.ts';
import { isMultiple } from './exact.ts';
import { ValidationBudget } from './validation-budget.ts';

/** Whether a JSON text fits a schema that is one too. */
function fits(schema: string, value: string): boolean {
  return compileSchema(parseJson(schema)).validate(parseJson(value)).length === 0;
}

const LONG = '1234567890123456789012345678901234567890';
const FRACTION = '0.1000000000000000055511151231257827';

describe.each(['9007199254740993', '-9223372036854775808', '18446744073709551615', LONG, '1e400'])(
  'the integer %s',
  (number) => {
    test('is a number', () => {
      expect(fits('{"type":"integer"}', number)).toBe(true);
      expect(fits('{"type":"number"}', number)).toBe(true);
      expect(fits('{"type":["object","string"]}', number)).toBe(false);
    });

    test('equals itself, however it is written, and no neighbour', () => {
      for (const keyword of [`{"const":${number}}`, `{"enum":[1,${number}]}`]) {
        expect(fits(keyword, number)).toBe(true);
        expect(fits(keyword, number.includes('e') ? '10e399' : `${number}.0`)).toBe(true);
        expect(fits(keyword, number.includes('e') ? '1e401' : number.replace(/.$/, '1'))).toBe(
          false,
        );
      }
      expect(fits('{"uniqueItems":true}', `[${number},${number}]`)).toBe(false);
      expect(fits('{"uniqueItems":true}', `["${number}",${number}]`)).toBe(true);
    });
  },
);

describe('bounds', () => {
  test.each([
    ['{"minimum":9007199254740993}', '9007199254740993', true],
    ['{"minimum":9007199254740993}', '9007199254740992', false],
    ['{"exclusiveMinimum":9007199254740993}', '9007199254740993', false],
    ['{"maximum":18446744073709551615}', '18446744073709551615', true],
    ['{"maximum":18446744073709551615}', '18446744073709551616', false],
    ['{"exclusiveMaximum":18446744073709551616}', '18446744073709551615', true],
    ['{"minimum":0.1}', FRACTION, true],
    ['{"maximum":0.1}', FRACTION, false],
    ['{"maximum":1e308}', '1e400', false],
    ['{"minimum":-1e308}', '-1e400', false],
    ['{"maximum":1e400}', '1e308', true],
    ['{"minimum":5}', LONG, true],
    ['{"maxLength":1e400,"minItems":0}', '"a"', true],
    ['{"minLength":18446744073709551615}', '"a"', false],
  ])('%s of %s: %s', (schema, value, expected) => {
    expect(fits(schema, value)).toBe(expected);
  });
});

describe('multiples', () => {
  test.each([
    ['{"multipleOf":3}', '9007199254740993', true],
    ['{"multipleOf":2}', '9007199254740993', false],
    ['{"multipleOf":10}', LONG, true],
    ['{"multipleOf":7}', '1e400', false],
    ['{"multipleOf":8}', '1e400', true],
    ['{"multipleOf":0.01}', '19.99', true],
    ['{"multipleOf":0.1}', '0.30000000000000004', false],
    ['{"multipleOf":1e-8}', '1e-9', false],
    ['{"multipleOf":0.5}', '1e308', true],
    ['{"multipleOf":1e-400}', '1', true],
    ['{"multipleOf":1e400}', '0', true],
    ['{"multipleOf":1e400}', '1', false],
    ['{"multipleOf":9007199254740993}', '18014398509481986', true],
    ['{"type":"integer"}', FRACTION, false],
    ['{"type":"integer"}', '123456789012345678901.5', false],
    ['{"type":"integer"}', '1e-400', false],
  ])('%s of %s: %s', (schema, value, expected) => {
    expect(fits(schema, value)).toBe(expected);
  });

  test('are those of integers, whatever their size', () => {
    const divisor = fc.bigInt({ min: 1n, max: 10n ** 30n });
    void fc.assert(
      fc.property(fc.bigInt(), divisor, fc.nat(40), (value, by, zeros) => {
        const text = (integer: bigint) => JSON.rawJSON(`${integer}e-${zeros}`);
        expect(isMultiple(text(value), text(by), new ValidationBudget())).toBe(value % by === 0n);
      }),
    );
  });
});

test('multiples of many digits use up the steps of a check', () => {
  const work = new ValidationBudget();
  const [value, by] = [JSON.rawJSON('1e999999999999999'), JSON.rawJSON('7'.repeat(4_000))];
  expect(() => {
    for (let at = 0; at < 1_000; at += 1) isMultiple(value, by, work);
  }).toThrow('The value takes more than 6000000 steps');
});

test('a fault tells all digits of the schema', () => {
  const faults = compileSchema(parseJson(`{"minimum":${LONG}}`)).validate(1);
  expect(faults).toEqual([{ path: '', message: `is less than the minimum ${LONG}` }]);
});

test('an object that looks like a kept number is an object', () => {
  const value: Json = { rawJSON: '1' };
  expect(compileSchema({ type: 'object' }).validate(value)).toEqual([]);
  expect(compileSchema({ const: value }).validate(JSON.rawJSON('1'))).toHaveLength(1);
});
