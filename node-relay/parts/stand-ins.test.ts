/** How many processes wait to stand in, and when they are loaded. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PartEvents, PartProcess } from './part-process.ts';
import { StandIns } from './stand-ins.ts';

/** What of a process the others see. */
class Waiting {
  isLoaded = false;
  events: PartEvents | undefined;
  killed = false;

  load(): void {
    this.isLoaded = true;
    this.events?.loaded?.();
  }

  kill(): void {
    this.killed = true;
  }
}

/** Stand-ins of processes that are loaded when a test says so. */
function someStandIns(kept = 2) {
  const made: Waiting[] = [];
  const state = { isPressed: false };
  const standIns = new StandIns({
    kept,
    log: { info: () => {} },
    make() {
      const process = new Waiting();
      made.push(process);
      return process as unknown as PartProcess; // All that is asked of it here.
    },
    isPressed: () => state.isPressed,
  });
  standIns.start();
  return { standIns, made, state };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Has each be loaded as soon as it is made, for a while. */
function loadAll(made: readonly Waiting[]): void {
  for (let second = 0; second < 60; second += 1) {
    for (const each of made) if (!each.isLoaded) each.load();
    vi.advanceTimersByTime(1_000);
  }
}

test('are two, the second some time after the first', () => {
  const { made } = someStandIns();
  expect(made).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  expect(made).toHaveLength(1);
  made[0]?.load();
  vi.advanceTimersByTime(1_000);
  expect(made).toHaveLength(1);
  loadAll(made);
  expect(made).toHaveLength(2);
});

test('are none where none are wanted, after a death neither', () => {
  const { standIns, made } = someStandIns(0);
  standIns.died(performance.now());
  standIns.load();
  vi.advanceTimersByTime(60_000);
  expect({ made, taken: standIns.take() }).toEqual({ made: [], taken: undefined });
});

test('are three for ten minutes after a death, one loaded at a time and without a pause', () => {
  const { standIns, made } = someStandIns();
  loadAll(made);
  standIns.died(performance.now());
  const taken = [standIns.take(), standIns.take()];
  expect(taken).toEqual(made);
  for (const length of [3, 4, 5]) {
    standIns.load();
    standIns.load();
    expect(made).toHaveLength(length);
    made.at(-1)?.load();
    vi.advanceTimersByTime(0);
  }
  loadAll(made);
  expect(made).toHaveLength(5);
  vi.advanceTimersByTime(600_000);
  standIns.take();
  loadAll(made);
  expect(made).toHaveLength(5);
});

test('are not loaded while a part waits for its process', () => {
  const { standIns, made, state } = someStandIns();
  state.isPressed = true;
  loadAll(made);
  expect(made).toHaveLength(1);
  state.isPressed = false;
  standIns.load();
  expect(made).toHaveLength(2);
});

test('are left to who comes before: one that is still loading, too', () => {
  const { standIns, made } = someStandIns();
  expect(standIns.take(1)).toBeUndefined();
  made[0]?.load();
  expect(standIns.take(1)).toBeUndefined();
  loadAll(made);
  expect(standIns.take(1)).toBe(made[0]);
  expect(standIns.take(1)).toBeUndefined();
  expect(standIns.take()).toBe(made[1]);
  standIns.load();
  expect(standIns.take()).toBe(made[2]);
});

test('that end are replaced; once they are closed, no more', () => {
  const { standIns, made } = someStandIns();
  made[0]?.events?.ended('exit code 1');
  vi.advanceTimersByTime(100);
  expect(made).toHaveLength(2);
  expect([...standIns]).toEqual([made[1]]);
  standIns.close();
  expect(made[1]?.killed).toBe(true);
  made[1]?.events?.ended('SIGKILL');
  loadAll(made);
  expect(made).toHaveLength(2);
});
