/** Turns of short works: one after another, fair between owners, and not held by works that never end. */
import { expect, test } from 'vitest';
import { Clock } from './test/clock.ts';
import { Turns } from './turns.ts';

/** Counts works under way, each of which takes 2 ms. */
function counted(time: Clock) {
  const seen = { most: 0, order: [] as number[] };
  let now = 0;
  const work = (id: number) => async () => {
    now += 1;
    seen.most = Math.max(seen.most, now);
    await time.wait(2);
    now -= 1;
    seen.order.push(id);
  };
  return { seen, work };
}

test('does works one after another, those of one owner in the order in which they came', async () => {
  const time = new Clock();
  const turns = new Turns(time);
  const { seen, work } = counted(time);
  const ids = Array.from({ length: 9 }, (_, id) => id);
  await Promise.all(ids.map((id) => turns.inTurn('a', work(id))));
  expect(seen).toEqual({ most: 1, order: ids });
});

test('takes turns between owners, however much one has sent', async () => {
  const time = new Clock();
  const turns = new Turns(time);
  const { seen, work } = counted(time);
  const many = Array.from({ length: 20 }, (_, id) => turns.inTurn('a', work(id)));
  await Promise.all([turns.inTurn('b', work(100)), turns.inTurn('c', work(101))]);
  expect(seen.order.slice(0, 4)).toEqual([0, 1, 100, 101]);
  await Promise.all(many);
});

test('begins the next work when one fails', async () => {
  const turns = new Turns(new Clock());
  const fail = () => turns.inTurn('a', () => Promise.reject(new Error('no')));
  const failed = await Promise.allSettled([fail(), fail(), fail()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await turns.inTurn('a', async () => 'done')).toBe('done');
});

test('does not wait for works that take long', async () => {
  const turns = new Turns(new Clock());
  for (let count = 0; count < 5; count += 1) void turns.inTurn('a', () => new Promise(() => {}));
  expect(await turns.inTurn('a', async () => 'done')).toBe('done');
});

test('where nobody can wake another, each goes on by a look of its own', async () => {
  const [look, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = (ms: number) => (ms === 7 ? look.promise : Promise.resolve());
  const turns = new Turns({ now: () => 0, wait, lookMs: 7 });
  const done: string[] = [];
  const one = turns.inTurn('a', () => first.promise);
  const other = turns.inTurn('b', async () => done.push('other'));
  first.resolve();
  await one;
  await new Promise((resolve) => setTimeout(resolve));
  expect(done).toEqual([]);
  look.resolve();
  await other;
  expect(done).toEqual(['other']);
});
