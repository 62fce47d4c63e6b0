/** Shortens what a server says in its own words. */

/** Characters of a server's text that are looked at and told: it may send megabytes. Spec silent. */
export const SERVER_TEXT_MAX = 4_000;

const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** The beginning of a text; no half of a pair of surrogates stays at its end. @param max characters */
export function truncated(text: string, max = SERVER_TEXT_MAX): string {
  return text.length <= max ? text : text.slice(0, max).replace(HIGH_SURROGATE, '');
}

/**
 * A text of a server's without what `hide` takes out of it. It is cut before that, so that no pattern
 * runs over megabytes, and after, where the cut itself may have left half of what is to be hidden.
 */
export function truncatedWithout(text: string, hide: (text: string) => string): string {
  return truncated(hide(truncated(text, 2 * SERVER_TEXT_MAX)));
}
