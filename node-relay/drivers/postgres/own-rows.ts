/** Rows that answer a question of the driver's own: all of them, within what such an answer may hold. */
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import { Unreadable } from '../loss.ts';
import type { Sink } from './exchange.ts';

/** Most characters that the rows of one answer may hold, and characters counted for each value. Spec silent. */
const CHARACTERS_MAX = 32 * 1024 * 1024;
const VALUE_CHARACTERS = 16;

/** Collects them. */
export class OwnRows implements Sink {
  readonly rows: (readonly FieldValue[])[] = [];
  #characters = 0;

  /** @throws Unreadable of an answer that has no end */
  row(values: readonly FieldValue[]): void {
    this.#characters += VALUE_CHARACTERS;
    for (const value of values) this.#characters += VALUE_CHARACTERS + (value?.length ?? 0);
    if (this.#characters > CHARACTERS_MAX) throw new Unreadable('an answer without an end');
    this.rows.push(values);
  }
}
