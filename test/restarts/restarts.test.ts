/** Who asks a gateway while it is restarted loses nothing: what was sent is answered, what was not is refused. */
import { expect, test } from 'vitest';
import { restart } from './restarts.ts';

const CLEAN = { code: 0, signal: null };

test.each([
  ['on a socket of its own', []],
  ['behind its front', ['--host', '0.0.0.0']],
])(
  'restarts under load lose no request: %s',
  async (_, args) => {
    const { seen, ends, left } = await restart(2, { args });
    expect(seen.failures).toEqual([]);
    expect(ends).toEqual([CLEAN, CLEAN]);
    expect(left).toEqual([]);
    expect([seen.answered > 50, seen.refused > 50]).toEqual([true, true]);
  },
  180_000,
);
