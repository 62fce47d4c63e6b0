/** What elements, branches or actions came to, as one value: large outputs are referred to, not copied. Spec: workflows.md §3. */
import { ActionFault } from './failure.ts';
import type { Joined, Ref } from './journal.ts';
import { joinedText, type TextPart } from './text-parts.ts';
import { spendOn, type Turn, VALUE_MAX } from './turn.ts';

/** Characters up to which the whole is copied: it is read as one then. */
const COPIED_MAX = 256 * 1024;
/** Values that one transition joins for each node that it may begin: they take as long, and the rest follows in the next. */
const VALUES_OF_A_BEGIN = 5;
/** Steps that each of them comes to besides its characters. Found by measuring 100,000 results. */
const STEPS_OF_A_VALUE = 2_500;

/** Values that a transition joins at most. */
export function joinsMax({ beginsMax }: Turn): number {
  return VALUES_OF_A_BEGIN * beginsMax;
}

/** A JSON text that is put together. */
export class Joining {
  readonly #turn: Turn;
  readonly #tooLarge: string;
  /** What transitions before this one have joined. */
  readonly #before: readonly Ref[];
  readonly #parts: TextPart[] = [];
  #length: number;

  /** @param tooLarge what is said of more than 32 MiB @param joined by transitions before this one */
  constructor(turn: Turn, tooLarge: string, joined: Joined = { parts: [], length: 0 }) {
    this.#turn = turn;
    this.#tooLarge = tooLarge;
    this.#before = joined.parts;
    this.#length = joined.length;
  }

  /** @throws ActionFault RESULT_TOO_LARGE */
  add(text: string): void {
    this.#push(spendOn(this.#turn, text), text.length);
  }

  /** Adds a value; undefined is null. @param size of a large one, where it is known @throws ActionFault RESULT_TOO_LARGE */
  addValue(ref: Ref | undefined, size?: number): void {
    const { journal, spent } = this.#turn;
    spent.steps += STEPS_OF_A_VALUE;
    const large = ref === undefined ? 0 : (size ?? journal.sizeOf(ref));
    if (ref === undefined) this.add('null');
    else if (large === 0) this.add(journal.text(ref));
    else this.#push(ref, large);
  }

  #push(part: TextPart, length: number): void {
    this.#parts.push(part);
    this.#length += length;
    if (this.#length > VALUE_MAX) throw new ActionFault('RESULT_TOO_LARGE', this.#tooLarge);
  }

  /** The whole text. */
  text(): string {
    return this.#textOf(this.#whole());
  }

  /** Keeps it as a value. */
  keep(): Ref {
    const { journal } = this.#turn;
    const whole = this.#whole();
    return this.#length <= COPIED_MAX ? journal.keep(this.#textOf(whole)) : journal.join(whole);
  }

  /** Keeps what was added as a part of the whole, to which another transition adds the rest. */
  pause(): Joined {
    const { journal } = this.#turn;
    const isText = this.#parts.every((part) => typeof part === 'string');
    const added = isText ? journal.keep(this.#parts.join('')) : journal.join(this.#parts);
    return { parts: [...this.#before, added], length: this.#length };
  }

  /** Of a small value the size is not known: it is copied. */
  #whole(): TextPart[] {
    const { journal } = this.#turn;
    const before = this.#before.map((ref) => (journal.sizeOf(ref) === 0 ? journal.text(ref) : ref));
    return [...before, ...this.#parts];
  }

  #textOf(parts: readonly TextPart[]): string {
    const { journal } = this.#turn;
    return joinedText(parts, (ref) => spendOn(this.#turn, journal.text(ref)));
  }
}
