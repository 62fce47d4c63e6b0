/** The proof, small, of this kind. */
import { test } from 'vitest';
import { expectHarmless } from './small.ts';

test('a hostile PostgreSQL ends only its own calls', () => expectHarmless('postgres'));
