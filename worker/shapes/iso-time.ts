/** Times as replies write them. */

/** ISO 8601 in UTC with milliseconds, from milliseconds since the Unix epoch. Contract §1, "Timestamps". */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
