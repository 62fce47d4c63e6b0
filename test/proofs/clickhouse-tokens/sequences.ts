/** Statements of random quotes, escapes, comments, numbers and words, whose columns a server names as it read them. */
import type { Random } from '../clickhouse-functions/random.ts';

const LETTERS = [...'aeinfbxXN0Zz_'];
/** Escapes that every server of 2019 and newer knows, some that none does, and digits that are none. */
const ESCAPES = [
  '\\x41',
  '\\x6c',
  '\\x6G',
  '\\x7g',
  '\\x0a',
  '\\x00',
  '\\x5cx',
  '\\x22',
  '\\x60',
  '\\x27',
  '\\N',
  '\\n',
  '\\t',
  '\\r',
  '\\0',
  '\\a',
  '\\b',
  '\\e',
  '\\f',
  '\\v',
  '\\\\',
  '\\"',
  "\\'",
  '\\`',
  '\\/',
  '\\%',
  '\\_',
  '\\q',
  '\\i',
  '\\X',
  '\\u',
  '\\1',
  '\\ ',
  '\\\n',
  '\\é',
  '\\(',
  '\\-',
];
/** What looks like another token, within one. */
const LURES = [
  "'",
  '"',
  '`',
  '--',
  '/*',
  '*/',
  '//',
  '# ',
  '$a$',
  '$$',
  ';',
  ',',
  ' AS ',
  '(',
  ')',
  '\u2018',
  '\u2019',
  '\u201c',
  '\u201d',
  '\n',
  'é',
  '\u2028',
  '\u{1f600}',
];

const SPACES = [
  ' ',
  '\n',
  '\t',
  '\r\n',
  '\f',
  '\v',
  '\u00a0',
  '\u2003',
  '\u3000',
  '\u200b',
  '\ufeff',
  '\u2060',
  '\u0085',
  '\u180e',
  '\u200c',
  '\u200d',
  '\u2028',
  '\u202f',
  '\u205f',
  '\u1680',
];
const OLD_SPACES = [' ', '\n', '\t', '\r\n', '\f', '\v'];
const VALUES =
  '1 0x1F 0b11 1_000 .5 1. 1e3 1.5e-3 1e+2 0x1p3 12_3.4_5 (1) [1] (1,2).1 ((1,2),3).1.2 [1][1] pi() 1-1 1+.5'.split(
    ' ',
  );
const OLD_VALUES = '1 .5 1. 1e3 1.5e-3 1e+2 (1) [1] (1,2).1 [1][1] pi() 1-1 1+.5'.split(' ');
const DIGITS = ["x'4142'", "X'4a'", "b'01000001'", "x''", "B'0100000101000010'"];
const TAGS = ['$$', '$a$', '$a1$', '$_$', '$1$', '$é$', '$a b$'];
const WORDS = ['n', '_', '$a', 'a$b', '1st', '0xg', '1e5x', '0b2', 'é'];
const inLine = (text: string) => text.replaceAll('\n', ' ');

/** Writes statements of what all servers take, or of what those of these years do. */
export class Sequences {
  readonly #random: Random;
  readonly #modern: boolean;

  constructor(random: Random, modern: boolean) {
    this.#random = random;
    this.#modern = modern;
  }

  /** Up to six columns, each with a name of its own. */
  next(): string {
    const columns = Array.from({ length: 1 + this.#random.below(6) }, (_, at) => {
      const as = `${this.#trivia(' ')}AS${this.#trivia(' ')}`;
      return this.#value() + as + this.#name(at);
    });
    const comma = () => `${this.#trivia()},${this.#trivia()}`;
    return `SELECT ${columns.reduce((all, column) => all + comma() + column)}${this.#trivia()}`;
  }

  #trivia(least = ''): string {
    const way = this.#random.below(8);
    if (way > 2) return least;
    const spaces = this.#modern ? SPACES : OLD_SPACES;
    if (way === 0) return this.#random.of(spaces) + (this.#random.of(['', ...spaces]) ?? '');
    return this.#comment(this.#pieces(3, [LETTERS, LURES, spaces]));
  }

  #comment(inner: string): string {
    const block = inner.replaceAll(/\*\/|\/\*/g, '* /').replace(/\*$/, '');
    const way = this.#random.below(this.#modern ? 5 : 2);
    if (way === 0 && this.#modern && this.#random.oneIn(4)) return `/* /* ${block} */ '*/`;
    if (way === 0) return `/*${block}*/`;
    return `${['--', '--', '// ', '# ', '#!'][way]}${inLine(inner)}\n`;
  }

  /** Ends with its column's number, so that no two are the same. */
  #name(at: number): string {
    const way = this.#random.below(this.#modern ? 6 : 4) + (this.#modern ? 0 : 2);
    if (way === 0) return `${this.#random.of(WORDS)}${at}`;
    if (way === 1) return `\u201c${this.#raw('\u201d')}${at}\u201d`;
    const quote = this.#random.of(['"', '`']);
    return `${quote}${this.#inQuotes(quote)}${at}${quote}`;
  }

  #value(): string {
    const way = this.#random.below(9);
    if (way === 0) return this.#random.of(this.#modern ? VALUES : OLD_VALUES);
    if (!this.#modern || way > 3) return `'${this.#inQuotes("'")}'`;
    if (way === 1) return `\u2018${this.#raw('\u2019')}\u2019`;
    if (way === 2) return this.#random.of(DIGITS);
    const tag = this.#random.of(TAGS);
    return tag + this.#raw('$') + tag;
  }

  #inQuotes(quote: string): string {
    const doubled = [quote + quote, `\\${quote}`];
    const lures = LURES.filter((lure) => lure !== quote);
    return this.#pieces(6, [LETTERS, ESCAPES, doubled, lures]);
  }

  /** Where there are no escapes. */
  #raw(close: string): string {
    return this.#pieces(5, [LETTERS, LURES, ESCAPES]).replaceAll(close, '');
  }

  #pieces(most: number, kinds: readonly (readonly string[])[]): string {
    const length = this.#random.below(most + 1);
    return Array.from({ length }, () => this.#random.of(this.#random.of(kinds))).join('');
  }
}
