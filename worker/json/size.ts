/** How large values are as JSON, found without writing them, and no further than there is room for. */
import { isRawJson, type Json, type JsonObject } from '../../proto/json.ts';
import type { Budget } from '../language/paths/budget.ts';

/** Bytes that a value takes which is no text, array or object; members and elements have a comma. */
const SCALAR_BYTES = 5;
/** Steps of an array or object, and characters that cost one more. */
const STEPS_PER_CONTAINER = 4;
const STEPS_PER_CHILD = 2;
const CHARACTERS_PER_STEP = 8;
/** Values within one up to which it is measured at once. */
export const SMALL_VALUES = 512;
/** Values that are measured between two pauses. */
export const VALUES_OF_A_PIECE = 8_192;

/** An array or object whose children are measured. */
interface Open {
  readonly array: readonly Json[] | undefined;
  readonly object: JsonObject | undefined;
  readonly names: readonly string[];
  at: number;
}

/** Measures one value. */
export class Size {
  /** Its size in about so many bytes, as far as it was measured. */
  bytes = 0;
  readonly #budget: Budget;
  readonly #open: Open[] = [];

  constructor(value: Json, budget: Budget) {
    this.#budget = budget;
    this.#add(value);
  }

  /** Goes on until all is measured or it is over `most`; no further than so many values. Whether it came to that. */
  measure(most: number, values: number): boolean {
    let left = values;
    for (let inner = this.#open.at(-1); inner !== undefined; inner = this.#open.at(-1)) {
      if (this.bytes > most) return true;
      if (left <= 0) return false;
      left -= 1;
      this.#next(inner);
    }
    return true;
  }

  #next(inner: Open): void {
    const { array, object, names, at } = inner;
    inner.at += 1;
    const name = names[at];
    if (array !== undefined && at < array.length) this.#add(array[at] ?? null);
    else if (name !== undefined) {
      this.#count(name.length + 4);
      this.#add(object?.[name] ?? null);
    } else this.#open.pop();
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    this.#budget.charge(Math.ceil(bytes / CHARACTERS_PER_STEP));
  }

  #add(value: Json): void {
    if (typeof value === 'string') this.#count(value.length + 3);
    else if (typeof value !== 'object' || value === null) this.bytes += SCALAR_BYTES;
    else if (isRawJson(value)) this.#count(value.rawJSON.length + 3);
    else this.#enter(value);
  }

  #enter(value: Json[] | JsonObject): void {
    this.bytes += 2;
    if (Array.isArray(value)) {
      this.#budget.charge(STEPS_PER_CONTAINER + STEPS_PER_CHILD * value.length);
      this.#open.push({ array: value, object: undefined, names: [], at: 0 });
      return;
    }
    const names = Object.keys(value);
    this.#budget.charge(STEPS_PER_CONTAINER + 2 * STEPS_PER_CHILD * names.length);
    this.#open.push({ array: undefined, object: value, names, at: 0 });
  }
}
