/** Counts what was sent and what came back. */
import type { Exchange } from './exchange.ts';
import type { Finding } from './judge.ts';

/** Equal findings as one: the first of them, and how many there were. */
export interface Counted {
  readonly finding: Finding;
  count: number;
}

/** The counts of a run. */
export class Tally {
  readonly #statuses = new Map<string, Map<string, number>>();
  readonly #findings = new Map<string, Counted>();
  #requests = 0;
  #slowest = 0;

  /** How many requests there were. */
  get requests(): number {
    return this.#requests;
  }

  /** The longest time that a reply took, in milliseconds. */
  get slowest(): number {
    return this.#slowest;
  }

  /** What is wrong, each sort once. */
  get findings(): readonly Counted[] {
    return [...this.#findings.values()];
  }

  /** Counts an exchange and what is wrong with it. */
  add(operation: string, exchange: Exchange, faults: readonly string[]): void {
    this.#requests += 1;
    this.#slowest = Math.max(this.#slowest, exchange.ms);
    const status = String(exchange.answered?.status ?? 'none');
    const statuses = this.#statuses.get(operation) ?? new Map<string, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.#statuses.set(operation, statuses);
    for (const what of faults) {
      const key = `${operation} ${what}`;
      const known = this.#findings.get(key);
      if (known) known.count += 1;
      else this.#findings.set(key, { finding: { operation, what, exchange }, count: 1 });
    }
  }

  /** One line for each operation: how many, and with which replies. */
  lines(operations: readonly string[]): string[] {
    const all = [...new Set([...operations, ...this.#statuses.keys()])].toSorted(byPath);
    const width = Math.max(...all.map(({ length }) => length));
    return all.map((operation) => {
      const statuses = [...(this.#statuses.get(operation) ?? [])].toSorted();
      const total = statuses.reduce((sum, [, count]) => sum + count, 0);
      const told = statuses.map(([status, count]) => `${status} × ${count}`).join(', ');
      return `${operation.padEnd(width)} ${String(total).padStart(6)}: ${told || 'never sent'}`;
    });
  }
}

function byPath(a: string, b: string): number {
  const [, first = ''] = a.split(' ');
  const [, second = ''] = b.split(' ');
  return first < second ? -1 : first > second ? 1 : a < b ? -1 : 1;
}
