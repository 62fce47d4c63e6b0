/** When a supervisor ends a part that does not answer: not while it loads code. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BEAT_MS, STARVED_MAX_MS } from './health.ts';
import { PartProcess } from './part-process.ts';

const PROGRAM = fileURLToPath(new URL('test/slow-to-load.ts', import.meta.url));

test('a part that loads code is waited for, and ended for a loop after it', async () => {
  const part = new PartProcess({
    program: PROGRAM,
    args: [],
    environment: process.env,
    startedMs: Date.now(),
    ownPort: 0,
    memoryBytes: 512 * 1024 * 1024,
  });
  let wasListening = false;
  part.events = {
    listening() {
      wasListening = true;
    },
    asksFigures() {},
    ended() {},
  };
  const look = () =>
    part.look({ at: performance.now(), lateMs: 0, starvedMaxMs: 2 * STARVED_MAX_MS });
  const looks = setInterval(look, BEAT_MS);
  try {
    expect(await part.ended).toBe('it was blocked');
    expect(wasListening).toBe(true);
  } finally {
    clearInterval(looks);
    part.kill('the test has ended');
  }
});
