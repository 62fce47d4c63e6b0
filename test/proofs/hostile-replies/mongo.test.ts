import { test } from 'vitest';
import { expectHarmless } from './small.ts';

test('hostile MongoDB servers harm their own calls alone', { timeout: 120_000 }, () =>
  expectHarmless('mongo'),
);
