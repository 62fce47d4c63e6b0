/**
 * What a statement names, for `config.allow`: tables where the grammar has them. What servers could take for a table
 * counts as one; what cannot be told is left. keys-and-doors.md §4.
 */
import { isSign, isWord, type Parentheses, parenthesesIn } from './calls.ts';
import type { Token } from './lexer.ts';
import { type Level, WORDS } from './named-grammar.ts';
import { type GivenNames, givenNames, isGiven } from './named-with.ts';
import { isTaken, leftWord, MODIFIERS } from './named-words.ts';
import type { Parsed } from './statement.ts';

/** A table as a statement names it. */
interface NamedTable {
  /** Undefined for the connection's own database. */
  readonly schema: string | undefined;
  readonly name: string;
}

/** All that a statement names. */
export interface Naming {
  readonly tables: readonly NamedTable[];
  /** What of it is not read, in words; undefined where all is. */
  readonly undecided: string | undefined;
}

/** What a statement names. */
export function namingOf(statement: Parsed): Naming {
  const { tokens, first, second, prefixed } = statement;
  const shown = prefixed ? 'SET STATEMENT' : [first, second].join(' ').trim();
  const left = isTaken(statement) ? leftWord(tokens) : shown;
  if (left !== undefined) return { tables: [], undecided: left || 'This statement' };
  return new Scan(tokens, first).run();
}

class Scan implements Naming {
  readonly tables: NamedTable[] = [];
  undecided: string | undefined;
  readonly #tokens: readonly Token[];
  readonly #first: string;
  readonly #parentheses: Parentheses;
  readonly #given: GivenNames;
  readonly #levels = new Map<number, Level>();
  #deletes = false;

  constructor(given: readonly Token[], first: string) {
    const tokens = given.map((token, at) => memberOf(token, given[at - 1]));
    this.#tokens = tokens;
    this.#first = first;
    this.#parentheses = parenthesesIn(tokens);
    this.#given = givenNames(tokens, this.#parentheses);
    this.#levels.set(-1, { query: true, list: false, expects: undefined });
  }

  run(): this {
    for (let at = 0; at < this.#tokens.length && this.undecided === undefined; ) {
      at = this.#step(at);
    }
    const isOpen = [...this.#levels.values()].some(({ expects }) => expects !== undefined);
    if (isOpen) this.undecided ??= NO_NAME;
    return this;
  }

  /** Answers where to go on. */
  #step(at: number): number {
    const token = this.#tokens[at] as Token; // Within the list.
    const open = this.#parentheses.around[at] ?? -1;
    const level = this.#levels.get(open) ?? this.#open(open, false);
    if (token.sort === 'word' && this.#isGrammar(token.text, at, level)) return at + 1;
    if (level.expects) return this.#table(at, level);
    if (isSign(token, ',') && level.list) level.expects = 'table';
    if (isSign(token, '(')) this.#open(at, false);
    return at + 1;
  }

  #open(at: number, list: boolean): Level {
    const level: Level = { query: false, list, expects: list ? 'table' : undefined };
    this.#levels.set(at, level);
    return level;
  }

  /** Whether a word is one of the grammar here, and no table. */
  #isGrammar(word: string, at: number, level: Level): boolean {
    this.#deletes ||= word === 'DELETE';
    const act = WORDS[word];
    if (!act) return false;
    const place = { tokens: this.#tokens, first: this.#first, at, level, deletes: this.#deletes };
    const found = act(place);
    if (found === 'unread') this.undecided = NO_NAME;
    return found !== 'other';
  }

  /** A table, or what replaces it. */
  #table(at: number, level: Level): number {
    const token = this.#tokens[at] as Token; // Within the list.
    if (isSign(token, '(')) {
      level.expects = undefined;
      this.#open(at, true);
      return at + 1;
    }
    const isBefore = isWord(token, 'LATERAL') && isSign(this.#tokens[at + 1], '(');
    if (isBefore || (token.sort === 'word' && MODIFIERS.has(token.text))) return at + 1;
    if (token.sort !== 'word' && token.sort !== 'name') {
      this.undecided = NO_NAME;
      return at + 1;
    }
    const { parts, end } = this.#parts(at);
    this.#take(parts, { at, end, isTarget: level.expects === 'target' });
    level.expects = undefined;
    return end;
  }

  /** The parts of a name, and where it has ended. */
  #parts(at: number): { readonly parts: readonly Token[]; readonly end: number } {
    const parts = [this.#tokens[at] as Token]; // A name.
    let end = at + 1;
    while (isSign(this.#tokens[end], '.')) {
      const part = this.#tokens[end + 1];
      end += 2;
      if (part?.sort === 'word' || part?.sort === 'name') parts.push(part);
      // DELETE FROM t.* USING t.
      else if (!isSign(part, '*')) this.undecided = NO_NAME;
    }
    return { parts, end };
  }

  #take(
    parts: readonly Token[],
    { at, end, isTarget }: { at: number; end: number; isTarget: boolean },
  ): void {
    const [only, ...others] = parts;
    if (others.length > 1) this.undecided = 'A name of three parts';
    if (others.length === 0 && !isTarget) {
      if (isWord(only, 'DUAL')) return;
      if (isSign(this.#tokens[end], '(')) {
        if (!isWord(only, 'JSON_TABLE')) this.undecided = 'A function in place of a table';
        return;
      }
    }
    const [name = '', schema] = parts.map(({ raw }) => raw).reverse();
    const isOfWith = !isTarget && schema === undefined && isGiven(this.#given, name, at);
    if (!isOfWith) this.tables.push({ schema, name });
  }
}

/** Behind a point every word is a name: `t.where`. */
function memberOf(token: Token, before: Token | undefined): Token {
  const isMember = token.sort === 'word' && isSign(before, '.');
  return isMember ? { ...token, sort: 'name', text: token.raw } : token;
}

const NO_NAME = 'A table that is no name';
