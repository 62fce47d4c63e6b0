/** What many reads of records of one organization leave to others, and how many may wait. */
import { expect, onTestFinished, test } from 'vitest';
import type { Owner } from './heavy-work.ts';
import { noteCaller } from './neighbours.ts';
import { inTurn } from './record-reads.ts';
import { threadTime } from './thread-time.ts';

const organization = (signal = new AbortController().signal) => {
  const own = crypto.randomUUID();
  const of = { address: '', caller: { orgUuid: own }, signal } as unknown as Owner; // All that is looked at.
  return { own, of };
};

/** All that wait are the test's own: one can wake the other, as anywhere but in the runtime of tests. */
function wakeEachOther(): void {
  const time: { lookMs?: number } = threadTime;
  const { lookMs } = time;
  delete time.lookMs;
  onTestFinished(() => {
    if (lookMs !== undefined) time.lookMs = lookMs;
  });
}

test('begin at once while no other organization calls, else one some time after the other', async () => {
  await scheduler.wait(300);
  const { own, of } = organization();
  wakeEachOther();
  const took = async () => {
    const started = performance.now();
    await Promise.all(Array.from({ length: 11 }, () => inTurn(of, async () => {})));
    return performance.now() - started;
  };
  noteCaller(own);
  const alone = await took();
  noteCaller('other');
  const beside = await took();
  // Ten times 7 ms.
  expect(beside).toBeGreaterThanOrEqual(69);
  expect(alone).toBeLessThan(beside);
});

test('one that takes longer holds the next back, 14 ms at most', async () => {
  const { own, of } = organization();
  wakeEachOther();
  noteCaller(own);
  noteCaller('other');
  const began: number[] = [];
  const took: number[] = [];
  const reads = Array.from({ length: 6 }, () =>
    inTurn(of, async () => {
      noteCaller('other');
      const start = performance.now();
      began.push(start);
      await scheduler.wait(6);
      took.push(performance.now() - start);
    }),
  );
  await Promise.all(reads);
  const [first = 0, last = 0] = [began[0], began.at(-1)];
  // Five times 14 ms, where 7 ms would make 35; a timer may be a little early.
  const rests = took.slice(0, -1).map((each) => Math.min(each * 2.5, 14));
  const expected = rests.reduce((sum, each) => sum + each, 0);
  expect(expected).toBeGreaterThan(60);
  expect(last - first).toBeGreaterThanOrEqual(expected - 1);
});

test('256 of an organization wait, one more is refused, and another organization has its turn', async () => {
  const [{ of }, other] = [organization(), organization()];
  const all = Array.from({ length: 260 }, (_, id) => inTurn(of, async () => id));
  const seen = await Promise.all([inTurn(other.of, async () => 'read'), Promise.allSettled(all)]);
  const refused = {
    status: 'rejected',
    reason: expect.objectContaining({
      code: 'SERVICE_UNAVAILABLE',
      message:
        '256 reads of this organization, or from this address, wait for their turn: try again later',
      retryAfter: 1,
    }),
  };
  const read = Array.from({ length: 257 }, (_, value) => ({ status: 'fulfilled', value }));
  expect(seen).toEqual(['read', [...read, refused, refused, refused]]);
});

test('does not read for a client that has gone meanwhile', async () => {
  const client = new AbortController();
  const first = inTurn(organization().of, () => scheduler.wait(10));
  const second = inTurn(organization(client.signal).of, async () => 'read');
  client.abort();
  expect(await Promise.allSettled([first, second])).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { message: 'The client has gone' } },
  ]);
});
