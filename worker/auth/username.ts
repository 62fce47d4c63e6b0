/** Usernames: what they may be, and when two are the same. Contract §1, "Id format". */
import * as z from 'zod';
import { isUuid } from '../shapes/ids.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { isVisible } from '../shapes/visible.ts';

/** No control characters and no colon, which ends the username in Basic credentials; so none begins with `group:`. */
const ALLOWED = /^[^\p{Cc}:]{1,255}$/u;

/** A username that an account may have from before; new ones are `Username`s. */
export const KnownUsername = z
  .string()
  .regex(ALLOWED, 'must be 1 to 255 characters, without control characters and colons')
  .refine((name) => name.isWellFormed(), 'must be valid Unicode')
  .refine((name) => !isUuid(name), 'may not be a UUID')
  // Readers of the description may not know \p{Cc}.
  .meta({ override: { pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f:]{1,255}$' } });

/** A username that an account may take. */
export const Username = KnownUsername.refine(
  isVisible,
  'may have no invisible, bidirectional, private or unassigned characters, no white space but single spaces, and none at its ends',
).meta({
  description:
    'Name of the account, usually an email address: 1 to 255 characters, no colon, no UUID, no control, format or other invisible character, spaces only one by one and within; letter case does not matter',
  examples: [SAMPLE.bruno],
  override: {
    pattern:
      '^[^\\u0000-\\u001f\\u007f-\\u00a0\\u00ad\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\ufeff:]{1,255}$',
  },
});

/**
 * What two spellings of one username have in common: NFC and lower case. Composed once more,
 * since a letter may have a composed form in lower case only.
 */
export function usernameKey(username: string): string {
  return username.normalize('NFC').toLowerCase().normalize('NFC');
}
