/** Promises of proto/decimal.ts: numbers are compared by their digits, however they are written. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareDecimals, plainDecimal, sameDecimal } from './decimal.ts';

test.each([
  ['1.50', '15e-1'],
  ['0', '-0.000e99'],
  ['1E+3', '1000.0'],
  ['-0.0012', '-12e-4'],
])('%s is %s', (one, other) => {
  expect(sameDecimal(one, other)).toBe(true);
});

describe('digits that a double does not hold decide', () => {
  test.each([
    ['9007199254740992', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775807'],
    ['1e400', '2e400'],
    ['-1e400', '1e-400'],
    ['0', '1e-400'],
    ['99999999999999999999', '1e20'],
    ['0.1', '0.1000000000000000055511151231257827'],
  ])('%s is less than %s', (less, more) => {
    expect(compareDecimals(less, more)).toBeLessThan(0);
    expect(compareDecimals(more, less)).toBeGreaterThan(0);
  });
});

test('integers are in their order', () => {
  void fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), (one, other) => {
      const order = Number(one > other) - Number(one < other);
      expect(Math.sign(compareDecimals(String(one), String(other)))).toBe(order);
    }),
  );
});

describe('without an exponent', () => {
  test.each([
    ['12.50e1', '125'],
    ['-12.5e-4', '-0.00125'],
    ['1.25e1', '12.5'],
    ['0.00e999999999999', '0'],
    ['1e19', '10000000000000000000'],
    ['1e-20', '0.00000000000000000001'],
    ['1e20', undefined],
    ['1e-21', undefined],
    ['1e999999999999999999999', undefined],
    ['123456789012345678901', undefined],
  ])('%s is %s in twenty digits', (text, plain) => {
    expect(plainDecimal(text, 20)).toBe(plain);
  });

  test('every number is the same', () => {
    void fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: -50, max: 50 }), (digits, exponent) => {
        const text = `${digits}e${exponent}`;
        const plain = plainDecimal(text, 1_000) ?? '';
        expect(plain).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/);
        expect(sameDecimal(plain, text)).toBe(true);
      }),
    );
  });
});

test('equal negative numbers are neither less nor greater', () => {
  expect(compareDecimals('-1.5', '-15e-1')).toBe(0);
});

test('doubles are in their order', () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  void fc.assert(
    fc.property(double, double, (one, other) => {
      const order = Number(one > other) - Number(one < other);
      expect(Math.sign(compareDecimals(String(one), String(other)))).toBe(order);
    }),
  );
});
