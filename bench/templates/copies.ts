/** What the copies of code that are made for speed gain: the template with them and with one place each, interleaved. */
import { build, repeatHere } from './build.ts';
import type { Repeat } from './rounds.ts';
import { ownTime } from './watch.ts';

/** Milliseconds of the processor in which each side has its turn. */
const TURN_MS = 60;

/** Prints the time of one place each as a ratio of the time with copies, and the bytes that the copies add. */
export async function showCopies(sizes: readonly number[], rounds: number): Promise<void> {
  const [many, one] = [await build(), await build(false)];
  const sides = [await repeatHere(many), await repeatHere(one)] as const;
  console.log('records  copies ms  one place ms  ratio');
  for (const records of sizes) {
    const times = await timesFor(sides[0], records);
    const taken: (readonly [copies: number, one: number])[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const first = await cost(sides[0], records, times);
      taken.push([first, await cost(sides[1], records, times)]);
    }
    // The first warms both.
    const kept = taken.slice(1);
    const cells = [
      middle(kept.map(([copies]) => copies)).toFixed(4),
      middle(kept.map(([, single]) => single)).toFixed(4),
      middle(kept.map(([copies, single]) => single / copies)).toFixed(2),
    ];
    console.log(String(records).padStart(7), ...cells.map((cell) => cell.padStart(11)));
  }
}

async function timesFor(repeat: Repeat, records: number): Promise<number> {
  for (let times = 1; ; times *= 4) {
    const ms = (await cost(repeat, records, times)) * times;
    if (ms >= TURN_MS) return times;
  }
}

/** Milliseconds of one run. */
async function cost(repeat: Repeat, records: number, times: number): Promise<number> {
  const started = await ownTime();
  await repeat('template', records, times);
  return ((await ownTime()) - started) / times;
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN;
}
