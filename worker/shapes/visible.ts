/**
 * Characters that are invisible, or that reverse others: what is called so looks like something
 * else. None is in a new name; what has them from before is shown with them written out.
 */

/**
 * Control, format, private and unassigned characters, white space except for U+0020, the blank of
 * Braille, and what is ignorable: selectors, fillers, tags.
 */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');
/** One that is written out. */
const WRITTEN_OUT = /\\u\{([0-9a-f]{1,6})\}/g;
const LAST_CODE_POINT = 0x10ffff;

/** Spaces that are invisible, or that pages show as one. */
const HIDDEN_SPACE = /^ | $| {2}/;

/** Whether a name is seen as what it is: it neither has such a character nor one that is written out. */
export function isVisible(name: string): boolean {
  return !HIDDEN.test(name) && !HIDDEN_SPACE.test(name) && !name.includes('\\u{');
}

/** The text with each such character written out: `\u{202e}`. */
export function visible(text: string): string {
  if (!HIDDEN.test(text)) return text;
  return text.replace(ALL_HIDDEN, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

/** What `visible` made the text of. */
export function revealed(text: string): string {
  return text.replace(WRITTEN_OUT, (written, hex: string) => {
    const code = Number.parseInt(hex, 16);
    const one = code > LAST_CODE_POINT ? written : String.fromCodePoint(code);
    return HIDDEN.test(one) ? one : written;
  });
}
