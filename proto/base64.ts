/** Text in base64, as requests have bytes. RFC 4648, section 4. */

/** No groups: with them, a pattern runs out of stack at a few megabytes of text. */
const LETTERS = /^[A-Za-z0-9+/]*={0,2}$/;

/** Whether a text is base64 with its padding. */
export function isPaddedBase64(text: string): boolean {
  return text.length % 4 === 0 && LETTERS.test(text);
}

/** Whether a text is base64, with its padding or without any. */
export function isBase64(text: string): boolean {
  const isWhole = text.length % 4 === 0 || (text.length % 4 !== 1 && !text.endsWith('='));
  return isWhole && LETTERS.test(text);
}
