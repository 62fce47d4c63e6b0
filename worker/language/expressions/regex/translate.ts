/** Writes a regular expression of ECMAScript in the language of the linear engine. */
import { CATEGORIES } from './categories.ts';

/** Why an expression cannot be run, in words. */
export class Unsupported extends Error {
  /** Whether the reason is that it looks ahead, for which some uses have another way. */
  readonly looksAhead: boolean;

  constructor(message: string, looksAhead = false) {
    super(message);
    this.looksAhead = looksAhead;
  }
}

/** What is wanted of a translation. */
interface TranslateOptions {
  /** Whether `.` matches line ends too; it does not by default. */
  readonly dotAll?: boolean;
  /** Whether groups capture, named or not; they do not by default, which is cheaper to run. */
  readonly captures?: boolean;
  /** Whether looking behind is taken: a flag of the engine must allow it too. Not by default. */
  readonly looksBehind?: boolean;
}

const ANYTHING = '\\x{0}-\\x{10ffff}';
/** What `.` does not match. */
const LINE_ENDS = '\\n\\r\\x{2028}\\x{2029}';
/** ECMAScript's `\s`: its white space and its line ends. */
const SPACE =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['0', 0],
]);

/** Most repetitions by number, all of an expression together. */
const REPETITIONS_MAX = 2_000;

const GROUP = /\((?:\?(?::|<[=!]|<[^>]*>)?)?/y;
const QUANTIFIER = /\{\d+(?:,\d*)?\}/y;
const PROPERTY = /[pP]\{([^}]*)\}/y;
const CODE = /u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|c([A-Za-z])/y;
const LOW_SURROGATE = /\\u(d[c-f][\da-f]{2})/iy;

/**
 * The same expression for the linear engine: a match of one is a match of the other. What only the
 * older grammar allows, such as `[\w-.]`, is taken too.
 * @throws Unsupported for what is no expression, looks ahead or behind, or refers back
 */
export function toLinear(source: string, wanted: TranslateOptions): string {
  if (!isExpression(source)) throw new Unsupported('is not a regular expression');
  return new Translation(source, wanted).all();
}

function isExpression(source: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return new RegExp(source, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

class Translation {
  readonly #source: string;
  readonly #wanted: TranslateOptions;
  #at = 0;
  #repetitions = 0;

  constructor(source: string, wanted: TranslateOptions) {
    this.#source = source;
    this.#wanted = wanted;
  }

  all(): string {
    let text = '';
    while (this.#at < this.#source.length) text += this.#next();
    return text;
  }

  #next(): string {
    const character = this.#character();
    switch (character) {
      case '\\':
        return this.#escape();
      case '[':
        return this.#class();
      case '(':
        return this.#group();
      case '.':
        return `[${this.#wanted.dotAll === true ? ANYTHING : `^${LINE_ENDS}`}]`;
      case '{':
        this.#at -= 1;
        return this.#quantifier() ?? literal(this.#character());
      case '*':
      case '+':
      case '?':
      case '|':
      case ')':
      case '^':
      case '$':
        return character;
      default:
        return literal(character);
    }
  }

  /** Each repetition becomes as many steps: those that come to too many are not worth a try. */
  #quantifier(): string | undefined {
    const text = this.#take(QUANTIFIER)?.[0];
    if (text === undefined) return undefined;
    const counts = text.match(/\d+/g)?.map(Number) ?? [];
    this.#repetitions += Math.max(...counts);
    if (this.#repetitions > REPETITIONS_MAX) {
      throw new Unsupported('is too large: its repetitions come to too many steps');
    }
    return text;
  }

  #group(): string {
    this.#at -= 1;
    const [opening = ''] = this.#take(GROUP) ?? [];
    if (opening === '(?<=' || opening === '(?<!') {
      if (this.#wanted.looksBehind === true) return opening;
      throw new Unsupported('looks behind, which is not taken');
    }
    if (opening !== '(?') {
      return this.#wanted.captures === true ? opening.replace('(?<', '(?P<') : '(?:';
    }
    if ('=!'.includes(this.#source.charAt(this.#at))) {
      throw new Unsupported('looks ahead, which cannot be matched in linear time', true);
    }
    throw new Unsupported('changes flags inside, which is not taken');
  }

  #escape(): string {
    const [property, name = ''] = this.#take(PROPERTY) ?? [];
    if (property !== undefined) return `[${propertyText(property.startsWith('P'), name)}]`;
    const escaped = this.#source.charAt(this.#at);
    if (/[1-9k]/.test(escaped)) {
      throw new Unsupported('refers back to a group, which cannot be matched in linear time');
    }
    if ('dDwWbB'.includes(escaped)) return `\\${this.#character()}`;
    if (escaped.toLowerCase() !== 's') return literal(this.#escapedCharacter());
    return this.#character() === 's' ? `[${SPACE}]` : `[${NO_SPACE}]`;
  }

  #class(): string {
    const isNegated = this.#source.startsWith('^', this.#at);
    if (isNegated) this.#at += 1;
    let members = '';
    while (!this.#source.startsWith(']', this.#at)) members += this.#member();
    this.#at += 1;
    if (members === '') return isNegated ? `[${ANYTHING}]` : `[^${ANYTHING}]`;
    return `[${isNegated ? '^' : ''}${members}]`;
  }

  /** One character, one set or one range of a class. */
  #member(): string {
    const first = this.#single();
    const ranges = /^-[^\]]/.test(this.#source.slice(this.#at, this.#at + 2));
    if (first.isSet || !ranges) return first.text;
    this.#at += 1;
    const last = this.#single();
    return `${first.text}${last.isSet ? '\\-' : '-'}${last.text}`;
  }

  #single(): { readonly text: string; readonly isSet: boolean } {
    const character = this.#character();
    if (character !== '\\') return { text: literal(character), isSet: false };
    const [property, name = ''] = this.#take(PROPERTY) ?? [];
    if (property !== undefined) {
      return { text: propertyText(property.startsWith('P'), name), isSet: true };
    }
    const escaped = this.#source.charAt(this.#at);
    if ('dDwWsS'.includes(escaped)) {
      this.#at += 1;
      const text = { s: SPACE, S: NO_SPACE }[escaped] ?? `\\${escaped}`;
      return { text, isSet: true };
    }
    if (escaped === 'b') {
      this.#at += 1;
      return { text: '\\x{8}', isSet: false };
    }
    return { text: literal(this.#escapedCharacter()), isSet: false };
  }

  /** The character that an escape stands for, after its backslash. */
  #escapedCharacter(): string {
    const [, code, unit, byte, control] = this.#take(CODE) ?? [];
    if (control !== undefined) return String.fromCodePoint(control.charCodeAt(0) % 32);
    if (unit !== undefined && /^d[89ab]/i.test(unit)) {
      const [, low] = this.#take(LOW_SURROGATE) ?? [];
      const units = low === undefined ? [unit] : [unit, low];
      return String.fromCharCode(...units.map((text) => Number.parseInt(text, 16)));
    }
    const point = code ?? unit ?? byte;
    if (point !== undefined) return String.fromCodePoint(Number.parseInt(point, 16));
    const character = this.#character();
    const named = CONTROLS.get(character);
    return named === undefined ? character : String.fromCodePoint(named);
  }

  /** The next character, both halves of it. */
  #character(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #take(what: RegExp): RegExpExecArray | null {
    what.lastIndex = this.#at;
    const found = what.exec(this.#source);
    if (found !== null) this.#at = what.lastIndex;
    return found;
  }
}

function literal(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  return `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A property as a member of a class; the engine has short names of categories only. */
function propertyText(isNegated: boolean, name: string): string {
  const [key = '', value] = name.split('=');
  if (value !== undefined && !/^(?:General_Category|gc|Script|sc)$/.test(key)) {
    throw new Unsupported(`uses the property ${key}, which is not known`);
  }
  const wanted = value ?? key;
  const negation = isNegated ? '^' : '';
  if (wanted === 'ASCII') return isNegated ? '\\x{80}-\\x{10ffff}' : '\\x{0}-\\x{7f}';
  return `\\p{${negation}${CATEGORIES.get(wanted) ?? wanted}}`;
}
