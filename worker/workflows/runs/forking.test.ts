/** What a fork reads of the run that it is of. Spec: workflows.md §6, `fork`. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOf } from './forking.ts';

const encoder = new TextEncoder();

async function* partsOf(whole: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, part = 0; at < whole.byteLength; part += 1) {
    const size = sizes[part % sizes.length] ?? 1;
    yield whole.subarray(at, at + size);
    at += size;
  }
}

async function read(parts: AsyncIterable<Uint8Array>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(parts)) lines.push(line);
  return lines;
}

test('lines are read however they are cut', async () => {
  const line = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .filter((text) => !text.includes('\n'));
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(line), sizes, async (lines, cuts) => {
      const whole = encoder.encode(lines.map((each) => `${each}\n`).join(''));
      expect(await read(partsOf(whole, cuts))).toEqual(lines.filter((each) => each !== ''));
    }),
  );
});

test('a long line takes twice as long where it is twice as long', async () => {
  const took = async (bytes: number): Promise<number> => {
    const whole = new Uint8Array(bytes).fill(0x61);
    whole[bytes - 1] = 0x0a;
    const began = performance.now();
    expect(await read(partsOf(whole, [4_096]))).toHaveLength(1);
    return performance.now() - began;
  };
  await took(1_000_000);
  const times: [number, number][] = [];
  for (let time = 0; time < 6; time += 1)
    times.push([await took(4_000_000), await took(16_000_000)]);
  const least = (at: 0 | 1) => Math.min(...times.map((each) => each[at]));
  expect(least(1)).toBeLessThan(10 * least(0) + 20);
});
