import { test } from 'vitest';
import { expectHarmless } from './small.ts';

test('hostile Cassandra servers harm their own calls alone', { timeout: 120_000 }, () =>
  expectHarmless('cassandra'),
);
