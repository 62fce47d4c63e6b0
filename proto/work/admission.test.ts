/** Admission of works that keep the thread busy: one after another with rests, fair between owners, refused when too many wait. */
import { expect, test } from 'vitest';
import { ADMITTED_WAITING_MAX, Admission } from './admission.ts';
import { Clock } from './test/clock.ts';

const SHED = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'Too many starts of this organization wait: try again later',
  retryAfter: 1,
};

/** Works of 2 ms, in the order of their ends, and how much of the time one was under way. */
function counted(time: Clock) {
  const seen = { most: 0, order: [] as string[], busyMs: 0 };
  let now = 0;
  const work = (id: string) => async () => {
    now += 1;
    seen.most = Math.max(seen.most, now);
    await time.wait(2);
    seen.busyMs += 2;
    now -= 1;
    seen.order.push(id);
  };
  return { seen, work };
}

const from = (owner: string, address = owner) => ({ owner, address });

test('does works one after another, and leaves the thread free for longer than they took', async () => {
  const time = new Clock();
  const admission = new Admission(time);
  const { seen, work } = counted(time);
  const ids = Array.from({ length: 20 }, (_, id) => `${id}`);
  await Promise.all(ids.map((id) => admission.admit(from('a'), work(id))));
  expect(seen).toEqual({ most: 1, order: ids, busyMs: 40 });
  expect(time.now()).toBeGreaterThan(2 * seen.busyMs);
});

test('rests for others alone: as long as nobody else is about, one begins as soon as the one before has ended', async () => {
  const time = new Clock();
  let other = Number.POSITIVE_INFINITY;
  const admission = new Admission(time, (owner) => owner === 'a' && time.now() < other);
  const { seen, work } = counted(time);
  const many = (count: number) =>
    Promise.all(Array.from({ length: count }, () => admission.admit(from('a'), work('a'))));
  await many(20);
  expect({ most: seen.most, took: time.now() }).toEqual({ most: 1, took: 2 * 20 });
  other = time.now();
  await many(20);
  expect(seen.most).toBe(1);
  expect(time.now() - other).toBeGreaterThan(3 * 2 * 19);
});

test('takes turns between owners, however much one has sent', async () => {
  const time = new Clock();
  const admission = new Admission(time);
  const { seen, work } = counted(time);
  const many = Array.from({ length: 20 }, () => admission.admit(from('a'), work('a')));
  await Promise.all([admission.admit(from('b'), work('b')), admission.admit(from('c'), work('c'))]);
  expect(seen.order.slice(0, 4).toSorted()).toEqual(['a', 'a', 'b', 'c']);
  await Promise.all(many);
});

test('refuses an owner that has too many waiting, and takes others meanwhile', async () => {
  const time = new Clock();
  const admission = new Admission(time);
  const { seen, work } = counted(time);
  const waiting = Array.from({ length: ADMITTED_WAITING_MAX + 1 }, (_, at) =>
    admission.admit({ owner: 'a', address: `${at}` }, work('a')),
  );
  await expect(admission.admit(from('a', 'new'), work('a'))).rejects.toMatchObject(SHED);
  await admission.admit(from('b'), work('b'));
  await Promise.all(waiting);
  expect(seen.order.filter((each) => each === 'b')).toHaveLength(1);
  expect(seen.order).toHaveLength(ADMITTED_WAITING_MAX + 2);
});

test('refuses an address that has too many waiting, except for an owner that has none', async () => {
  const time = new Clock();
  const admission = new Admission(time);
  const { seen, work } = counted(time);
  // One is done, one of each of two owners more than an address may have waits.
  const waiting = Array.from({ length: ADMITTED_WAITING_MAX + 1 }, (_, at) =>
    admission.admit(from(at % 2 === 0 ? 'a' : 'b', 'one'), work('x')),
  );
  await expect(admission.admit(from('b', 'one'), work('b'))).rejects.toMatchObject(SHED);
  const others = [
    admission.admit(from('c', 'one'), work('c')),
    admission.admit(from('a', 'two'), work('a')),
  ];
  await Promise.all([...waiting, ...others]);
  expect(seen.order).toHaveLength(ADMITTED_WAITING_MAX + 3);
});

test('admits the next while one waits for something else, and when one fails', async () => {
  const time = new Clock();
  const admission = new Admission(time);
  const long = admission.admit(from('a'), () => time.wait(30_000));
  const fails = admission.admit(from('a'), async () => {
    throw new Error('no');
  });
  await expect(fails).rejects.toThrow('no');
  await admission.admit(from('a'), async () => undefined);
  expect(time.now()).toBeLessThan(1_000);
  await long;
});

test('waits until a busy thread answers sooner, but not for long', async () => {
  const time = new Clock();
  const admission = new Admission(time);
  time.lateMs = 20;
  const began: number[] = [];
  const note = async () => {
    began.push(time.now());
  };
  await admission.admit(from('a'), note);
  expect(began[0]).toBeGreaterThan(60);
  expect(began[0]).toBeLessThan(200);
});
