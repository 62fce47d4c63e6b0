/** Texts that are made of others. */
import type { Ref } from './journal.ts';

/** A piece of a text that is made of others: text of its own, or that of a value. */
export type TextPart = string | Ref;

/** The text that parts make together. @param textOf that of a value */
export function joinedText(parts: readonly TextPart[], textOf: (ref: Ref) => string): string {
  return parts.map((part) => (typeof part === 'string' ? part : textOf(part))).join('');
}
