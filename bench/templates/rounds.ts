/** Measures contestants side by side: each round goes through all of them, medians are compared. */
import { median } from '../report.ts';
import { NAMES, type Name } from './names.ts';
import type { Watch } from './watch.ts';

/** Runs a contestant so many times; answers when it is done. */
export type Repeat = (name: Name, records: number, times: number) => Promise<void>;

/** What contestants cost. */
export interface Costs {
  /** Milliseconds of one run. */
  readonly ms: Readonly<Record<Name, number>>;
  /** The template by what is written by hand, of the same round. */
  readonly ofByHand: number;
  /** jsonata by the template, of the same round. */
  readonly timesJsonata: number;
  /** The same of each round. */
  readonly jsonataRounds: readonly number[];
}

/** Long enough for the watch and for the way to another process; short enough for a round to be one moment. */
const TURN_MS = 60;
const WARM_MS = 400;

/** Medians of so many rounds, each after a warm-up that also finds how often to repeat. */
export async function costs(
  repeat: Repeat,
  watch: Watch,
  records: number,
  rounds: number,
): Promise<Costs> {
  const times = new Map<Name, number>();
  for (const name of NAMES) times.set(name, await timesFor(repeat, watch, name, records));
  const all: Readonly<Record<Name, number>>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const taken = { template: 0, 'by hand': 0, jsonata: 0 };
    // Each goes first in turn.
    for (const [place] of NAMES.entries()) {
      const name = NAMES[(place + round) % NAMES.length] ?? 'template';
      const count = times.get(name) ?? 1;
      taken[name] = (await timed(watch, () => repeat(name, records, count))) / count;
    }
    all.push(taken);
  }
  const cost = (name: Name) => median(all.map((each) => each[name]));
  const jsonataRounds = all.map((each) => each.jsonata / each.template);
  return {
    ms: { template: cost('template'), 'by hand': cost('by hand'), jsonata: cost('jsonata') },
    ofByHand: median(all.map((each) => each.template / each['by hand'])),
    timesJsonata: median(jsonataRounds),
    jsonataRounds,
  };
}

async function timesFor(repeat: Repeat, watch: Watch, name: Name, records: number) {
  for (let times = 1; ; times *= 4) {
    const taken = await timed(watch, () => repeat(name, records, times));
    if (taken >= WARM_MS) return Math.max(1, Math.round((times * TURN_MS) / taken));
  }
}

async function timed(watch: Watch, work: () => Promise<unknown>): Promise<number> {
  const started = await watch();
  await work();
  return (await watch()) - started;
}
