/** Texts that MongoDB keeps as UTF-8. */
import type * as z from 'zod';

/** What is wrong with text that UTF-8 cannot carry: another one would be stored in its place. */
export const HALF_A_PAIR = 'holds half of a surrogate pair';

/** The same text, where UTF-8 can carry it. */
export function carried(text: z.ZodString): z.ZodString {
  return text.refine((each) => each.isWellFormed(), HALF_A_PAIR);
}
