/** `npm run prove -- transactions`: transfers between two databases while any part is killed with -9 at every point of the protocol. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import type { PreparedNames } from './bank.ts';
import { account, PARTS, type Part, Site, type Told, type TransactionRow } from './site.ts';

/** Transfers at a time. */
const AT_ONCE = 6;
/** Milliseconds of transfers before a kill: the least, and how much more at random. */
const BEFORE = { least: 150, more: 250 };
/** Longest that a kill waits for the point that it aims at. */
const AIM_MAX_MS = 4_000;
/** Most milliseconds after which nothing is prepared. */
const ENDS_WITHIN_MS = 10_000;

/** Points of the protocol, as what is prepared shows them. */
const AIMS = ['none', 'postgres', 'mariadb', 'both'] as const;
type Aim = (typeof AIMS)[number];

/**
 * The proof. `count` is how often a part is killed, each part in turn at each point that can be aimed at. A
 * transfer that is under way at that moment is found at one point, by what was prepared then, and what became of it.
 */
export const proof: Proof = {
  promise:
    'Whatever is killed at whatever point: the sum stays, no transfer is half done, nothing stands prepared 10 s later, and what the client was told is so.',
  count: 120,
  run: killing,
};

/** Kills parts while transfers are under way. */
export async function killing({ seed, count, kind, progress }: ProofOptions): Promise<ProofResult> {
  const choices = new Choices(seed);
  const site = await Site.open();
  const points = new Map<string, number>();
  const faults: string[] = [];
  let transfers = 0;
  let told = 0;
  try {
    for (let kill = 0; kill < count; kill += 1) {
      const part = (kind as Part | undefined) ?? PARTS[kill % PARTS.length] ?? 'gateway';
      const aim = AIMS[Math.floor(kill / PARTS.length) % AIMS.length] ?? 'none';
      const round = await oneRound(site, choices, part, aim);
      transfers += round.told.length;
      told += round.told.filter(({ status }) => status === 200).length;
      for (const point of round.points) points.set(point, (points.get(point) ?? 0) + 1);
      faults.push(
        ...round.faults.map((fault) => `seed ${seed}, kill ${kill + 1}, of ${part}: ${fault}`),
      );
      progress(
        `kill ${kill + 1}, of ${part}, aimed at ${aim}: ${round.told.length} transfers, ${round.faults.length} faults`,
      );
    }
  } finally {
    await site.close();
  }
  progress(tableOf(points));
  const figures = {
    kills: count,
    'transfers that were told to have committed': told,
    points: points.size,
  };
  return { cases: transfers, faults, figures };
}

interface Round {
  readonly told: readonly Told[];
  readonly points: readonly string[];
  readonly faults: readonly string[];
}

async function oneRound(site: Site, choices: Choices, part: Part, aim: Aim): Promise<Round> {
  const told: Told[] = [];
  let isKilled = false;
  const client = async () => {
    while (!isKilled) {
      const [from, to] = [account(choices.next()), account(choices.next())];
      told.push(await site.transfer(from, to, choices.next() < 0.5 ? 1 : -1));
    }
  };
  const clients = Promise.all(Array.from({ length: AT_ONCE }, client));
  await sleep(BEFORE.least + choices.next() * BEFORE.more);
  await comesTo(site, aim);
  let seen: PreparedNames = { postgres: [], mariadb: [] };
  await site.strike(part, async () => {
    isKilled = true;
    seen = await site.bank.prepared();
  });
  const back = Date.now();
  await clients;
  const faults = [...(await leftPrepared(site, back)), ...(await wrongBooks(site, told))];
  const rows = await site.transactions(200);
  return { told, faults, points: pointsOf(part, seen, rows) };
}

/** Waits until something is prepared where the aim says. */
async function comesTo(site: Site, aim: Aim): Promise<void> {
  for (const until = Date.now() + AIM_MAX_MS; aim !== 'none' && Date.now() < until; ) {
    const byTransaction = standing(await site.bank.prepared());
    if ([...byTransaction.values()].some((where) => where === aim)) return;
  }
}

/** Where each transaction is prepared. */
function standing({ postgres, mariadb }: PreparedNames): Map<string, Aim> {
  const idOf = (name: string) => name.split('_')[2] ?? '';
  const [own, theirs] = [new Set(postgres.map(idOf)), new Set(mariadb.map(idOf))];
  return new Map(
    [...own.union(theirs)].map((id) => {
      if (!own.has(id)) return [id, 'mariadb'];
      return [id, theirs.has(id) ? 'both' : 'postgres'];
    }),
  );
}

/** Nothing is prepared soon after all answers again. */
async function leftPrepared(site: Site, back: number): Promise<string[]> {
  for (;;) {
    const { postgres, mariadb } = await site.bank.prepared();
    const left = [...postgres, ...mariadb];
    if (left.length === 0) return [];
    if (Date.now() - back > ENDS_WITHIN_MS) {
      const rows = await site.transactions(50);
      return [
        `still prepared: ${left.join(', ')}; ${JSON.stringify(rows.filter(({ transaction_id: id }) => left.some((name) => name.includes(id))))}`,
      ];
    }
    await sleep(100);
  }
}

/** Each promise that the books break, in a sentence. */
async function wrongBooks(site: Site, told: readonly Told[]): Promise<string[]> {
  const { sum, postgres, mariadb } = await site.bank.books();
  const half = [...postgres.symmetricDifference(mariadb)];
  const isDone = (name: string) => postgres.has(name) && mariadb.has(name);
  const isIn = (name: string) => postgres.has(name) || mariadb.has(name);
  return [
    ...(sum === site.bank.sum ? [] : [`the sum is ${sum}, not ${site.bank.sum}`]),
    ...half.map((name) => `transfer ${name} is half done`),
    ...told
      .filter(({ name, status }) => status === 200 && !isDone(name))
      .map((each) => `told to have committed, and has not: ${JSON.stringify(each)}`),
    ...told
      .filter(({ name, status, code }) => status >= 400 && code !== 'OUTCOME_UNKNOWN' && isIn(name))
      .map((each) => `told to have failed, and has not: ${JSON.stringify(each)}`),
    ...told
      .filter(({ status }) => status === 500)
      .map((each) => `was not foreseen: ${JSON.stringify(each)}`),
  ];
}

/** At which points the transactions were that were under way. */
function pointsOf(part: Part, seen: PreparedNames, rows: readonly TransactionRow[]): string[] {
  const states = standing(seen);
  return [...states].map(([id, where]) => {
    const row = rows.find(({ transaction_id }) => transaction_id === id);
    const decided =
      row === undefined ? 'unknown' : row.sequence === null ? 'not decided' : 'decided';
    return `${part}  prepared: ${where.padEnd(8)}  ${decided}`;
  });
}

function tableOf(points: ReadonlyMap<string, number>): string {
  const rows = [...points].sort(([one], [other]) => one.localeCompare(other));
  return [
    'killed, and where transactions stood then',
    ...rows.map(([point, n]) => `${point.padEnd(48)}  ${n}`),
  ].join('\n');
}
