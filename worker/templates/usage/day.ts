/** Days, as usage is counted by them. */

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days since 1970, UTC. @param ms Unix epoch milliseconds */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}
