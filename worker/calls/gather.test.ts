/** Large replies of an organization are taken in one after another, and those of one run are bounded together. */
import { expect, test } from 'vitest';
import type { Owner } from '../limits/heavy-work.ts';
import { gather, RunResults } from './gather.ts';

const MIB = 1024 * 1024;

const organization = (): Owner => ({ caller: { orgUuid: crypto.randomUUID() } });

/** Replies of 4 MiB, of which it is counted how many are read at once. They never wait for their sender, which would let others go first. */
class Replies {
  open = 0;
  most = 0;

  make(): ReadableStream<Uint8Array> {
    let parts = 0;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (parts === 0) this.open += 1;
          this.most = Math.max(this.most, this.open);
          await Promise.resolve();
          parts += 1;
          controller.enqueue(new Uint8Array(MIB));
          if (parts < 4) return;
          this.open -= 1;
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  }
}

test('one after another for each organization, whatever is sent', async () => {
  const [own, others] = [new Replies(), new Replies()];
  const [one, other] = [organization(), organization()];
  const texts = await Promise.all([
    ...Array.from({ length: 6 }, () => gather(one, own.make())),
    ...Array.from({ length: 3 }, () => gather(other, others.make())),
  ]);
  expect(texts.map(({ length }) => length)).toEqual(texts.map(() => 4 * MIB));
  // The second is known to be large once its first part has come.
  expect(own.most).toBeLessThanOrEqual(2);
  expect(others.most).toBeLessThanOrEqual(2);
});

test('one that is given up makes place for the next', async () => {
  const of = organization();
  const refuse = () => {
    throw new Error('enough');
  };
  const replies = new Replies();
  const ends = await Promise.allSettled([
    gather(of, replies.make(), refuse),
    gather(of, replies.make()),
  ]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('those of one run are at most 32 MiB together', async () => {
  const { count } = new RunResults();
  const of = organization();
  await gather(of, new Uint8Array(30 * MIB), count);
  const tooLarge = expect.objectContaining({ code: 'RESULT_TOO_LARGE' });
  await expect(gather(of, new Replies().make(), count)).rejects.toEqual(tooLarge);
});
