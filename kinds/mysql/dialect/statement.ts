/** What the gateway knows of a statement before it is sent. */
import { LruMap } from '../../../proto/lru-map.ts';
import { commitsImplicitly } from './commits.ts';
import { type Token, tokensOf, Unclosed } from './lexer.ts';
import { beginningOf } from './prefix.ts';

/** A statement taken apart. */
export interface Parsed {
  /** As it is sent: names of parameters replaced by `?`. */
  readonly text: string;
  /** The first word of what runs, in upper case, behind SET STATEMENT … FOR and opening parentheses; empty when there is none. */
  readonly first: string;
  /** The word behind that, when it is one. */
  readonly second: string;
  /** Whether SET STATEMENT … FOR stands ahead of what runs. */
  readonly prefixed: boolean;
  /** Why what runs cannot be told; undefined where it can. */
  readonly untold: string | undefined;
  /** All of it, what stands ahead too. */
  readonly tokens: readonly Token[];
  /** From the first word of what runs. */
  readonly runs: readonly Token[];
  /** Names of its `:name` in their order; empty without. */
  readonly names: readonly string[];
  /** Why a read does not take it; undefined when only its functions still decide. */
  readonly unreadable: string | undefined;
  /** SELECT, INSERT, UPDATE or DELETE that sets none of its session. */
  readonly plain: boolean;
  /** Whether it is prepared also without parameters: its values then come as the server holds them. */
  readonly prepared: boolean;
  /** Whether it holds more than one SELECT. */
  readonly nested: boolean;
  /** Whether it changes rows, so that a count of them means something. */
  readonly changes: boolean;
  /** Whether a change of rows answers rows too. */
  readonly returning: boolean;
  /** Whether the server commits what is open before it runs. Source: MySQL manual, "Statements That Cause an Implicit Commit". */
  readonly commits: boolean;
}

/** The statements of a text; `unclosed` when it ends within one. */
type ParsedText = { readonly statements: readonly Parsed[] } | { readonly unclosed: string };

/** Texts longer than this are taken apart each time. */
export const REMEMBERED_MAX_CHARACTERS = 10_000;
/** Statements that are remembered, and their bytes together, roughly: one of 10,000 characters may have as many tokens. */
const REMEMBERED = { most: 2_000, bytes: 8 * 1024 * 1024, token: 100 };
const remembered = new LruMap<string, { readonly parsed: ParsedText; readonly weight: number }>(
  REMEMBERED.most,
  { most: REMEMBERED.bytes, of: ({ weight }) => weight },
);

/** Takes a text apart; `named` says that `:x` is a parameter. */
export function parseText(text: string, named: boolean): ParsedText {
  const key = (named ? ':' : '?') + text;
  const known = remembered.get(key);
  if (known) return known.parsed;
  const parsed = takeApart(text, named);
  if (text.length <= REMEMBERED_MAX_CHARACTERS) {
    const statements = 'statements' in parsed ? parsed.statements : [];
    const tokens = statements.reduce((sum, each) => sum + each.tokens.length, 0);
    remembered.set(key, { parsed, weight: 2 * text.length + REMEMBERED.token * tokens });
  }
  return parsed;
}

function takeApart(text: string, named: boolean): ParsedText {
  try {
    const statements = split(tokensOf(text)).map((tokens) => statementOf(text, tokens, named));
    return { statements };
  } catch (error) {
    if (error instanceof Unclosed) return { unclosed: error.message };
    throw error;
  }
}

/** At semicolons; what holds no token is no statement. */
function split(tokens: readonly Token[]): Token[][] {
  const statements: Token[][] = [[]];
  for (const token of tokens) {
    if (token.sort === 'sign' && token.text === ';') statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((each) => each.length > 0);
}

function statementOf(whole: string, tokens: readonly Token[], named: boolean): Parsed {
  const begin = tokens[0]?.start ?? 0;
  const names = named ? tokens.filter(({ sort }) => sort === 'named') : [];
  let text = '';
  let at = begin;
  for (const { start, end } of names) {
    text += `${whole.slice(at, start)}?`;
    at = end;
  }
  text += whole.slice(at, tokens.at(-1)?.end ?? begin);
  const { at: beginning, prefixed, untold } = beginningOf(tokens);
  const [first, second] = [wordAt(tokens, beginning), wordAt(tokens, beginning + 1)];
  const words = tokens.filter(({ sort }) => sort === 'word').map((token) => token.text);
  const runs = beginning < 0 ? [] : tokens.slice(beginning);
  return {
    text,
    first,
    second,
    prefixed,
    untold,
    tokens,
    runs,
    names: names.map(({ text: name }) => name),
    unreadable: prefixed ? 'SET' : whyUnreadable(tokens, first, second),
    plain: !prefixed && isPlain(tokens, first),
    prepared: !prefixed && PREPARED.has(first),
    nested: words.filter((word) => word === 'SELECT').length > 1,
    changes: CHANGING.has(first) || (first === 'WITH' && words.some((word) => CHANGING.has(word))),
    returning: CHANGING.has(first) && words.includes('RETURNING'),
    commits: commitsImplicitly(first, runs),
  };
}

function wordAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token?.sort === 'word' ? token.text : '';
}

const CHANGING = new Set(['INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'LOAD']);
const PLAIN = new Set([
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'REPLACE',
  'VALUES',
  'TABLE',
  'WITH',
  'SHOW',
  'EXPLAIN',
  'DESC',
  'DESCRIBE',
]);
const PREPARED = new Set([
  ...'SELECT INSERT UPDATE DELETE REPLACE VALUES TABLE WITH CALL DO'.split(' '),
  '',
]);
const READABLE = new Set([
  'SELECT',
  'VALUES',
  'TABLE',
  'WITH',
  'SHOW',
  'EXPLAIN',
  'DESC',
  'DESCRIBE',
]);
/** What MariaDB's ANALYZE may explain; ANALYZE TABLE writes. */
const ANALYZED = new Set(['SELECT', 'WITH', 'VALUES', 'FORMAT']);

/** Words that write wherever they are unquoted: reserved, so they cannot be names. */
const WRITING = new Set(['UPDATE', 'DELETE', 'INTO', 'OUTFILE', 'DUMPFILE']);
/** The same, but functions when a parenthesis follows. */
const WRITING_UNLESS_CALLED = new Set(['INSERT', 'REPLACE']);

/** Tables of counters that begin again when they are read. Source: MySQL manual, "INFORMATION_SCHEMA InnoDB Tables". */
const EMPTIED = /^INNODB_CMP(?:MEM|_PER_INDEX)?_RESET$/i;
/** To list its plugins, the server loads and runs every library of them. Source: MariaDB, "SHOW PLUGINS SONAME". */
const LOADING = /^(?:ALL_PLUGINS|SONAME)$/i;

function whyUnreadable(
  tokens: readonly Token[],
  first: string,
  second: string,
): string | undefined {
  const allowed = READABLE.has(first) || (first === 'ANALYZE' && ANALYZED.has(second));
  if (!allowed) return first === '' ? 'This statement' : first;
  const reasons = tokens.map((token, at) => writingToken(token, tokens, at, first));
  return reasons.find((reason) => reason !== undefined);
}

function writingToken(
  { sort, text, end }: Token,
  tokens: readonly Token[],
  at: number,
  first: string,
): string | undefined {
  const next = tokens[at + 1];
  if (sort === 'versioned') return 'A comment with a version';
  if (sort === 'unclear') return text;
  if (sort === 'number' && next?.sort === 'word' && next.start === end) return 'A word in a number';
  if (sort === 'sign' && text === ':=') return 'An assignment of a variable';
  // By ORACLE's rules it counts a sequence.
  if (sort === 'sign' && text === '.' && isWord(next, 'NEXTVAL')) return '.NEXTVAL';
  if (isTellingWithEffect(sort, text)) return text.toUpperCase();
  if (sort !== 'word') return undefined;
  return writingWord(text, tokens[at + 1], tokens[at + 2], first);
}

/** Names that do something when they are asked. */
function isTellingWithEffect(sort: Token['sort'], text: string): boolean {
  return (sort === 'word' || sort === 'name') && (EMPTIED.test(text) || LOADING.test(text));
}

function writingWord(
  word: string,
  next: Token | undefined,
  afterNext: Token | undefined,
  first: string,
): string | undefined {
  if (word === 'FOR' && isWord(next, 'UPDATE', 'SHARE')) return `FOR ${next?.text}`;
  if (WRITING.has(word)) return word;
  if (WRITING_UNLESS_CALLED.has(word) && next?.text !== '(') return word;
  if (word === 'LOCK' && isWord(next, 'IN')) return 'LOCK IN SHARE MODE';
  if (word === 'PROCEDURE' && first !== 'SHOW') return 'PROCEDURE';
  if (isWord(next, 'VALUE') && isWord(afterNext, 'FOR') && word === 'NEXT') return 'NEXT VALUE FOR';
  return word === 'NEXT' && countsSequence(next, afterNext) ? 'NEXT … VALUES' : undefined;
}

/** `SELECT NEXT VALUE FROM s`, `SELECT NEXT 5 VALUES FROM s`. Source: Vitess, "Sequences"; its parser, `num_val`. */
function countsSequence(next: Token | undefined, afterNext: Token | undefined): boolean {
  const isOne = next?.text.replaceAll('`', '').toUpperCase() === 'VALUE';
  return isOne ? isWord(afterNext, 'FROM', 'FOR') : isWord(afterNext, 'VALUES');
}

function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.sort === 'word' && words.includes(token.text);
}

/** Whether a statement sets none of its session, functions aside. */
function isPlain(tokens: readonly Token[], first: string): boolean {
  if (!PLAIN.has(first)) return false;
  return !tokens.some(
    ({ sort, text }, at) =>
      sort === 'versioned' ||
      text === ':=' ||
      (sort === 'word' && text === 'SQL_CALC_FOUND_ROWS') ||
      // The session keeps what it counted.
      (sort === 'word' && text === 'NEXT' && isWord(tokens[at + 1], 'VALUE')) ||
      // SELECT … INTO @x.
      (sort === 'variable' && isWord(tokens[at - 1], 'INTO')),
  );
}

/** Whether a statement answers rows that may be looked at again. */
export function isSelect({ first }: Parsed): boolean {
  return first === 'SELECT' || first === 'SHOW';
}
