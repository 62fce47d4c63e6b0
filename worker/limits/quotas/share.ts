/** How much of an organization's storage may be kept for one caller, and how it is taken. Contract §5, "Quotas". */

/** What is kept outside of D1's rows: whole, or of a call with a key only that it ran. */
export type Sort = 'content' | 'fact';

/** Bytes that one organization, and one caller in it, may hold. */
export interface HoldingLimits {
  readonly organization: number;
  readonly caller: number;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
/** The part of the organization's storage that is kept for one caller at most: a tenth. Spec silent. */
const PART = 10;
/** And at least so much, where there is as much at all. */
const LEAST = 64 * KIBIBYTE;
/**
 * Bytes beyond the limits for facts alone: some ten thousand calls of a caller. A call with a key
 * that finds no room even for that is refused, as nothing could tell that it ran. Spec silent.
 */
const FACTS: HoldingLimits = { organization: 64 * MEBIBYTE, caller: 8 * MEBIBYTE };
/** Room is taken in steps, so that not every call asks for it: this part of a caller's share. */
const STEPS = 64;

/** @param quota bytes of the organization's storage */
export function limitsOf(quota: number, sort: Sort): HoldingLimits {
  const caller = Math.max(Math.floor(quota / PART), Math.min(quota, LEAST));
  if (sort === 'content') return { organization: quota, caller };
  return { organization: quota + FACTS.organization, caller: caller + FACTS.caller };
}

/** Bytes to ask for where `bytes` are needed. */
export function roundedUp(bytes: number, quota: number): number {
  const step = Math.max(
    4 * KIBIBYTE,
    Math.min(MEBIBYTE, limitsOf(quota, 'content').caller / STEPS),
  );
  return Math.ceil(Math.ceil(bytes / step) * step);
}
