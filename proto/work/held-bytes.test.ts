/** What is held is bounded by owner. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Held, HeldBytes } from './held-bytes.ts';

test('an owner holds one reply of any size, or several up to the bound, whatever others hold', () => {
  const bytes = new HeldBytes(100);
  const [first, second, other] = [bytes.begin('a'), bytes.begin('a'), bytes.begin('b')];
  expect([first.set(500), second.set(1), other.set(90)]).toEqual([true, false, true]);
  second.end();
  expect([first.set(60), bytes.begin('a').set(40), bytes.begin('a').set(1)]).toEqual([
    true,
    true,
    false,
  ]);
  first.end();
  expect(bytes.begin('a').set(59)).toBe(true);
});

test('replies that end leave nothing behind, in whatever order', () => {
  const step = fc.record({ reply: fc.nat(4), bytes: fc.nat(50) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const bytes = new HeldBytes(100);
      const replies: Held[] = Array.from({ length: 5 }, () => bytes.begin('a'));
      const sizes = [0, 0, 0, 0, 0];
      for (const { reply, bytes: size } of steps) {
        sizes[reply] = size;
        const all = sizes.reduce((sum, each) => sum + each, 0);
        expect(replies[reply]?.set(size)).toBe(all <= 100 || all === size);
      }
      for (const each of replies) each.end();
      expect([bytes.begin('a').set(100), bytes.begin('a').set(1)]).toEqual([true, false]);
    }),
  );
});
