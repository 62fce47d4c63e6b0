/** Words that only some servers reserve, or have a function of, may be a user's function. */
import { expect, test } from 'vitest';
import { callsOf } from './calls.ts';
import { isEverywhere, isUsual } from './functions.ts';
import { tokensOf } from './lexer.ts';

test.each(['RETURNING', 'RECURSIVE', 'OVER', 'EXCEPT', 'INTERSECT', 'VALUE', 'LAST_VALUE'])(
  '%s is looked up',
  (word) => {
    const calls = callsOf(tokensOf(`SELECT ${word}(1)`));
    expect(calls).toMatchObject([{ name: word, path: [word], bare: true }]);
    expect({ own: isEverywhere(word), usual: isUsual(word) }).toEqual({ own: false, usual: true });
  },
);
