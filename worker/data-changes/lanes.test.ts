/** Changes that wait to be fired, in a real object's database. */
import { env, runInDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lanes, type NewPending } from './lanes.ts';
import { TABLES } from './tables.ts';

const MINUTE_MS = 60_000;

/** Work on the lanes of a new object. */
function onLanes(work: (lanes: Lanes, sql: SqlStorage) => void): Promise<void> {
  const stub = env.DATA_CHANGES.getByName(crypto.randomUUID());
  return runInDurableObject(stub, (_object, state) => {
    state.storage.sql.exec(TABLES);
    work(new Lanes(state.storage.sql), state.storage.sql);
  });
}

function pending(lane: string, id: string, more: Partial<NewPending> = {}): NewPending {
  const sealed = new TextEncoder().encode(id);
  return { lane, id, workflow: 'w', index: 0, time: 0, sealed, ...more };
}

const ids = (lanes: Lanes, now = 0) => lanes.due(now, 100).map(({ lane, id }) => `${lane}${id}`);

test('the first of each lane is due, the oldest first, and the next once it is done', () =>
  onLanes((lanes) => {
    for (const [lane, id] of ['a1', 'b1', 'a2', 'b2'].map((each) => [...each])) {
      lanes.add(pending(lane ?? '', id ?? ''));
    }
    expect(ids(lanes)).toEqual(['a1', 'b1']);
    const [first] = lanes.due(0, 1);
    lanes.done('a', first?.seq ?? 0);
    expect(ids(lanes)).toEqual(['b1', 'a2']);
  }));

test('a change that is told again while it waits is there once', () =>
  onLanes((lanes) => {
    lanes.add(pending('a', '1'));
    lanes.add(pending('a', '1'));
    expect(lanes.sizes()).toEqual({ ready: 1, all: 1, bytes: 1 });
  }));

test('what is put off is due later, and holds back its own lane alone', () =>
  onLanes((lanes) => {
    lanes.add(pending('a', '1'));
    lanes.add(pending('a', '2'));
    lanes.add(pending('b', '1'));
    lanes.putOff('a', 500);
    expect(ids(lanes, 499)).toEqual(['b1']);
    expect(lanes.nextAt(0)).toBe(500);
    expect(lanes.due(500, 9).map(({ lane, id, tries }) => [lane, id, tries])).toEqual([
      ['b', '1', 0],
      ['a', '1', 1],
    ]);
  }));

test('a lane waits for the run that its first change has started', () =>
  onLanes((lanes) => {
    lanes.add(pending('a', '1'));
    lanes.add(pending('a', '2'));
    const [first] = lanes.due(0, 1);
    lanes.waitFor('a', 'run');
    expect(ids(lanes)).toEqual([]);
    expect(lanes.waiting(0, 9)).toEqual([{ lane: 'a', seq: first?.seq, run: 'run', tries: 0 }]);
    expect(lanes.sizes()).toMatchObject({ ready: 0, all: 2 });
    lanes.done('a', first?.seq ?? 0);
    expect(ids(lanes)).toEqual(['a2']);
  }));

test('a trigger that is no more leaves only what a run is waited for', () =>
  onLanes((lanes) => {
    lanes.add(pending('a', '1', { workflow: 'kept' }));
    lanes.add(pending('b', '1', { workflow: 'gone' }));
    lanes.add(pending('c', '1', { workflow: 'gone' }));
    lanes.add(pending('c', '2', { workflow: 'gone' }));
    lanes.waitFor('c', 'run');
    lanes.dropOthers(['kept:0']);
    expect(ids(lanes)).toEqual(['a1']);
    expect(lanes.waiting(0, 9).map(({ lane }) => lane)).toEqual(['c']);
    expect(lanes.sizes().all).toBe(2);
    lanes.dropTrigger('kept', 0);
    expect(ids(lanes)).toEqual([]);
  }));

test('a body of any size comes back as it was', () =>
  onLanes((lanes) => {
    const sealed = Uint8Array.from({ length: 2_500_000 }, (_, at) => at % 251);
    lanes.add(pending('a', '1', { sealed }));
    const [first] = lanes.due(0, 1);
    expect(lanes.bodyOf(first?.seq ?? 0)).toEqual(sealed);
    lanes.done('a', first?.seq ?? 0);
    expect(lanes.bodyOf(first?.seq ?? 0).byteLength).toBe(0);
  }));

test('starts of a key count for a minute, of its commits and of the clock', () =>
  onLanes((lanes) => {
    const at = 10 * MINUTE_MS;
    lanes.started({ lane: 'a', time: at }, at);
    lanes.started({ lane: 'b', time: at }, at);
    const starts = (time: number, now: number) => lanes.startsOf({ lane: 'a', time }, now);
    expect(starts(at + MINUTE_MS - 1, at)).toBe(1);
    expect(starts(at + MINUTE_MS, at)).toBe(0);
    expect(starts(at, at + MINUTE_MS - 1)).toBe(1);
    expect(starts(at, at + MINUTE_MS)).toBe(0);
    lanes.sweep(at + MINUTE_MS + 1);
    expect(starts(at, at)).toBe(0);
  }));

test('what was put off before the clock was put back is due soon', () =>
  onLanes((lanes) => {
    lanes.add(pending('a', '1'));
    lanes.putOff('a', 60 * MINUTE_MS);
    lanes.sweep(59.5 * MINUTE_MS);
    expect(ids(lanes)).toEqual([]);
    lanes.sweep(0);
    expect(ids(lanes)).toEqual(['a1']);
  }));

/** What may happen to a lane: its name stands for the workflow, too. */
const STEPS: { readonly [name: string]: (lanes: Lanes, lane: string, seq: number) => void } = {
  add: (lanes, lane) => lanes.add(pending(lane, crypto.randomUUID(), { workflow: lane })),
  done: (lanes, lane, seq) => lanes.done(lane, seq),
  wait: (lanes, lane) => lanes.waitFor(lane, 'run'),
  putOff: (lanes, lane) => lanes.putOff(lane, 500),
  drop: (lanes, lane) => lanes.dropTrigger(lane, 0),
};

test('sizes are those of what there is, whatever was done', () =>
  onLanes((lanes, sql) => {
    const step = fc.tuple(
      fc.constantFrom('add', ...Object.keys(STEPS)),
      fc.constantFrom('a', 'b', 'c'),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        lanes.clear();
        lanes.sizes();
        for (const [name, lane] of steps) {
          const heads = [...lanes.due(1_000, 99), ...lanes.waiting(0, 99)];
          const first = heads.find((head) => head.lane === lane);
          if (first || name === 'add') STEPS[name]?.(lanes, lane, first?.seq ?? 0);
          expect(lanes.sizes()).toEqual(new Lanes(sql).sizes());
        }
      }),
    );
    lanes.clear();
  }));

test('a trigger is retried while the first change of any of its lanes is put off', () =>
  onLanes((lanes) => {
    lanes.add(pending('a', '1'));
    lanes.add(pending('b', '1'));
    lanes.putOff('a', 500);
    expect([lanes.isRetried('w', 0), lanes.isRetried('w', 1)]).toEqual([true, false]);
    const [first] = lanes.due(500, 9).filter(({ lane }) => lane === 'a');
    lanes.done('a', first?.seq ?? 0);
    expect(lanes.isRetried('w', 0)).toBe(false);
  }));

test('the lane that holds most and waits for a run is known by its trigger', () =>
  onLanes((lanes) => {
    lanes.add(pending('a', '1', { workflow: 'one' }));
    for (const id of ['1', '2']) lanes.add(pending('b', id, { workflow: 'two', index: 3 }));
    expect(lanes.longest()).toBeUndefined();
    lanes.waitFor('a', 'run');
    lanes.waitFor('b', 'run');
    expect(lanes.longest()).toEqual({ workflow: 'two', index: 3, n: 2 });
  }));
