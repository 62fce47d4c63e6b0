/** Who is taken out of a part that died, and for how long. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OWN_PARTS_MAX, OwnParts } from './own-parts.ts';
import { Deaths, Presence } from './suspects.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('suspects of a death', () => {
  test('are those with calls in flight', () => {
    const presence = new Presence();
    for (const key of ['a', 'b', 'c']) presence.busy(key);
    presence.idle('b', 0);
    expect(presence.suspects(1)).toEqual(['a', 'c']);
  });

  test('are those of the last ten seconds where nobody has calls in flight', () => {
    const presence = new Presence();
    for (const key of ['a', 'b']) presence.busy(key);
    presence.idle('a', 0);
    presence.idle('b', 5_000);
    expect(presence.suspects(9_999)).toEqual(['a', 'b']);
    expect(presence.suspects(10_000)).toEqual(['b']);
  });
});

describe('deaths', () => {
  test('two within ten minutes are told, further apart they are not', () => {
    const deaths = new Deaths();
    expect(deaths.note(['a', 'b'], 0)).toEqual([]);
    expect(deaths.note(['b'], 10 * MINUTE - 1)).toEqual(['b']);
    expect(deaths.note(['a'], 10 * MINUTE)).toEqual([]);
    expect(deaths.note(['b'], 10 * MINUTE)).toEqual(['b']);
  });

  test('tell first who was there most often', () => {
    const deaths = new Deaths();
    for (const keys of [['a', 'b'], ['b']]) deaths.note(keys, 0);
    expect(deaths.note(['a', 'b'], 1)).toEqual(['b', 'a']);
  });
});

describe('parts for one key', () => {
  test('last an hour, and at most five minutes longer while they are used', () => {
    const own = new OwnParts();
    const part = own.take('a', 0);
    expect(own.over(HOUR - 1, () => true)).toEqual([]);
    expect(own.over(HOUR + 5 * MINUTE - 1, () => false)).toEqual([]);
    expect(own.over(HOUR + 5 * MINUTE, () => false)).toEqual([part]);
    expect([...own]).toEqual([]);
  });

  test('are so many and no more, and every key has exactly one', () => {
    fc.assert(
      fc.property(fc.array(fc.uuid(), { maxLength: 20 }), (keys) => {
        const own = new OwnParts();
        const made = keys.flatMap((key) => own.take(key, 0) ?? []);
        const parts = [...own];
        expect(parts).toEqual(made);
        expect(parts).toHaveLength(Math.min(OWN_PARTS_MAX, new Set(keys).size));
        for (const key of keys) expect(parts.filter((part) => part.keys.has(key))).toHaveLength(1);
      }),
    );
  });
});
