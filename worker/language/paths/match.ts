/** What a search finds. */
import type { Json } from '../../../proto/json.ts';

/** A place in a document: a value, and how it hangs from the document. */
export class Match {
  readonly value: Json;
  /** Undefined of the document itself. */
  readonly parent: Match | undefined;
  /** Of the value in its parent. */
  readonly key: string | number;
  /** Its path once it was written, kept for the places below. */
  path: string | undefined;

  constructor(value: Json, parent?: Match, key: string | number = '') {
    this.value = value;
    this.parent = parent;
    this.key = key;
  }
}

/** Stands in the place of a match: others may come first, since this search has taken many steps. */
export const PAUSE = Symbol('pause');
