/** Free texts that clients store. */
import * as z from 'zod';

const MOST_CHARACTERS = 4096;
const LONGEST_NAME = 255;

/** A text of at most `longest` characters; half a surrogate pair could not be stored as it came. */
export function text(longest: number) {
  return z
    .string()
    .max(longest)
    .refine((value) => value.isWellFormed(), 'must be valid Unicode');
}

/** What a resource is for: at most 4,096 characters, empty by default. Spec silent on the length. */
export const Description = text(MOST_CHARACTERS).default('').meta({
  description: 'What it is for, in your own words; at most 4096 characters, empty when left out',
});

/** What people call a resource: 1 to 255 characters. Spec silent on the length. */
export const DisplayName = text(LONGEST_NAME)
  .min(1)
  .meta({
    description: 'What people call it; 1 to 255 characters',
    examples: ['Acme'],
  });
