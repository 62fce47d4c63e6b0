/**
 * What a statement names, for `config.allow`: tables where the grammar has them. What the server could take for a table
 * counts as one; what cannot be told is left. keys-and-doors.md §4.
 */
import type { Token } from './lexer.ts';
import { isMark, isName, isWord } from './marks.ts';
import { isSetName, type Members, membersIn } from './named-sets.ts';
import {
  AFTER_EXISTS,
  ENDS_TABLES,
  endsTable,
  goesOn,
  isArrayJoin,
  isBetweenQueries,
  isIdentifier,
  isInsertTarget,
  isValue,
  memberOf,
  NEED_TABLE,
  OF_ONE_TABLE,
  PLAIN_TABLES,
  QUERIES,
} from './named-words.ts';

/** A table as a statement names it. */
export interface NamedTable {
  /** Undefined for the connection's own database. */
  readonly database: string | undefined;
  readonly name: string;
}

/** All that a statement names. */
export interface Naming {
  readonly tables: readonly NamedTable[];
  /** Names that WITH gives: a table of such a name may be meant as well. */
  readonly given: readonly string[];
  /** What of it is not read, in words; undefined where all is. */
  readonly undecided: string | undefined;
}

const NO_NAME = 'A table that is no name';

/** What a statement names. */
export function namingOf(tokens: readonly Token[]): Naming {
  const first = tokens.find((token) => !isMark(token, '('));
  const kind = first?.kind === 'word' ? first.text.toUpperCase() : '';
  const scan = new Scan(tokens);
  if (tokens.some(({ older }) => older !== undefined))
    scan.leave('A text that servers read otherwise');
  const ahead = OF_ONE_TABLE[kind];
  if (ahead) return scan.oneTable(kind, ahead);
  if (!QUERIES.has(kind)) scan.leave(kind || 'This statement');
  return scan.query(0);
}

/** What is known of the text since a parenthesis was opened. */
interface Level {
  /** Holds a SELECT, so that its FROM names tables, as that of `trim(BOTH ' ' FROM a)` does not. */
  isQuery: boolean;
  /** Within a list of tables: after a comma comes another. */
  isList: boolean;
  /** FROM came ahead of its SELECT, which is still to come. */
  isFromFirst: boolean;
  /** The next thing is a table. */
  expects: boolean;
  /** Members of IN; a name among them may be a table. */
  readonly members: Members;
}

class Scan implements Naming {
  readonly tables: NamedTable[] = [];
  readonly given: string[] = [];
  undecided: string | undefined;
  readonly #tokens: readonly Token[];
  readonly #levels: Level[] = [levelOf('none')];
  /** Places of the names of tables, and of those that WITH gives. */
  readonly #places = new Set<number>();
  /** Names of IN without a database. */
  readonly #members = new Set<string>();

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens.map((token, at) => memberOf(token, tokens[at - 1]));
  }

  /** Notes what is not read. */
  leave(what: string): void {
    this.undecided ??= what;
  }

  /** A statement of one table, and the query that an INSERT may go on with. */
  oneTable(kind: string, ahead: readonly string[]): this {
    let at = 1;
    while (ahead.some((word) => isWord(this.#tokens[at], word))) at += 1;
    const hasTable = isWord(this.#tokens[1], 'TABLE');
    if (NEED_TABLE.has(kind) && !hasTable) this.leave(kind);
    if (isWord(this.#tokens[at], 'FUNCTION')) this.leave('A function in place of a table');
    const end = this.#table(at);
    if (kind === 'INSERT') return this.query(this.#pastColumns(end));
    const next = this.#tokens[end];
    if (isMark(next, '(')) this.leave(NO_NAME);
    if (this.#tokens.slice(end).some((token) => isMark(token, ','))) this.leave('A list of tables');
    if (kind === 'EXISTS' && isName(next) && !AFTER_EXISTS.has(next.text.toUpperCase()))
      this.leave(kind);
    return this;
  }

  /** `(a, b)`, `(* EXCEPT(c))`; a query may stand there as well. */
  #pastColumns(at: number): number {
    if (!isMark(this.#tokens[at], '(')) return at;
    let depth = 0;
    for (let next = at; next < this.#tokens.length; next += 1) {
      const token = this.#tokens[next];
      depth += Number(isMark(token, '(')) - Number(isMark(token, ')'));
      if (isWord(token, 'SELECT') || isWord(token, 'FROM')) return at;
      if (depth === 0) return next + 1;
    }
    return this.#tokens.length;
  }

  /** Everything from a place on. */
  query(from: number): this {
    for (let at = from; at < this.#tokens.length && this.undecided === undefined; ) {
      at = this.#step(at);
    }
    if (this.#levels.some(({ expects }) => expects)) this.leave(NO_NAME);
    if (this.#tokens.some((token, at) => this.#isAlias(token, at)))
      this.leave('A name behind IN that stands for something else');
    return this;
  }

  /** Whether a name of IN is given to something there. */
  #isAlias(token: Token, at: number): boolean {
    if (!isName(token) || !this.#members.has(token.text) || this.#places.has(at)) return false;
    return !isMark(this.#tokens[at - 1], '.') && !isMark(this.#tokens[at + 1], '.');
  }

  /** Answers where to go on. */
  #step(at: number): number {
    const token = this.#tokens[at];
    const level = this.#levels.at(-1);
    if (token === undefined || level === undefined) {
      this.leave('A parenthesis that was not opened');
      return at + 1;
    }
    if (isMark(token, '{') && isIdentifier(this.#tokens, at)) this.leave('A name in a parameter');
    if (isMark(token, '(') || isMark(token, ')')) {
      this.#nest(token, at, level);
      return at + 1;
    }
    if (token.kind === 'word' && this.#enter(token.text.toUpperCase(), at, level)) return at + 1;
    if (level.expects) {
      level.expects = false;
      return this.#table(at);
    }
    this.#pass(token, at, level);
    return at + 1;
  }

  /** A parenthesis instead of a table holds a query, or tables that are joined. */
  #nest(token: Token, at: number, level: Level): void {
    if (isMark(token, ')')) {
      if (level.expects) this.leave(NO_NAME);
      this.#levels.pop();
      return;
    }
    const members = membersIn(this.#tokens, at, level.members);
    this.#levels.push(level.expects ? levelOf('none', true) : levelOf(members));
    level.expects = false;
  }

  #pass(token: Token, at: number, level: Level): void {
    if (isMark(token, ',') && level.isList) level.expects = true;
    else if (isSetName(this.#tokens, at, level.members)) {
      if (!isMark(this.#tokens[at + 1], '.')) this.#members.add(token.text);
      this.#table(at);
    }
  }

  /** Whether a word is one of the grammar here, and no table. */
  #enter(word: string, at: number, level: Level): boolean {
    const before = this.#tokens[at - 1];
    const isFirst = before === undefined || isMark(before, '(') || isWord(before, 'EXPLAIN');
    switch (word) {
      case 'SELECT':
      case 'WITH':
        return (isFirst || word === 'SELECT') && this.#begin(level, at, isFirst);
      case 'FROM':
        return (isFirst || level.isQuery) && from(level, isFirst || isBetweenQueries(before));
      case 'JOIN':
        return !isArrayJoin(this.#tokens, at) && list(level);
      case 'AS':
        this.#give(at);
        return false;
      case 'INFILE':
      case 'OUTFILE':
        this.leave(word);
        return false;
      case 'INSERT':
        if (at > 0 && isWord(this.#tokens[at + 1], 'INTO')) this.leave(word);
        return false;
      default:
        if (ENDS_TABLES.has(word)) this.#endList(level, at);
        return false;
    }
  }

  #begin(level: Level, at: number, isFirst: boolean): true {
    // A table, a column or an alias of that name: what was begun goes on behind it.
    const isName =
      (level.isList && !level.isFromFirst) || level.expects || isValue(this.#tokens, at);
    const isTable = level.isList && endsTable(this.#tokens[at + 1]);
    if (!isFirst && (isName || isTable)) this.leave(NO_NAME);
    level.isFromFirst = false;
    return query(level);
  }

  #endList(level: Level, at: number): void {
    if (level.expects) this.leave(NO_NAME);
    // A column of that name: the list goes on behind it.
    if (level.isList && (isValue(this.#tokens, at) || goesOn(this.#tokens[at + 1])))
      this.leave('A column that is named as a word of the grammar');
    level.isList = false;
  }

  /** `name AS (SELECT …`, which only WITH has. */
  #give(at: number): void {
    const [name, open, first] = [at - 1, at + 1, at + 2].map((each) => this.#tokens[each]);
    const isBody =
      isMark(open, '(') && ['SELECT', 'WITH', 'FROM'].some((word) => isWord(first, word));
    if (!isBody || !isName(name)) return;
    this.given.push(name.text);
    this.#places.add(at - 1);
  }

  /** Takes a table; answers where it has ended. */
  #table(at: number): number {
    const [token, point, second] = [at, at + 1, at + 2].map((each) => this.#tokens[each]);
    if (!isName(token)) {
      this.leave(NO_NAME);
      return at + 1;
    }
    this.#places.add(at);
    if (isMark(point, '(') && !isInsertTarget(this.#tokens, at)) {
      if (!PLAIN_TABLES.has(token.text.toLowerCase()))
        this.leave(`Function ${token.text.slice(0, 64)} in place of a table`);
      return at + 1;
    }
    if (!isMark(point, '.')) {
      this.tables.push({ database: undefined, name: token.text });
      return at + 1;
    }
    if (!isName(second) || isMark(this.#tokens[at + 3], '.')) this.leave(NO_NAME);
    else this.tables.push({ database: token.text, name: second.text });
    return at + 3;
  }
}

function levelOf(members: Members, expects = false): Level {
  return { isQuery: false, isList: expects, isFromFirst: false, expects, members };
}

function query(level: Level): true {
  level.isQuery = true;
  level.isList = false;
  level.expects = false;
  return true;
}

function from(level: Level, isFirst: boolean): true {
  level.isFromFirst = isFirst;
  return query(level) && list(level);
}

function list(level: Level): true {
  level.isList = true;
  level.expects = true;
  return true;
}
