/** Ways to write a name that ClickHouse reads as that name. */
import type { Random } from './random.ts';

/** Also of names that are written without quotes; a name of 26.9 that takes any case of letters may get another. */
export function spelled(name: string, anyCase: boolean, random: Random): string {
  const text = anyCase && random.oneIn(2) ? recased(name, random) : name;
  const way = random.below(6);
  if (way < 2 || !/^\w+$/.test(text)) return text;
  if (way === 2) return `\u201c${text}\u201d`;
  const quote = random.of(['"', '`']);
  const often = way === 3 ? 1_000_000 : way === 4 ? 4 : 1;
  const content = [...text].map((letter) => written(letter, often, random)).join('');
  return quote + content + quote;
}

/** In quotes that begin and end a name, or a string, with escapes of no use. */
export function inQuotes(text: string, quotes: readonly string[], random: Random): string {
  const quote = random.of(quotes);
  const often = random.of([1_000_000, 6]);
  return quote + [...text].map((letter) => written(letter, often, random)).join('') + quote;
}

function recased(name: string, random: Random): string {
  return [...name]
    .map((letter) => (random.oneIn(2) ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
}

function written(letter: string, often: number, random: Random): string {
  const nothing = random.oneIn(often * 2) && often < 1_000 ? '\\N' : '';
  if (!random.oneIn(often)) return nothing + letter;
  const code = letter.charCodeAt(0);
  // A digit that is none counts 255: 0x6f is 16 * 7 + 255.
  if ((code & 15) === 15 && random.oneIn(2)) {
    return `${nothing}\\x${((code >> 4) + 1).toString(16)}${random.of([...'gGzZ~-'])}`;
  }
  const hex = code.toString(16).padStart(2, '0');
  return `${nothing}\\x${random.oneIn(2) ? hex.toUpperCase() : hex}`;
}

const SPACES = [
  '',
  '',
  '',
  ' ',
  '\n',
  '\t',
  '/**/',
  '/* ( */',
  '-- x\n',
  '# x\n',
  '// x\n',
  '\u00a0',
  '\u2003',
];

/** What may be between a name and its parenthesis. */
export function gap(random: Random): string {
  return random.of(SPACES);
}
