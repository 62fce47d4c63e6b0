/**
 * Whether a history of transactions that append to lists and read them is strictly serializable: there is one order of
 * all, which also keeps that of time, and every read is what that order gives. The method is that of elle's
 * `list-append` (Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental Observations", 2020):
 * lists show the order of their appends, so that what depends on what is known, and a circle of it is an anomaly.
 */

/** An append of a value that no other appends, or a read with what it answered. */
export type Step =
  | { readonly key: string; readonly append: number }
  | { readonly key: string; readonly read: readonly number[] };

/** One transaction as its client saw it. Times are of one clock. */
export interface Entry {
  readonly id: number;
  readonly began: number;
  readonly ended: number;
  /** `unknown` where the client was not told. */
  readonly outcome: 'committed' | 'aborted' | 'unknown';
  /** Its place in the order that the gateway tells; absent where it tells none. */
  readonly sequence?: number;
  /** Reads of one that has not committed are left out. */
  readonly steps: readonly Step[];
}

/** Each list as it is in the end, by its key. */
export type Lists = ReadonlyMap<string, readonly number[]>;

/** Every anomaly, in a sentence; none of a history that is strictly serializable. */
export function anomaliesIn(history: readonly Entry[], lists: Lists): string[] {
  const owners = new Map<number, Entry>();
  for (const entry of history) {
    for (const step of entry.steps) if ('append' in step) owners.set(step.append, entry);
  }
  const wrong = [
    ...[...lists].flatMap(([key, list]) => wrongList(key, list, owners)),
    ...history.flatMap((entry) => [...wrongEffects(entry, lists), ...wrongReads(entry, lists)]),
  ];
  // Without a certain order of appends nothing can be said about circles.
  return wrong.length > 0 ? wrong : circlesIn(history, lists, owners);
}

function wrongList(
  key: string,
  list: readonly number[],
  owners: ReadonlyMap<number, Entry>,
): string[] {
  const faults: string[] = [];
  let sequence = 0;
  for (const [at, value] of list.entries()) {
    const owner = owners.get(value);
    if (list.indexOf(value) !== at) faults.push(`${key} has ${value} twice`);
    if (owner === undefined) faults.push(`${key} has ${value}, which nobody appended`);
    const own = owner?.sequence ?? sequence;
    if (own < sequence)
      faults.push(`${key} has ${value} of number ${own} after number ${sequence}`);
    sequence = own;
  }
  return faults;
}

function appendsOf({ steps }: Entry): readonly { readonly key: string; readonly append: number }[] {
  return steps.flatMap((step) => ('append' in step ? [step] : []));
}

function wrongEffects(entry: Entry, lists: Lists): string[] {
  const appends = appendsOf(entry);
  const there = appends.filter(({ key, append }) => lists.get(key)?.includes(append));
  const { id, outcome } = entry;
  if (outcome === 'aborted' && there.length > 0) return [`${id} was aborted, and has an effect`];
  const isWhole = there.length === appends.length;
  if (outcome === 'committed' && !isWhole) return [`${id} has committed, and an effect is missing`];
  return isWhole || there.length === 0 ? [] : [`${id} is half done`];
}

function wrongReads({ id, outcome, steps }: Entry, lists: Lists): string[] {
  if (outcome !== 'committed') return [];
  const own = new Map<string, number[]>();
  return steps.flatMap((step) => {
    const { key } = step;
    const mine = own.get(key) ?? [];
    if ('append' in step) {
      own.set(key, [...mine, step.append]);
      return [];
    }
    const { read } = step;
    const list = lists.get(key) ?? [];
    const isPrefix = read.every((value, at) => list[at] === value);
    if (!isPrefix) return [`${id} read ${key} as ${read.join()}, which it never was`];
    const seesOwn = mine.every((value) => read.includes(value));
    return seesOwn ? [] : [`${id} did not see its own append to ${key}`];
  });
}

/** Transactions that come before each other in a circle. */
function circlesIn(
  history: readonly Entry[],
  lists: Lists,
  owners: ReadonlyMap<number, Entry>,
): string[] {
  const isThere = (entry: Entry) =>
    entry.outcome === 'committed' ||
    appendsOf(entry).some(({ key, append }) => lists.get(key)?.includes(append));
  const all = history.filter(isThere);
  const after = new Map(all.map((entry) => [entry, new Set<Entry>()]));
  const committed = all.filter(({ outcome }) => outcome === 'committed');
  const pairs = [
    ...[...lists.values()].flatMap((list) => ofAppends(list, owners)),
    ...committed.flatMap((entry) => ofReads(entry, lists, owners)),
    ...committed.flatMap((entry) => ofTime(entry, all)),
  ];
  for (const [before, later] of pairs) {
    if (before && later && before !== later) after.get(before)?.add(later);
  }
  const left = leftInCircles(after);
  return left.length === 0 ? [] : [`in a circle: ${left.map(({ id }) => id).join(', ')}`];
}

/** One that comes before another, where both are known. */
type Pair = readonly [Entry | undefined, Entry | undefined];

function ofAppends(list: readonly number[], owners: ReadonlyMap<number, Entry>): Pair[] {
  const writers = list.map((value) => owners.get(value));
  return writers.map((writer, at) => [writer, writers[at + 1]]);
}

/** Who wrote the last that was read comes before, and after who writes the next. */
function ofReads(entry: Entry, lists: Lists, owners: ReadonlyMap<number, Entry>): Pair[] {
  const ownerOf = (value: number | undefined) =>
    value === undefined ? undefined : owners.get(value);
  return entry.steps.flatMap((step): Pair[] => {
    if (!('read' in step)) return [];
    const { key, read } = step;
    return [
      [ownerOf(read.at(-1)), entry],
      [entry, ownerOf(lists.get(key)?.[read.length])],
    ];
  });
}

/** Of one whose end its client did not see, nothing is known to come after it. */
function ofTime(entry: Entry, all: readonly Entry[]): Pair[] {
  return all.flatMap((later): Pair[] => (entry.ended < later.began ? [[entry, later]] : []));
}

/** What is left once everything is taken away that nothing left comes before. */
function leftInCircles(after: ReadonlyMap<Entry, ReadonlySet<Entry>>): Entry[] {
  const before = new Map([...after.keys()].map((entry) => [entry, 0]));
  for (const later of after.values()) {
    for (const each of later) before.set(each, (before.get(each) ?? 0) + 1);
  }
  const free = [...before].flatMap(([entry, count]) => (count === 0 ? [entry] : []));
  for (let entry = free.pop(); entry; entry = free.pop()) {
    before.delete(entry);
    for (const later of after.get(entry) ?? []) {
      const count = (before.get(later) ?? 0) - 1;
      before.set(later, count);
      if (count === 0) free.push(later);
    }
  }
  return [...before.keys()];
}
