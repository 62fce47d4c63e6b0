/** The proof, small, of this kind. */
import { test } from 'vitest';
import { expectHarmless } from './small.ts';

test('a hostile MySQL ends only its own calls', () => expectHarmless('mysql'));
