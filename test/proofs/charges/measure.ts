/** How many times its charge something takes, on whatever machine this is. */
import { cpuMs } from '../processor-time.ts';

/** What `yardstick` takes on the machine that charges were found on, when nothing else runs there. */
const YARDSTICK_MS = 2.8;
const OBJECTS = 100_000;
/** The least of so many rounds reports how slow a machine is. */
const ROUNDS = 5;
/** The runtime compiles the yardstick meanwhile. */
const WARM_UP = 20;
/** What takes too long is measured again so often, together with the yardstick: a busy machine slows some tries. */
const TRIES = 8;

/** Measures work that charges steps. */
export class Meter {
  readonly #most: number;
  readonly #slowness: number;

  /** @param most times its charge that work may take; what takes more is measured again */
  constructor(most: number) {
    this.#most = most;
    for (let round = 0; round < WARM_UP; round += 1) yardstick();
    this.#slowness = slowness();
  }

  /**
   * How many times its charge work takes: the least of some tries where that is too much.
   * @param nsPerStep measures once; undefined for too few steps to tell
   * @param stepNs what a step stands for
   */
  timesOf(nsPerStep: () => number | undefined, stepNs: number): number {
    let ns = nsPerStep() ?? 0;
    let slow = this.#slowness;
    for (let left = TRIES; left > 0 && ns > this.#most * slow * stepNs; left -= 1) {
      slow = left === TRIES ? slowness() : Math.min(slow, slowness());
      ns = Math.min(ns, nsPerStep() ?? 0);
    }
    return ns / stepNs / slow;
  }
}

/** How many times as long this machine takes now as the one that charges were found on; a round that the system has no account of is left out. */
function slowness(): number {
  const rounds = Array.from({ length: ROUNDS }, () => cpuMs(yardstick)).filter((ms) => ms > 0);
  return rounds.length === 0 ? slowness() : Math.min(...rounds) / YARDSTICK_MS;
}

interface Link {
  readonly at: number;
  readonly text: string;
  readonly next: Link | undefined;
}

const CLOSURES = [
  (sum: number) => sum + 1,
  (sum: number) => Math.imul(sum, 31),
  (sum: number) => sum ^ (sum >>> 3),
] as const;

/** What engines do: they call closures, and make objects and texts. Arithmetic alone does not feel a shared cache. */
function yardstick(): number {
  let sum = 0;
  let last: Link | undefined;
  for (let at = 0; at < OBJECTS; at += 1) {
    const change = CLOSURES[at % CLOSURES.length] ?? CLOSURES[0];
    last = { at, text: `n${at}`, next: at % 64 === 0 ? undefined : last };
    sum = (change(sum) + last.text.length + (last.next?.at ?? 0)) | 0;
  }
  return sum;
}
