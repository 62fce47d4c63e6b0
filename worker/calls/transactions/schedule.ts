/** In which calls the operations of a transaction are sent, and which of them wait for which: pure. Spec: transactions.md §1. */

/** An operation, as far as its order goes. */
export interface Step {
  /** From 0. */
  readonly place: number;
  /** Number of its participant. */
  readonly share: number;
  /** Places of earlier operations whose results it uses. */
  readonly uses: ReadonlySet<number>;
}

/** Operations of one participant that are sent together. */
export interface Unit {
  readonly share: number;
  /** Rising. */
  readonly places: readonly number[];
  /** Units, by their index, that end before it begins. */
  readonly after: ReadonlySet<number>;
  /** Whether it is the last of its participant. */
  readonly isLast: boolean;
}

/**
 * As few calls as there can be: all operations of a participant in one, unless results of it feed
 * another participant that in turn feeds it. Effects of different participants do not see each other, so that
 * only results order them.
 * @param singly numbers of participants whose operations are sent one by one
 */
export function unitsOf(steps: readonly Step[], singly: ReadonlySet<number>): Unit[] {
  const split = new Set(singly);
  for (;;) {
    const units = unitsWith(steps, split);
    const caught = inCircles(units);
    if (caught.size === 0) return units;
    for (const share of caught) split.add(share);
  }
}

function unitsWith(steps: readonly Step[], split: ReadonlySet<number>): Unit[] {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    const name = split.has(step.share) ? `${step.share}:${step.place}` : `${step.share}`;
    groups.set(name, [...(groups.get(name) ?? []), step]);
  }
  const all = [...groups.values()];
  const unitOf = new Map(
    all.flatMap((group, at) => group.map(({ place }) => [place, at] as const)),
  );
  const lastOf = new Map(steps.map(({ share, place }) => [share, place]));
  const before = new Map<number, number>();
  return all.map((group, at) => {
    const [{ share } = { share: 0 }] = group;
    const after = new Set(
      group.flatMap(({ uses }) => [...uses].map((each) => unitOf.get(each) ?? at)),
    );
    const earlier = before.get(share);
    if (earlier !== undefined) after.add(earlier);
    before.set(share, at);
    after.delete(at);
    const places = group.map(({ place }) => place);
    return { share, places, after, isLast: places.at(-1) === lastOf.get(share) };
  });
}

/** Participants whose units wait for each other. */
function inCircles(units: readonly Unit[]): Set<number> {
  const done = new Set<number>();
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const [at, { after }] of units.entries()) {
      if (done.has(at) || !after.isSubsetOf(done)) continue;
      done.add(at);
      isMoving = true;
    }
  }
  const left = units.filter((_, at) => !done.has(at));
  return new Set(left.filter(({ places }) => places.length > 1).map(({ share }) => share));
}

/** Indexes of units, each after those that it waits for. */
export function inOrder(units: readonly Unit[]): number[] {
  const order: number[] = [];
  const done = new Set<number>();
  while (order.length < units.length) {
    for (const [at, { after }] of units.entries()) {
      if (done.has(at) || !after.isSubsetOf(done)) continue;
      done.add(at);
      order.push(at);
    }
  }
  return order;
}

/**
 * Runs each unit once those that it waits for have ended; none that waits for a failed one.
 * @param failed called at the first failure, which is thrown once all that run have ended
 */
export async function runInOrder(
  units: readonly Unit[],
  run: (unit: Unit) => Promise<void>,
  failed: () => void,
): Promise<void> {
  const ends: Promise<void>[] = [];
  for (const at of inOrder(units)) {
    const unit = units[at];
    if (!unit) continue;
    const before = [...unit.after].map((each) => ends[each]);
    ends[at] = Promise.all(before).then(() => run(unit));
  }
  await Promise.all(ends).catch(async (thrown: unknown) => {
    failed();
    await Promise.allSettled(ends);
    throw thrown;
  });
}
