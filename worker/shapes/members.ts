/** Members that many replies have in common, with what they mean. */
import * as z from 'zod';
import { SAMPLE } from './sample.ts';

// The pattern that every date is held to is not for people to read.
const Timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ override: { pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' } });

/** A time as replies write it. Contract §1, "Timestamps". */
export function timestamp(description: string, example: string = SAMPLE.now) {
  return Timestamp.meta({ description, examples: [example] });
}

/** A time that may not be there. */
export function timestampOrNull(description: string, example: string = SAMPLE.now) {
  return Timestamp.nullable().meta({ description, examples: [example] });
}

/** A time as requests write it: of any zone, to the second or finer. */
export const GivenTime = z.iso.datetime({
  offset: true,
  error: 'must be a time in ISO 8601, such as 2026-01-31T00:00:00Z',
});

/** A UUID that the gateway gave. */
export function uuid(description: string, example: string) {
  return z.uuid().meta({
    description,
    examples: [example],
    override: { pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
  });
}

/** A number of things. */
export function count(description: string, example: number) {
  return z
    .int()
    .min(0)
    .meta({ description, examples: [example] });
}

/** What was done, in words. */
export function message(example: string) {
  return z
    .string()
    .meta({ description: 'What was done, in words for people', examples: [example] });
}

/** Where a list goes on. Contract §1, "Lists". */
export const NextCursor = z
  .string()
  .optional()
  .meta({
    description: 'Send it as `cursor` for the next page; absent on the last one',
    examples: [SAMPLE.cursor],
  });
