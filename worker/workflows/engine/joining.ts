/** What elements or branches came to, as one value: large outputs are referred to, not copied. Spec: workflows.md §3. */
import { ActionFault } from './failure.ts';
import type { Ref } from './journal.ts';
import { joinedText, type TextPart } from './text-parts.ts';
import { spendOn, type Turn, VALUE_MAX } from './turn.ts';

/** Characters up to which the whole is copied: it is read as one then. */
const COPIED_MAX = 256 * 1024;

/** A JSON text that is put together. */
export class Joining {
  readonly #turn: Turn;
  readonly #tooLarge: string;
  readonly #parts: TextPart[] = [];
  #length = 0;

  /** @param tooLarge what is said of more than 32 MiB */
  constructor(turn: Turn, tooLarge: string) {
    this.#turn = turn;
    this.#tooLarge = tooLarge;
  }

  /** @throws ActionFault RESULT_TOO_LARGE */
  add(text: string): void {
    this.#push(spendOn(this.#turn, text), text.length);
  }

  /** Adds a value; undefined is null. @param size of a large one, where it is known @throws ActionFault RESULT_TOO_LARGE */
  addValue(ref: Ref | undefined, size?: number): void {
    const { journal } = this.#turn;
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
    const { journal } = this.#turn;
    return joinedText(this.#parts, (ref) => spendOn(this.#turn, journal.text(ref)));
  }

  /** Keeps it as a value. */
  keep(): Ref {
    const { journal } = this.#turn;
    return this.#length <= COPIED_MAX ? journal.keep(this.text()) : journal.join(this.#parts);
  }
}
