/** Large values that transitions read: they are parsed beforehand, in pieces, as a transition cannot give way. docs/heavy-work.md. */
import type { Json } from '../../../proto/json.ts';
import { parseAsWritten } from '../../../proto/written-json.ts';
import type { Ref } from './journal.ts';
import { spendOn, type Turn } from './turn.ts';

/** Characters from which a text is large. */
export const LARGE_TEXT = 64 * 1024;

/** What is read: a value that is written, or a text that is not. */
export type Wanted = Ref | string;

/** Ends a transition that reads a large value which is not parsed yet: then it begins anew. */
export class NotReady extends Error {
  readonly wanted: Wanted;

  constructor(wanted: Wanted) {
    super('A value is to be parsed first');
    this.wanted = wanted;
  }
}

/** A value that was kept, as it was written. Nobody may change it. @throws NotReady */
export function readValue(turn: Turn, ref: Ref): Json {
  const { journal } = turn;
  return journal.ready(ref) ?? parseAsWritten(spendOn(turn, journal.text(ref)));
}

/** The value of a text, as it was written. Nobody may change it. @throws NotReady */
export function readText(turn: Turn, text: string): Json {
  return turn.journal.ready(text) ?? parseAsWritten(spendOn(turn, text));
}
