/** A process that runs short of memory lets calls go, and gives them time to do so. */
import { describe, expect, test } from 'vitest';
import { MemoryGuard, type MemoryUse } from './memory-guard.ts';

const MEMORY = 1_000;
const PLENTY: MemoryUse = { outside: 400, heap: 80, heapMax: 100 };

/** At which of the looks calls were let go. */
function shedAt(looks: readonly (readonly [number, Partial<MemoryUse>])[]): number[] {
  const shed: number[] = [];
  let [now, held] = [0, PLENTY];
  const guard = new MemoryGuard({
    memoryBytes: MEMORY,
    shed: () => shed.push(now),
    held: () => held,
  });
  for (const [at, seen] of looks) {
    [now, held] = [at, { ...PLENTY, ...seen }];
    guard.look(at);
  }
  return shed;
}

describe('a memory guard', () => {
  test.each([
    ['has what it may', {}, []],
    ['holds too much outside of the heap', { outside: 401 }, [0]],
    ['holds too much in the heap', { heap: 81 }, [0]],
  ])('of a process that %s', (_, held, expected) => {
    expect(shedAt([[0, held]])).toEqual(expected);
  });

  test('waits a second for what was let go', () => {
    const short = { outside: 900 };
    expect(
      shedAt([
        [0, short],
        [250, short],
        [999, short],
        [1_000, short],
        [1_500, {}],
        [2_500, short],
      ]),
    ).toEqual([0, 1_000, 2_500]);
  });
});
