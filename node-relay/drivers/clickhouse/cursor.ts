/** Where a row of the server's JSON is read. */
import type { StringEnds } from './long-strings.ts';

/** A place in a text of JSON that the server wrote. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** The whole text is UTF-8, so that each string in it is. */
  readonly utf8: boolean;
  /** Lists and objects around the place. */
  depth: number;
  /** Strings that were looked at ahead. */
  readonly ends?: StringEnds | undefined;
}

/** What is at the cursor is no JSON, or none of the row's columns. */
export class Malformed extends Error {}
