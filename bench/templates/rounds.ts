/** Measures contestants side by side: each round goes through all of them, medians are compared. */
import { NAMES, type Name } from './names.ts';

/** Runs a contestant so many times; answers when it is done. */
export type Repeat = (name: Name, records: number, times: number) => Promise<void>;

/** Milliseconds that one run takes, by contestant. */
export type Cost = Readonly<Record<Name, number>>;

/** Long enough for a clock and for the way to another process. */
const ROUND_MS = 150;

/** Medians of so many rounds, each after a warm-up that also finds how often to repeat. */
export async function costs(repeat: Repeat, records: number, rounds: number): Promise<Cost> {
  const times = new Map<Name, number>();
  for (const name of NAMES) times.set(name, await timesFor(repeat, name, records));
  const taken = new Map<Name, number[]>(NAMES.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Each goes first in turn.
    for (const [place] of NAMES.entries()) {
      const name = NAMES[(place + round) % NAMES.length] ?? 'template';
      const count = times.get(name) ?? 1;
      taken.get(name)?.push((await timed(() => repeat(name, records, count))) / count);
    }
  }
  const cost = (name: Name) => middle(taken.get(name) ?? []);
  return { template: cost('template'), 'by hand': cost('by hand'), jsonata: cost('jsonata') };
}

async function timesFor(repeat: Repeat, name: Name, records: number): Promise<number> {
  for (let times = 1; ; times *= 4) {
    const taken = await timed(() => repeat(name, records, times));
    if (taken >= ROUND_MS) return Math.max(1, Math.round((times * ROUND_MS) / taken));
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function middle(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
