/** The proof `hostile-replies`, small, of pinecone. */
import { test } from 'vitest';
import { expectHarmless } from './small.ts';

test('hostile servers harm nobody but their own callers', { timeout: 120_000 }, () =>
  expectHarmless('pinecone'),
);
