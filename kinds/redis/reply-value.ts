/**
 * What a Redis server replied, before it becomes JSON: RESP2 and RESP3 alike.
 * Source: redis.io/docs/latest/develop/reference/protocol-spec.
 */

/** A reply, or a part of one. Bulk and verbatim strings are bytes, or text where they are known to be text. */
export type ReplyValue =
  | null
  | boolean
  /** A 64-bit integer within ±2^53, or a double. */
  | number
  /** A 64-bit integer beyond ±2^53, or a big number. */
  | bigint
  | string
  | Uint8Array
  | readonly ReplyValue[]
  | ReplyMap
  | ReplySet
  | ReplyStatus
  | ReplyDouble
  | ReplyError;

/** A simple string, told from a value that has the same letters: `+OK`. */
export class ReplyStatus {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A map: keys and values by turns, in the order they came. RESP3. */
export class ReplyMap {
  readonly items: readonly ReplyValue[];
  constructor(items: readonly ReplyValue[]) {
    this.items = items;
  }
}

/** A set, in the order it came. RESP3. */
export class ReplySet {
  readonly items: readonly ReplyValue[];
  constructor(items: readonly ReplyValue[]) {
    this.items = items;
  }
}

/** A double, told from an integer: 1 and `,1` differ. RESP3. */
export class ReplyDouble {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** An error that the server answered, at the top or within a list. */
export class ReplyError {
  /** Its first word, where that is one of capitals: `WRONGTYPE`; else `ERR`. */
  readonly code: string;
  /** The whole text, first word included. */
  readonly message: string;
  constructor(message: string) {
    this.message = message;
    this.code = /^[A-Z][A-Z0-9_]*(?![A-Za-z0-9_])/.exec(message)?.[0] ?? 'ERR';
  }
}
