/** Bounds what a run may take, by counting it: no clock is asked, clocks may stand still. */
import { BudgetFault, type BudgetKind, type SourcePosition } from './fault.ts';
import type { Value } from './value.ts';

/** What one run may take. */
export interface RunBounds {
  /** Steps: one is about one node of a source, 32 characters of text or two elements of an array. */
  readonly fuel: number;
  /** Most calls within each other, and most arrays and objects within each other. */
  readonly depth: number;
  /** Most bytes that values made by a run may come to, garbage of one expression included. */
  readonly outputBytes: number;
}

/** Closures of the engine within each other; a thread's stack of 1 MB holds twice as many. */
const STACK_LEVELS = 3_000;
/** Texts up to this length are copied rather than linked, or nearly so. */
const SHORT = 64;
/** What a linked text takes, whatever its length. */
const LINK_BYTES = 32;
/** What an array takes before its first element. */
const ARRAY_BYTES = 48;
/** What knowing of one more object takes. */
const OWNED_BYTES = 32;
const NOWHERE: SourcePosition = { line: 1, column: 1 };

/**
 * What is left of a run's bounds. One is shared by all expressions and functions of a run.
 * Members that are not of `Bounds` are the engine's own.
 */
export class Budget {
  /** Steps left. */
  fuel: number;
  /** Bytes left; what an expression took is given back when it ends, what is kept is not. */
  memory: number;
  /** Calls within each other left. */
  depth: number;
  readonly bounds: RunBounds;
  /** When the run began, in milliseconds since 1970; what `now` reports. */
  readonly now: number;

  /** Where the last charge was made. */
  place: SourcePosition = NOWHERE;
  /** Levels of the host's stack left. */
  stack = STACK_LEVELS;
  /** What `return` returned, until the call takes it. */
  result: Value = undefined;
  /** The label that `break` or `continue` goes to. */
  label: string | undefined;
  /** What the running program made itself, and may change; undefined when it changes nothing. */
  owned: Set<object> | undefined;
  /**
   * Units of text that were linked and may still be copied: so much memory can looking at texts
   * come to. Which text was copied cannot be known; those that were linked pay for all.
   */
  #linked = 0;

  constructor(bounds: RunBounds, now: number = Date.now()) {
    this.bounds = bounds;
    this.now = now;
    this.fuel = bounds.fuel;
    this.memory = bounds.outputBytes;
    this.depth = bounds.depth;
  }

  /** Remembers what is left; answers what comes back to it, before anything else spends of it. */
  mark(): () => void {
    const { fuel, memory, depth, place, stack, result, label, owned } = this;
    const linked = this.#linked;
    return () => {
      Object.assign(this, { fuel, memory, depth, place, stack, result, label, owned });
      this.#linked = linked;
    };
  }

  /** Charges steps. @throws BudgetFault */
  spend(steps: number): void {
    this.fuel -= steps;
    if (!(this.fuel >= 0)) this.exhausted();
  }

  /** Charges bytes. @throws BudgetFault */
  allocate(bytes: number): void {
    this.memory -= bytes;
    if (!(this.memory >= 0)) this.exhausted();
  }

  /** Charges elements of an array, read and kept. @throws BudgetFault */
  elements(count: number): void {
    this.memory -= ARRAY_BYTES + count * 16;
    this.fuel -= 1 + Math.floor(count / 2);
    if (!(this.memory >= 0)) this.exhausted('memory');
    if (this.fuel < 0) this.exhausted();
  }

  /** Charges a look at every character of a text. @throws BudgetFault */
  touch(text: string): void {
    const { length } = text;
    this.fuel -= length >> 5;
    if (!(this.fuel >= 0)) this.exhausted();
    if (length <= SHORT || this.#linked === 0) return;
    this.allocate(2 * Math.min(length, this.#linked));
    this.#linked = Math.max(0, this.#linked - length);
  }

  /** Charges a look at some characters of a text: free unless it has to be copied first. @throws BudgetFault */
  reach(text: string): void {
    if (text.length > SHORT && this.#linked > 0) this.touch(text);
  }

  /** Makes an array or object one that the program may change. @throws BudgetFault */
  own<Made extends object>(made: Made): Made {
    if (this.owned !== undefined) {
      this.allocate(OWNED_BYTES);
      this.owned.add(made);
    }
    return made;
  }

  /** Charges a new text of that many units, before it is made. @throws BudgetFault */
  text(length: number): void {
    this.memory -= LINK_BYTES + 2 * length;
    if (!(this.memory >= 0)) this.exhausted('memory');
    this.fuel -= length >> 5;
    if (this.fuel < 0) this.exhausted();
  }

  /** Two texts as one, which the engine links and copies only when it is looked at. @throws BudgetFault */
  concat(one: string, other: string): string {
    const length = one.length + other.length;
    this.fuel -= 1;
    if (length <= SHORT) this.memory -= LINK_BYTES + length;
    else this.#link(one.length, other.length);
    if (this.memory < 0) this.exhausted();
    return one + other;
  }

  #link(one: number, other: number): void {
    this.memory -= LINK_BYTES + 2 * Math.min(one, other);
    if (one + other > this.bounds.outputBytes) this.memory = -1;
    this.#linked += one + other;
  }

  /** Ends the run. @throws BudgetFault */
  exhausted(kind: BudgetKind = this.fuel >= 0 ? 'memory' : 'fuel'): never {
    throw new BudgetFault(kind, this.place);
  }
}
