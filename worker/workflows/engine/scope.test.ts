/** An expression that reads the whole run: its actions are read together, and paid for. */
import { expect, test, vi } from 'vitest';
import { attemptEnded } from './machine.ts';
import { call } from './test/actions.ts';
import { MemoryJournal } from './test/memory-journal.ts';
import { World } from './test/world.ts';

const COUNT = 40;
/** Steps that telling one action comes to at least: some microseconds. */
const LEAST = 1_000;

test('actions that are read together are looked for at once, and each counts', () => {
  const ids = Array.from({ length: COUNT }, (_, at) => `a${at}`);
  const before = ids.map((id, at) => call(id, { next: ids[at + 1] ?? 'last' }));
  const world = new World({ actions: [...before, call('last', { input: '$' })] }).begin();
  for (let left = COUNT; left > 1; left -= 1) {
    const [next] = world.journal.calls.splice(0);
    if (next) world.reply(next);
  }
  const readAhead = vi.spyOn(MemoryJournal.prototype, 'readAhead');
  const turn = world.turn();
  attemptEnded(turn, `a${COUNT - 1}`, 1, { output: world.journal.keep('1') });
  const asked = readAhead.mock.calls.map(([paths]) => paths);
  readAhead.mockRestore();
  expect(world.node('last').phase).toBe('attempt');
  expect(asked).toEqual([expect.arrayContaining(ids)]);
  expect(turn.spent.steps).toBeGreaterThan(COUNT * LEAST);
});
