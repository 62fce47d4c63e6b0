/** Chance from a seed, in the words of these proofs. */
import { Choices } from '../random.ts';

/** Draws from a seed. */
export class Random extends Choices {
  /** From 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** Once in so many times. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  /** One of them; there has to be one. */
  of<Value>(values: readonly Value[]): Value {
    const value = this.pickAny(values);
    if (value === undefined) throw new Error('There is nothing to choose from.');
    return value;
  }
}
