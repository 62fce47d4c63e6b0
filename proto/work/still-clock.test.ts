/** What work leaves to others where the clock stands still while it is done. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WorkQueue } from './queue.ts';
import { Thread } from './test/thread.ts';

/** A thread whose clock goes on only when something is waited for. */
class StillThread extends Thread {
  #shown = 0;
  readonly still = new WorkQueue({
    now: () => this.#shown,
    wait: async (ms) => {
      await this.wait(ms);
      this.#shown = this.at;
    },
  });
}

test('work rests for what it took where the clock stands still meanwhile, on a slow machine as on a fast one', async () => {
  const slices = 8;
  await fc.assert(
    // A slice of 256 pieces counts for 20 ms, and for up to five times as much once that is seen.
    fc.asyncProperty(fc.double({ min: 0.02, max: 0.35, noNaN: true }), async (ms) => {
      const thread = new StillThread();
      const pieces = thread.pieces('a', 256 * slices, ms);
      await thread.run([thread.still.work('a', pieces, { isLarge: true })]);
      const held = 256 * slices * ms;
      const [slice, credit] = [256 * ms, 30];
      // And what adding up rounds.
      expect(held).toBeLessThanOrEqual(thread.at * 0.4 + slice + credit + 1);
    }),
  );
});
