/** Numbers of backends as JSON texts. */
import { expect, test } from 'vitest';
import { doubleText, shortestSingle } from './json-forms.ts';

test.for([
  [0, '0'],
  [-0, '-0'],
  [2 ** -149, '1e-45'],
  [-(2 ** -149), '-1e-45'],
  [2 ** -148, '3e-45'],
  [2 ** -126, '1.1754944e-38'],
  [2 ** -126 - 2 ** -149, '1.1754942e-38'],
  [0.1, '0.1'],
  [16777216, '16777216'],
  [3.4028234663852886e38, '3.4028235e+38'],
  [Number.POSITIVE_INFINITY, '"Infinity"'],
  [Number.NaN, '"NaN"'],
] as const)('the single %d is %s', ([value, text]) => {
  expect(doubleText(shortestSingle(Math.fround(value)))).toBe(text);
});

test('no single is another one in its text, and none has a shorter one', () => {
  for (let bits = 1; bits < 0x7f80_0000; bits += 99_991) {
    const single = new Float32Array(Uint32Array.of(bits).buffer)[0] ?? 0;
    const short = shortestSingle(single);
    expect(Math.fround(short)).toBe(single);
    const digits = short.toExponential().replace(/e.*$/, '').replace(/[-.]/g, '').length;
    if (digits > 1) expect(Math.fround(Number(single.toPrecision(digits - 1)))).not.toBe(single);
  }
});
