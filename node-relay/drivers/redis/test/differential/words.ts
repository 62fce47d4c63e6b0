/** Reads lines of examples into words. */

const ESCAPES = /\\x([0-9a-f]{2})|\\n/g;
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;

/** The commands of a text, one a line: words are separated by blanks; `"\xff\n"` has escapes, `'…'` may go over lines. */
export function commandsIn(text: string): Buffer[][] {
  const lines = text.split(/\n(?=[A-Z]|$)/);
  return lines.map(wordsIn).filter((words) => words.length > 0);
}

function wordsIn(line: string): Buffer[] {
  return [...line.matchAll(WORD)].map(([, escaped, plain, bare = '']) =>
    escaped === undefined ? Buffer.from(plain ?? bare) : unescaped(escaped),
  );
}

function unescaped(text: string): Buffer {
  const latin = text.replace(ESCAPES, (_, hex?: string) =>
    hex === undefined ? '\n' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(latin, 'latin1');
}
