/**
 * What PostgreSQL's own lexer does with operator characters that are next to each other: at each
 * `/*`, and at each sign of `+-+-`, it looks at the whole run again. The time of a long run grows
 * with its square, so such a text is known before it is parsed. Source: PostgreSQL's scan.l,
 * `xcstart` and `operator`.
 */

/** A run that the lexer may come back to. */
const RUNS = /[~!@#^&|`?+\-*/%<>=]{64,}/g;
/** Looks for each character that any statement may take: adjacent comments are not written by hand. */
const LOOKS_PER_CHARACTER = 64;
/** Looks that are always free: a thousandth of a second. */
const LOOKS_FREE = 60_000;

/** Whether a text has runs of operators or comments that take longer to read than their length says. */
export function hasLongRuns(text: string): boolean {
  let left = LOOKS_FREE + LOOKS_PER_CHARACTER * text.length;
  for (const [run] of text.matchAll(RUNS)) {
    left -= beginningsIn(run) * run.length;
    if (left < 0) return true;
  }
  return false;
}

/** Places of a run where the lexer may begin again; two dashes end it, unless a block comment holds them. */
function beginningsIn(run: string): number {
  const isLine = !run.includes('/*') && !run.includes('*/');
  const dashes = isLine ? run.indexOf('--') : -1;
  let beginnings = 0;
  for (const _ of (dashes < 0 ? run : run.slice(0, dashes)).matchAll(/[+-]|\/\*/g)) beginnings += 1;
  return beginnings;
}
