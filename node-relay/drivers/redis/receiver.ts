/** The receiver of what a decoder reads, and what replaces replies that are not kept. */
import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';

/** Replaces a reply that was larger than it may be; none of it was kept. */
export const TOO_LARGE = Symbol('too large');
/** Replaces a reply of lists within too many lists. */
export const TOO_DEEP = Symbol('too deep');
/** Replaces a reply with a string that is longer than any field may be. */
export const FIELD_TOO_LARGE = Symbol('field too large');
/** Instead of a reply. */
export type Dropped = typeof TOO_LARGE | typeof TOO_DEEP | typeof FIELD_TOO_LARGE;

/** Takes the replies. */
export interface Receiver {
  /** What the reply which now begins may come to, as `reply` counts it; of a longer one nothing is kept. */
  room(): number;
  /** None of the reply under way is kept, and there is still more of it. */
  dropped(why: Dropped): void;
  /** @param cost its length on the wire, small values and long strings counting as more */
  reply(value: ReplyValue | Dropped, cost: number): void;
  push(message: ReplyValue): void;
}
