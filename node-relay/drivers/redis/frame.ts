/** Lists, sets and maps of a reply while their members come. */
import { ReplyMap, ReplySet, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { TYPE } from './scalars.ts';

/** Members from which on a list's strings are kept as small as they can be. */
const MANY = 64;

/** An aggregate that is not yet whole. */
export interface Frame {
  readonly type: number;
  /** Members to come. */
  left: number;
  /** Members that have come. */
  count: number;
  items: ReplyValue[];
  /** It, or a list around it, has many members. */
  readonly isMany: boolean;
  readonly outer: Frame | undefined;
}

/**
 * An aggregate that nothing has come of yet.
 * @param left its members, at least one
 * @param isKept whether they will be in it
 */
export function frameOf(
  type: number,
  left: number,
  outer: Frame | undefined,
  isKept: boolean,
): Frame {
  // A list that grows has room for more; one of few members needs none.
  const items: ReplyValue[] = left >= MANY || !isKept ? [] : new Array(left);
  return { type, left, count: 0, items, isMany: left >= MANY || (outer?.isMany ?? false), outer };
}

/** Of all lists that have none. */
export const NO_ITEMS: readonly ReplyValue[] = [];

/** What an aggregate is when all its members have come. */
export function wholeOf(type: number, items: readonly ReplyValue[]): ReplyValue {
  if (type === TYPE.map) return new ReplyMap(items);
  if (type === TYPE.set) return new ReplySet(items);
  return items;
}
