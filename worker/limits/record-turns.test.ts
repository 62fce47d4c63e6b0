/** Turns of those who read what is stored: one of an organization at a time, and paid for. docs/heavy-work.md. */
import { expect, test } from 'vitest';
import { inRecordTurn } from './record-turns.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const MEBIBYTE = 1024 * 1024;

test('one of an organization at a time, and another organization beside it', async () => {
  const [own, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const seen = { now: 0, most: 0, ended: [] as string[] };
  const read = (address: string) =>
    inRecordTurn(
      { address },
      {
        async work() {
          if (address === own) seen.now += 1;
          seen.most = Math.max(seen.most, seen.now);
          await pause(5);
          if (address === own) seen.now -= 1;
          seen.ended.push(address);
        },
        bytesOf: () => 1,
      },
    );
  const all = Array.from({ length: 8 }, () => read(own));
  await read(other);
  expect(seen.ended.filter((each) => each === own).length).toBeLessThan(3);
  await Promise.all(all);
  expect([seen.most, seen.ended.length]).toEqual([1, 9]);
});

test('what is large is paid for before the next', async () => {
  const address = crypto.randomUUID();
  const began: number[] = [];
  const work = () => void began.push(performance.now());
  for (let at = 0; at < 3; at += 1) {
    await inRecordTurn({ address }, { work, bytesOf: () => 4 * MEBIBYTE });
  }
  // Some 105 ms of the thread each, with rests of half as much again.
  const [first = 0, , third = 0] = began;
  expect(third - first).toBeGreaterThan(200);
});

test('more than 64 that wait are refused, and what has begun is not', async () => {
  const address = crypto.randomUUID();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const read = (isBegun = false) =>
    inRecordTurn({ address }, { work: () => gate, bytesOf: () => 1, isBegun });
  const waiting = Array.from({ length: 64 }, () => read());
  await expect(read()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const begun = read(true);
  open();
  await Promise.all([...waiting, begun]);
});
