/**
 * What a statement names, for `config.allow`: tables where the grammar has them. What the server could take for a table
 * counts as one; what cannot be told is left. keys-and-doors.md §4.
 */
import type { Token } from './lexer.ts';
import { isMark, isName, isWord } from './marks.ts';

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
/** Statements that are read; of others nothing is known. */
const QUERIES = new Set(['SELECT', 'WITH', 'FROM', 'EXPLAIN']);
/** They take one table, with these words ahead of it. */
const OF_ONE_TABLE: { readonly [kind: string]: readonly string[] } = {
  INSERT: ['INTO', 'TABLE'],
  DESCRIBE: ['TABLE'],
  DESC: ['TABLE'],
  EXISTS: ['TABLE'],
  TRUNCATE: ['TABLE', 'IF', 'EXISTS'],
  DROP: ['TABLE', 'IF', 'EXISTS'],
  OPTIMIZE: ['TABLE'],
};
/** Without TABLE they are of something else. */
const NEED_TABLE = new Set(['TRUNCATE', 'DROP', 'OPTIMIZE']);

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
  /** The next thing is a table. */
  expects: boolean;
  /** Members of IN, of which a name may be a table. */
  readonly isSet: boolean;
}

class Scan implements Naming {
  readonly tables: NamedTable[] = [];
  readonly given: string[] = [];
  undecided: string | undefined;
  readonly #tokens: readonly Token[];
  readonly #levels: Level[] = [levelOf(false)];

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
    if (isMark(this.#tokens[end], '(')) this.leave(NO_NAME);
    return this;
  }

  /** `(a, b)`, `(* EXCEPT(c))`. */
  #pastColumns(at: number): number {
    if (!isMark(this.#tokens[at], '(') || isWord(this.#tokens[at + 1], 'SELECT')) return at;
    let depth = 0;
    for (let next = at; next < this.#tokens.length; next += 1) {
      depth += Number(isMark(this.#tokens[next], '(')) - Number(isMark(this.#tokens[next], ')'));
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
    return this;
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

  /** A parenthesis in place of a table holds a query, or tables that are joined. */
  #nest(token: Token, at: number, level: Level): void {
    if (isMark(token, ')')) {
      if (level.expects) this.leave(NO_NAME);
      this.#levels.pop();
      return;
    }
    const isSet = isWord(this.#tokens[at - 1], 'IN');
    this.#levels.push(level.expects ? levelOf(false, true) : levelOf(isSet));
    level.expects = false;
  }

  #pass(token: Token, at: number, level: Level): void {
    if (isMark(token, ',') && level.isList) level.expects = true;
    else if (isName(token) && (level.isSet || isWord(this.#tokens[at - 1], 'IN'))) {
      this.#member(at, level);
    }
  }

  /** Whether a word is one of the grammar here, and no table. */
  #enter(word: string, at: number, level: Level): boolean {
    const before = this.#tokens[at - 1];
    const isFirst = before === undefined || isMark(before, '(') || isWord(before, 'EXPLAIN');
    if (word === 'SELECT' || (word === 'WITH' && isFirst)) return query(level);
    if (word === 'FROM' && (isFirst || level.isQuery)) {
      query(level);
      return list(level);
    }
    if (word === 'JOIN' && !isWord(before, 'ARRAY')) return list(level);
    if (word === 'INFILE' || word === 'OUTFILE') this.leave(word);
    if (word === 'AS') this.#give(at);
    if (ENDS_TABLES.has(word)) this.#endList(level, before);
    return false;
  }

  #endList(level: Level, before: Token | undefined): void {
    if (level.expects) this.leave(NO_NAME);
    // A column of that name: the list goes on behind it.
    if (level.isList && isBeforeValue(before))
      this.leave('A column that is named as a word of the grammar');
    level.isList = false;
  }

  /** `name AS (SELECT …`, which nothing but WITH has. */
  #give(at: number): void {
    const [name, open, first] = [at - 1, at + 1, at + 2].map((each) => this.#tokens[each]);
    const isBody =
      isMark(open, '(') && ['SELECT', 'WITH', 'FROM'].some((word) => isWord(first, word));
    if (isBody && isName(name)) this.given.push(name.text);
  }

  /** Takes a table; answers where it has ended. */
  #table(at: number): number {
    const [token, point, second] = [at, at + 1, at + 2].map((each) => this.#tokens[each]);
    if (!isName(token)) {
      this.leave(NO_NAME);
      return at + 1;
    }
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

  /** A name in or behind IN that stands alone may be a table. */
  #member(at: number, { isSet }: Level): void {
    const [token, before] = [this.#tokens[at], this.#tokens[at - 1]];
    if (token === undefined || (token.kind === 'word' && LITERALS.has(token.text.toUpperCase())))
      return;
    const isBegin = isMark(before, '(') || isMark(before, ',') || isWord(before, 'IN');
    if (!isBegin) return;
    const end = isMark(this.#tokens[at + 1], '.') ? at + 3 : at + 1;
    const after = this.#tokens[end];
    const isAlone = !isSet || isMark(after, ',') || isMark(after, ')');
    if (isAlone && !isMark(after, '(')) this.#table(at);
  }
}

/** Behind a point every word is a name: `t.where`. */
function memberOf(token: Token, before: Token | undefined): Token {
  return token.kind === 'word' && isMark(before, '.') ? { ...token, kind: 'quoted' } : token;
}

/** Whether a value comes next, and no clause. */
function isBeforeValue(before: Token | undefined): boolean {
  if (before?.kind === 'mark') return !')]}*'.includes(before.text);
  return before?.kind === 'word' && OPERATORS.has(before.text.toUpperCase());
}

const OPERATORS = new Set(
  'ON USING AND OR NOT XOR IN LIKE ILIKE BETWEEN IS AS CASE WHEN THEN ELSE DIV MOD'.split(' '),
);

function levelOf(isSet: boolean, expects = false): Level {
  return { isQuery: false, isList: expects, expects, isSet };
}

function query(level: Level): true {
  level.isQuery = true;
  level.isList = false;
  level.expects = false;
  return true;
}

function list(level: Level): true {
  level.isList = true;
  level.expects = true;
  return true;
}

/** Table functions that name nothing and run no text. */
const PLAIN_TABLES = new Set(
  'numbers numbers_mt zeros zeros_mt generate_series generateseries primes values null view'.split(
    ' ',
  ),
);
const LITERALS = new Set([
  'NULL',
  'TRUE',
  'FALSE',
  'NAN',
  'INF',
  'CAST',
  'CASE',
  'INTERVAL',
  'DATE',
  'TIMESTAMP',
]);
const ENDS_TABLES = new Set(
  'EXCEPT FORMAT GROUP HAVING INTERSECT LIMIT OFFSET ORDER PREWHERE QUALIFY SETTINGS UNION WHERE WINDOW'.split(
    ' ',
  ),
);

/** `INSERT INTO t (a, b)`: what follows is no call. */
function isInsertTarget(tokens: readonly Token[], at: number): boolean {
  return (
    isWord(tokens[0], 'INSERT') &&
    tokens.slice(1, at).every((each) => isWord(each, 'INTO') || isWord(each, 'TABLE'))
  );
}

/** `{name:Identifier}` stands for a name. */
function isIdentifier(tokens: readonly Token[], at: number): boolean {
  const [, , colon, type] = tokens.slice(at, at + 4);
  return isMark(colon, ':') && isName(type) && /identifier/i.test(type.text);
}
