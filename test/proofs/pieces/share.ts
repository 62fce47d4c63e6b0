/** How much one piece of work does, counted where clocks would tell how busy the machine is. */
import type { Pieces } from '../../../proto/work/pieces.ts';

/** Characters that the runtime parses or writes in the time in which it looks one name up. */
const CHARACTERS = 8;

/** What a run came to, and the most that one of its pieces did: names and values that were touched, about. */
interface Shared<Result> {
  readonly result: Result;
  readonly most: number;
}

/** Does all pieces, and counts what each of them asks of the runtime. */
export function shared<Result>(pieces: Pieces<Result>): Shared<Result> {
  const counter = new Counter();
  try {
    for (let most = 0; ; ) {
      counter.done = 0;
      const piece = pieces.next();
      most = Math.max(most, counter.done);
      if (piece.done) return { result: piece.value, most };
    }
  } finally {
    counter.stop();
  }
}

/** Counts calls of functions whose time grows with what they are given. */
class Counter {
  done = 0;
  readonly #given: (() => void)[] = [];

  constructor() {
    for (const name of ['keys', 'values', 'entries'] as const) {
      this.#count(Object, name, (_given, made) => (made as unknown[]).length);
    }
    this.#count(Object, 'fromEntries', (_given, made) => Object.getOwnPropertyNames(made).length);
    this.#count(Object, 'hasOwn', () => 1);
    this.#count(JSON, 'parse', ([text]) => String(text).length / CHARACTERS);
    this.#count(JSON, 'stringify', (_given, made) => String(made).length / CHARACTERS);
    this.#count(Array.prototype, 'push', (given) => given.length);
    this.#count(Set.prototype, 'add', () => 1);
    this.#count(Map.prototype, 'set', () => 1);
  }

  /** Gives the runtime its own functions back. */
  stop(): void {
    for (const give of this.#given) give();
  }

  #count<Holder extends object, Name extends keyof Holder & string>(
    holder: Holder,
    name: Name,
    cost: (given: readonly unknown[], made: unknown) => number,
  ): void {
    const own = holder[name] as (...given: unknown[]) => unknown; // Only functions are named.
    const count = (given: readonly unknown[], made: unknown): void => {
      this.done += cost(given, made);
    };
    const counted = function counted(this: unknown, ...given: unknown[]): unknown {
      const made = own.apply(this, given);
      count(given, made);
      return made;
    };
    Object.defineProperty(holder, name, { value: counted });
    this.#given.push(() => Object.defineProperty(holder, name, { value: own }));
  }
}
