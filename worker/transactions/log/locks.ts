/**
 * Which transactions of an organization hold what, and which wait: pure, in memory. Two conflict when
 * they claim one endpoint, unless both give keys and share none. Spec: transactions.md §4.
 */

/** What a transaction asks for at once. */
export interface Claims {
  /** UUIDs of endpoints. */
  readonly endpoints: readonly string[];
  /** Of the whole transaction; left out, it conflicts with all on its endpoints. */
  readonly keys?: readonly string[] | undefined;
}

/** The state of a transaction that asked. */
export type Answer =
  | { readonly is: 'held' }
  | { readonly is: 'waits' }
  /** To wait would close a circle. */
  | { readonly is: 'circle' }
  /** The one that holds it is in doubt. */
  | { readonly is: 'doubt'; readonly holder: string };

/** What one that waited learns. */
export interface Changed {
  readonly transaction: string;
  readonly answer: Extract<Answer, { is: 'held' | 'doubt' }>;
}

interface Entry {
  readonly keys: ReadonlySet<string> | undefined;
  readonly held: Set<string>;
  /** Endpoints that it waits for; empty when for none. */
  wanted: ReadonlySet<string>;
  /** Place in the line of waiters. */
  ticket: number;
  isDoubtful: boolean;
}

export class Locks {
  readonly #entries = new Map<string, Entry>();
  #tickets = 0;

  /**
   * Takes all or waits for all. Earlier waiters go first, except those that wait for this one. One
   * that waits already may not ask.
   */
  ask(transaction: string, { endpoints, keys }: Claims): { answer: Answer; changed: Changed[] } {
    const entry = this.#entryOf(transaction, keys);
    const wanted = new Set(endpoints.filter((each) => !entry.held.has(each)));
    if (wanted.size === 0) return { answer: { is: 'held' }, changed: [] };
    const holders = this.#holders(transaction, entry, wanted);
    const holder = holders.find((each) => this.#entries.get(each)?.isDoubtful);
    if (holder !== undefined) return this.#refused(transaction, { is: 'doubt', holder });
    if (this.#waitFor(holders, transaction)) return this.#refused(transaction, { is: 'circle' });
    this.#tickets += 1;
    entry.ticket = this.#tickets;
    entry.wanted = wanted;
    const changed = this.#grant();
    const own = changed.find((each) => each.transaction === transaction);
    const others = changed.filter((each) => each !== own);
    return { answer: own?.answer ?? { is: 'waits' }, changed: others };
  }

  /** Gives back all that it holds, and asks for nothing more. Answers who holds now what it waited for. */
  release(transaction: string): Changed[] {
    this.#entries.delete(transaction);
    return this.#grant();
  }

  /** Ends a wait; what it holds it keeps. Answers who can go on without it in the line. */
  leave(transaction: string): Changed[] {
    const entry = this.#entries.get(transaction);
    if (!entry) return [];
    entry.wanted = new Set();
    if (entry.held.size === 0) this.#entries.delete(transaction);
    return this.#grant();
  }

  /** Whom it holds up is told so instead of waiting, until it is released. */
  doubt(transaction: string): Changed[] {
    const entry = this.#entries.get(transaction);
    if (!entry) return [];
    entry.isDoubtful = true;
    const told: Changed[] = [];
    for (const [waiter, each] of this.#waiters()) {
      if (!this.#holders(waiter, each, each.wanted).includes(transaction)) continue;
      told.push({ transaction: waiter, answer: { is: 'doubt', holder: transaction } });
      each.wanted = new Set();
      if (each.held.size === 0) this.#entries.delete(waiter);
    }
    return [...told, ...this.#grant()];
  }

  /** Endpoints that a transaction holds. */
  heldBy(transaction: string): readonly string[] {
    return [...(this.#entries.get(transaction)?.held ?? [])];
  }

  #entryOf(transaction: string, keys: readonly string[] | undefined): Entry {
    const known = this.#entries.get(transaction);
    if (known) return known;
    const made: Entry = {
      keys: keys && new Set(keys),
      held: new Set(),
      wanted: new Set(),
      ticket: 0,
      isDoubtful: false,
    };
    this.#entries.set(transaction, made);
    return made;
  }

  #refused(transaction: string, answer: Answer): { answer: Answer; changed: Changed[] } {
    if (this.#entries.get(transaction)?.held.size === 0) this.#entries.delete(transaction);
    return { answer, changed: [] };
  }

  /** Those that hold what it wants. */
  #holders(transaction: string, own: Entry, wanted: ReadonlySet<string>): string[] {
    return this.#others(transaction, own, ({ held }) => held, wanted);
  }

  #waitersBefore(transaction: string, own: Entry, wanted: ReadonlySet<string>): string[] {
    const { ticket } = own;
    return this.#others(
      transaction,
      own,
      (each) => (each.ticket < ticket ? each.wanted : new Set()),
      wanted,
    );
  }

  #others(
    transaction: string,
    { keys }: Entry,
    theirs: (entry: Entry) => ReadonlySet<string>,
    wanted: ReadonlySet<string>,
  ): string[] {
    return [...this.#entries]
      .filter(
        ([name, entry]) =>
          name !== transaction &&
          !theirs(entry).isDisjointFrom(wanted) &&
          (keys === undefined || entry.keys === undefined || !keys.isDisjointFrom(entry.keys)),
      )
      .map(([name]) => name);
  }

  /** Whether one of these waits until the transaction gives back what it holds. */
  #waitFor(from: readonly string[], transaction: string, alsoInLine = false): boolean {
    const seen = new Set<string>();
    const next = [...from];
    for (let name = next.pop(); name !== undefined; name = next.pop()) {
      if (name === transaction) return true;
      const entry = this.#entries.get(name);
      if (seen.has(name) || !entry || entry.wanted.size === 0) continue;
      seen.add(name);
      next.push(...this.#holders(name, entry, entry.wanted));
      if (alsoInLine) next.push(...this.#waitersBefore(name, entry, entry.wanted));
    }
    return false;
  }

  #waiters(): [string, Entry][] {
    return [...this.#entries]
      .filter(([, { wanted }]) => wanted.size > 0)
      .sort(([, one], [, other]) => one.ticket - other.ticket);
  }

  /** Gives what is free to those that wait, in their order. */
  #grant(): Changed[] {
    const changed: Changed[] = [];
    for (const [name, entry] of this.#waiters()) {
      if (this.#holders(name, entry, entry.wanted).length > 0) continue;
      const before = this.#waitersBefore(name, entry, entry.wanted);
      // Behind one that waits for this one, neither would ever move.
      if (before.length > 0 && !this.#waitFor(before, name, true)) continue;
      for (const each of entry.wanted) entry.held.add(each);
      entry.wanted = new Set();
      changed.push({ transaction: name, answer: { is: 'held' } });
    }
    return changed;
  }
}
