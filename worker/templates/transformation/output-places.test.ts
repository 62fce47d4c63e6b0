/** How deep what rules put is copied, against places that are spelled out; and what very long targets take. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { whole } from '../../../proto/work/pieces.ts';
import { transformationInPieces } from './index.ts';
import { ANY, Places } from './output-places.ts';
import type { Target } from './target.ts';

type Step = string | number | typeof ANY;

/** Steps that may lead to the same place have one text. */
function textOf(step: Step): string {
  if (step === ANY) return '.*';
  return typeof step === 'number' ? '[]' : JSON.stringify(step);
}

/** All places below which rules write, spelled out. */
function spelled(writes: readonly (readonly Step[])[]): Map<string, number> {
  const reach = new Map<string, number>();
  for (const steps of writes) {
    let prefix = '';
    const note = (place: string) => reach.set(place, Math.max(reach.get(place) ?? 0, steps.length));
    note(prefix);
    for (const step of steps.slice(0, -1)) {
      note(`${prefix}.*`);
      prefix += textOf(step);
      note(prefix);
    }
  }
  return reach;
}

test('what is put is copied as deep as others write into it', () => {
  const step = fc.constantFrom<Step>('a', 'b', 0, 1, ANY);
  const write = fc.tuple(fc.array(step, { maxLength: 5 }), fc.nat(2));
  fc.assert(
    fc.property(fc.array(write, { maxLength: 8 }), (writes) => {
      const places = new Places();
      const targets = writes.map(([steps, fresh]) => {
        const target = { steps: [], depth: 0 } as unknown as Target;
        places.add(target, steps, fresh);
        return target;
      });
      whole(places.settle());
      const reach = spelled(writes.map(([steps]) => steps));
      const depths = writes.map(([steps, fresh]) => {
        const deeper = (reach.get(steps.map(textOf).join('')) ?? 0) - steps.length;
        return deeper > fresh ? deeper : 0;
      });
      expect(targets.map(({ depth }) => depth)).toEqual(depths);
    }),
    { numRuns: 2_000 },
  );
});

/** Rules of so many steps each, 600 KB together. */
function longTargets(steps: number) {
  const transformationRules = Array.from({ length: 300_000 / steps }, (_, at) => ({
    target: [...Array.from({ length: steps - 1 }, () => 'a'), `z${at}`].join('.'),
    value: 1,
  }));
  return { name: 'a', description: '', version: '1', transformationRules };
}

/** Milliseconds that settling takes 300,000 steps of targets of so many, the least of some. */
function quickest(steps: number): number {
  const above = Array.from({ length: steps - 1 }, () => 'a');
  const took = Array.from({ length: 3 }, () => {
    const places = new Places();
    for (let at = 0; at < 300_000 / steps; at += 1) {
      places.add({ steps: [], depth: 0 } as unknown as Target, [...above, `z${at}`]);
    }
    const began = performance.now();
    whole(places.settle());
    return performance.now() - began;
  });
  return Math.min(...took);
}

test('long targets take the time that as many steps of short ones take', () => {
  // Many times as long where each place is spelled out.
  expect(quickest(5_000) / quickest(50)).toBeLessThan(2.5);
});

test('places are settled in pieces', () => {
  const pieces = transformationInPieces(longTargets(1_000));
  let pauses = 0;
  while (!pieces.next().done) pauses += 1;
  expect(pauses).toBeGreaterThan(100);
});
