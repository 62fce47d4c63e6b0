/** What replies become before they are written: replies, with members named and JSON text found. */
import type { ReplyValue } from '../reply-value.ts';

/** A reply, or one whose parts have got names. */
export type Shaped = ReplyValue | readonly Shaped[] | Members | JsonText;

/** Keys and values by turns, as of a map; what is undefined is left out. */
export class Members {
  readonly items: readonly Shaped[];
  constructor(items: readonly Shaped[]) {
    this.items = items;
  }
}

/** JSON text that the server keeps as such; it is written as it is, its digits and all. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Members by their names; undefined ones are left out. */
export function record(members: { readonly [name: string]: Shaped | undefined }): Members {
  return new Members(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
  );
}
