/** What is told of a server's own text. */
import { describe, expect, test } from 'vitest';
import { GatewayError } from './errors.ts';
import { TOLD_MAX, told, toldWithout } from './told.ts';

describe('a text of a server', () => {
  test('is told as it is up to its bound', () => {
    const text = 'x'.repeat(TOLD_MAX);
    expect(told(text)).toBe(text);
    expect(told(`${text}y`)).toBe(text);
  });

  test('keeps no half of a pair of surrogates', () => {
    expect(told('ab😀', 3)).toBe('ab');
    expect(told('ab😀', 4)).toBe('ab😀');
  });

  test('is cut where an address would be halved only after that has been hidden', () => {
    const text = `${'x'.repeat(TOLD_MAX - 2)} 10.0.0.1:5432`;
    const shown = toldWithout(text, (whole) => whole.replace(/\d+(?:\.\d+){3}:\d+/g, '(address)'));
    expect(shown).toBe(`${'x'.repeat(TOLD_MAX - 2)} (`);
  });

  test('is cut wherever it stands in a failure', () => {
    const long = 'x'.repeat(10 * TOLD_MAX);
    const short = 'x'.repeat(TOLD_MAX);
    const failure = new GatewayError('REQUEST_FAILED', long, {
      details: [{ source: 'postgres', code: long, message: long, constraint: long, position: 7 }],
    });
    expect(failure.message).toBe(short);
    expect(failure.details).toEqual([
      { source: 'postgres', code: short, message: short, constraint: short, position: 7 },
    ]);
  });
});
