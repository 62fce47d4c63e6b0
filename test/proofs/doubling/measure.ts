/** How the processor's time grows with the size of what is read. */
import { cpuMs } from '../processor-time.ts';

/** Beyond so many times for twice the size, twice over, growth is worse than linear. */
const GROWTH_MAX = 2.5;
/** Milliseconds that the smallest measured size takes at least: less is noise. */
const FLOOR_MS = 5;
/** The first size that is tried. */
const LEAST = 512;
/** How often each size is measured at first, and then when it seems to grow too much. */
const ROUNDS = [1, 3, 9] as const;

/** Something that reads an input of about a size; the round makes inputs of one size differ. */
type Sized = (size: number, round: number) => () => void;

/** Milliseconds of a size, of twice and of four times that. */
interface Growth {
  readonly size: number;
  readonly ms: readonly number[];
}

/**
 * Whether it grows faster than its input: from the size on that takes long enough to be measured,
 * over two doublings. What seems to is measured again, more often: a busy machine adds to some rounds.
 * @param most no input is larger
 */
export function growthOf(sized: Sized, most: number): Growth | undefined {
  let size = LEAST;
  // What is slow once, such as before it is compiled, says nothing of the size.
  const isShort = (round: number) => cpuMs(sized(size, round)) < FLOOR_MS;
  while (size * 4 < most && (isShort(0) || isShort(10) || isShort(11))) size *= 2;
  let found: Growth | undefined;
  for (const rounds of ROUNDS) {
    const ms = [1, 2, 4].map((times) => best(sized, times * size, rounds));
    if (!isTooMuch(ms)) return undefined;
    found = { size, ms };
  }
  return found;
}

function isTooMuch([least = 0, , most = 0]: readonly number[]): boolean {
  return most > GROWTH_MAX ** 2 * Math.max(least, FLOOR_MS);
}

function best(sized: Sized, size: number, rounds: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= rounds; round += 1) {
    least = Math.min(least, cpuMs(sized(size, round)));
  }
  return least;
}
