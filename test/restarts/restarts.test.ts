/** Who asks a gateway while it is restarted loses nothing: what was sent is answered, what was not is refused. */
import { expect, inject, test } from 'vitest';
import { restart } from './restarts.ts';

/** Twenty by `TEST_RUNS=10`. */
const TIMES = 2 * inject('runs');

const CLEAN = { code: 0, signal: null };

test.each([
  ['on a socket of its own', []],
  ['behind its front', ['--host', '0.0.0.0']],
])(
  'restarts under load lose no request: %s',
  async (_, args) => {
    const { seen, ends, left } = await restart(TIMES, { args });
    expect(seen.failures).toEqual([]);
    expect(ends).toEqual(Array.from({ length: TIMES }, () => CLEAN));
    expect(left).toEqual([]);
    expect([seen.answered > 50, seen.refused > 50]).toEqual([true, true]);
  },
  TIMES * 90_000,
);
