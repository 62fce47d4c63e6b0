/** `npm run prove -- once`: writes with a key whose reply is lost, at each point of their way, by a cut connection and a killed relay. */
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { POINTS, type Point } from './line.ts';
import { Site } from './site.ts';
import type { Store } from './stores.ts';

/** So many losses are cuts for each that is a killed relay, which takes seconds to come back. */
const CUTS_PER_KILL = 19;

/** What is done to the reply of a write. */
const STRIKES = ['connection cut', 'relay killed'] as const;
type Strike = (typeof STRIKES)[number];

/** The proof. `count` is how many replies are lost, in turn of each database at each point. */
export const proof: Proof = {
  promise:
    'A keyed write whose reply is lost, wherever it is lost, has one effect; its repeat learns that, and never that the outcome is unknown.',
  count: 2_000,
  run: losing,
};

/** One reply that is lost. */
interface Loss {
  readonly name: string;
  readonly store: Store;
  readonly point: Point;
  readonly strike: Strike;
  hasStruck: boolean;
}

/** Loses replies. */
export async function losing({ seed, count, kind, progress }: ProofOptions): Promise<ProofResult> {
  const choices = new Choices(seed);
  const site = await Site.open(kind);
  const losses: Loss[] = [];
  const faults: string[] = [];
  try {
    const kills = Math.ceil(count / (CUTS_PER_KILL + 1));
    const planned = site.stores.map((store, at) => {
      const share = (all: number) =>
        Math.floor(all / site.stores.length) + (at < all % site.stores.length ? 1 : 0);
      return { store, kills: share(kills), cuts: share(count - kills) };
    });
    await Promise.all(
      planned.map(async ({ store, cuts }) => {
        for (let at = 0; at < cuts; at += 1) {
          await lose(site, next(losses, store, at, 'connection cut'), faults);
          if ((at + 1) % 100 === 0) progress(`${store.kind}: ${at + 1} connections cut`);
        }
      }),
    );
    for (const { store, kills: own } of planned) {
      const offset = Math.floor(choices.next() * POINTS.length);
      for (let at = 0; at < own; at += 1) {
        await site.findRelay();
        await lose(site, next(losses, store, at + offset, 'relay killed'), faults);
      }
      progress(`${store.kind}: ${own} relays killed`);
    }
    const figures = await judge(site, losses, faults);
    progress(tableOf(figures));
  } finally {
    await site.close();
  }
  const struck = losses.filter(({ hasStruck }) => hasStruck).length;
  return {
    cases: losses.length,
    faults: faults.map((fault) => `seed ${seed}: ${fault}`),
    figures: { 'replies lost': struck },
  };
}

function next(losses: Loss[], store: Store, at: number, strike: Strike): Loss {
  const point = POINTS[at % POINTS.length] ?? 'before sending';
  const loss = { name: `write-${losses.length}-`, store, point, strike, hasStruck: false };
  losses.push(loss);
  return loss;
}

async function lose(site: Site, loss: Loss, faults: string[]): Promise<void> {
  const { name, store, point, strike } = loss;
  store.line.aim({
    name,
    point,
    strike() {
      loss.hasStruck = true;
      if (strike === 'relay killed') site.killRelay();
    },
  });
  const fault = await site.write(store, name);
  if (fault !== undefined) faults.push(`${point}, ${strike}: ${fault}`);
  if (!loss.hasStruck) faults.push(`${point}, ${strike}: ${store.kind} ${name} was not struck`);
}

/** Losses and effects of each database at each point. */
type Figures = ReadonlyMap<string, { readonly lost: number; readonly effects: number }>;

async function judge(site: Site, losses: readonly Loss[], faults: string[]): Promise<Figures> {
  const figures = new Map<string, { lost: number; effects: number }>();
  for (const store of site.stores) {
    const effects = await store.effects();
    for (const { name, point, strike } of losses.filter((each) => each.store === store)) {
      const n = effects.get(name) ?? 0;
      if (n !== 1) faults.push(`${point}, ${strike}: ${store.kind} ${name} has ${n} effects`);
      const row = `${store.kind.padEnd(10)}${point.padEnd(20)}${strike}`;
      const { lost, effects: sum } = figures.get(row) ?? { lost: 0, effects: 0 };
      figures.set(row, { lost: lost + 1, effects: sum + n });
    }
  }
  return figures;
}

function tableOf(figures: Figures): string {
  const head = `${'database'.padEnd(10)}${'reply lost'.padEnd(20)}${'by'.padEnd(18)}  lost  effects`;
  const rows = [...figures].map(
    ([row, { lost, effects }]) =>
      `${row.padEnd(48)}${String(lost).padStart(6)}${String(effects).padStart(9)}`,
  );
  return [head, ...rows].join('\n');
}
