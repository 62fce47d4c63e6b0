/** What is told of a server's own text. */
import { describe, expect, test } from 'vitest';
import { GatewayError } from './errors.ts';
import { SERVER_TEXT_MAX, truncated, truncatedWithout } from './truncate.ts';

describe('a text of a server', () => {
  test('is told as it is up to its bound', () => {
    const text = 'x'.repeat(SERVER_TEXT_MAX);
    expect(truncated(text)).toBe(text);
    expect(truncated(`${text}y`)).toBe(text);
  });

  test('keeps no half of a pair of surrogates', () => {
    expect(truncated('ab😀', 3)).toBe('ab');
    expect(truncated('ab😀', 4)).toBe('ab😀');
  });

  test('is cut where an address would be halved only after that has been hidden', () => {
    const text = `${'x'.repeat(SERVER_TEXT_MAX - 2)} 10.0.0.1:5432`;
    const shown = truncatedWithout(text, (whole) =>
      whole.replace(/\d+(?:\.\d+){3}:\d+/g, '(address)'),
    );
    expect(shown).toBe(`${'x'.repeat(SERVER_TEXT_MAX - 2)} (`);
  });

  test('is cut wherever it stands in a failure', () => {
    const long = 'x'.repeat(10 * SERVER_TEXT_MAX);
    const short = 'x'.repeat(SERVER_TEXT_MAX);
    const failure = new GatewayError('REQUEST_FAILED', long, {
      details: [{ source: 'postgres', code: long, message: long, constraint: long, position: 7 }],
    });
    expect(failure.message).toBe(short);
    expect(failure.details).toEqual([
      { source: 'postgres', code: short, message: short, constraint: short, position: 7 },
    ]);
  });
});
