/** What a statement's text says about itself, by PostgreSQL's own parser; remembered by text. */
import { LruMap } from '../../../proto/lru-map.ts';
import { commitsInside } from './commits-inside.ts';
import { isUtf8Name } from './encoding-name.ts';
import { queryText } from './inner-query.ts';
import { type Naming, namingOf } from './named.ts';
import { parseStatements as askParser } from './parser.ts';
import { isTree, type References, type Tree, walk } from './tree.ts';
import { wordsOf } from './words.ts';

/** One statement of a text. */
export interface Parsed {
  readonly text: string;
  /** The parser's name of the statement, such as `SelectStmt`. */
  readonly kind: string;
  readonly references: References;
  /** SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES or TABLE. */
  readonly plain: boolean;
  /** A plain statement that may answer rows. */
  readonly returnsRows: boolean;
  /** It holds a statement that is no SELECT, such as a WITH that inserts. */
  readonly nests: boolean;
  /** Why `/read` does not take it, in words that end "…"; undefined when it may. */
  readonly unreadable: string | undefined;
  /** The text that the server is asked about; undefined when there is none or it is not found. */
  readonly query: string | undefined;
  /** What COPY does with it: its data comes from the caller, or goes there as text. */
  readonly copy: 'in' | 'out' | 'other' | undefined;
  /** Outside of a transaction it may commit a part by itself, which stays whatever becomes of the rest. */
  readonly commitsInside: boolean;
  /** What it names, where that was looked at beside all else; `namesOf` tells it of every statement. */
  readonly naming?: Naming;
}

/** A text that is no SQL to this parser; the server may see that differently. */
export interface Unparsed {
  readonly message: string;
  /** As the server answers. */
  readonly sqlstate: string;
  /** Character in the text, from 1. */
  readonly position: number | undefined;
}

export type ParsedText = { readonly statements: readonly Parsed[] } | { readonly failed: Unparsed };

/** Longer texts are not parsed, because parsing would hold up other calls. */
export const PARSED_MAX_CHARACTERS = 262_144;
/** Longer texts are looked at again each time, so that what is remembered stays small. */
export const REMEMBERED_MAX_CHARACTERS = 8_192;

const remembered = new LruMap<string, ParsedText>(2_000);
/** Statements that were parsed elsewhere, for the next call. */
const held = new Map<string, { readonly parsed: ParsedText; holders: number }>();

/** Lets `parseText` answer of a text what was made of it elsewhere, until the answered function is called. */
export function hold(text: string, parsed: ParsedText): () => void {
  const entry = held.get(text) ?? { parsed, holders: 0 };
  entry.holders += 1;
  held.set(text, entry);
  return () => {
    entry.holders -= 1;
    if (entry.holders === 0) held.delete(text);
  };
}

/** Parses a text of any number of statements. */
export function parseText(text: string): ParsedText {
  const found = remembered.get(text) ?? held.get(text)?.parsed;
  if (found) return found;
  const parsed = parse(text);
  if (text.length <= REMEMBERED_MAX_CHARACTERS) remembered.set(text, parsed);
  return parsed;
}

/** The same where nobody waits, with what each statement names; nothing is remembered. */
export function parseWhole(text: string): ParsedText {
  return parse(text, (kind, tree) => ({ naming: namingOf(kind, tree) }));
}

const names = new WeakMap<Parsed, Naming>();
const UNNAMED: Naming = {
  relations: [],
  schemas: [],
  undecided: 'A statement that the gateway cannot read',
};

/**
 * What a statement names, for `config.allow`. It is parsed once more for that: other endpoints do not pay for it, and no
 * tree is remembered.
 */
export function namesOf(statement: Parsed): Naming {
  const known = statement.naming ?? names.get(statement);
  if (known) return known;
  const whole = parseWhole(statement.text);
  const found =
    'statements' in whole && whole.statements.length === 1 ? whole.statements[0] : undefined;
  const naming = found?.naming ?? UNNAMED;
  names.set(statement, naming);
  return naming;
}

/** Adds to what is told of a statement. */
type Also = (kind: string, tree: Tree) => Pick<Parsed, 'naming'>;

function parse(text: string, also: Also = () => ({})): ParsedText {
  if (text.length > PARSED_MAX_CHARACTERS) return failed('the statement is too long to be checked');
  if (text.trim() === '') return { statements: [] };
  const answer = askParser(text);
  if ('refused' in answer) {
    const { refused: message, sqlstate, position } = answer;
    return { failed: { message, sqlstate, position } };
  }
  // The parser counts in bytes.
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  return {
    statements: answer.statements.map(({ tree, from, length }) => {
      const end = length > 0 ? from + length : bytes.length;
      return describe(decoder.decode(bytes.subarray(from, end)).trim(), tree, also);
    }),
  };
}

/** A text that was not looked at to its end. */
function failed(message: string): ParsedText {
  return { failed: { message, sqlstate: '54001', position: undefined } };
}

const PLAIN = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']);

function describe(text: string, stmt: Tree, also: Also): Parsed {
  const [kind = '', node] = Object.entries(stmt)[0] ?? [];
  const tree = isTree(node) ? node : {};
  const { references, nested, locks, into } = walk(tree);
  const plain = PLAIN.has(kind) && !into;
  const returning = tree.returningList ?? tree.returningClause;
  return {
    text,
    kind,
    references,
    plain,
    returnsRows: plain && (kind === 'SelectStmt' || returning !== undefined),
    nests: nested.length > 0,
    query: plain ? text : queryText(kind, text, tree),
    unreadable: unreadableTop(kind, tree) ?? unreadableInside(nested, locks, into),
    copy: kind === 'CopyStmt' ? copyOf(tree) : undefined,
    commitsInside: commitsInside(kind, tree),
    ...also(kind, tree),
  };
}

function unreadableTop(kind: string, tree: Tree): string | undefined {
  if (kind === 'SelectStmt' || kind === 'VariableShowStmt') return undefined;
  if (kind === 'ExplainStmt' && isTree(tree.query) && 'SelectStmt' in tree.query) return undefined;
  if (kind === 'CopyStmt' && copyOf(tree) === 'out') return undefined;
  return wordsOf(kind, tree);
}

function unreadableInside(nested: readonly string[], locks: boolean, into: boolean) {
  const [first] = nested;
  if (first !== undefined) return wordsOf(first, {});
  if (into) return 'SELECT INTO';
  return locks ? 'FOR UPDATE and its like' : undefined;
}

function copyOf(tree: Tree): 'in' | 'out' | 'other' {
  const isElsewhere = tree.filename !== undefined || tree.is_program === true;
  if (isElsewhere || !isUtf8Text(tree.options)) return 'other';
  if (tree.is_from === true) return 'in';
  if (tree.query === undefined) return 'out';
  return isTree(tree.query) && 'SelectStmt' in tree.query ? 'out' : 'other';
}

/** Whether COPY tells its data as text in UTF-8, by its options. */
function isUtf8Text(options: unknown): boolean {
  const each: readonly unknown[] = Array.isArray(options) ? options : [];
  return each.every((option) => {
    const element = isTree(option) && isTree(option.DefElem) ? option.DefElem : {};
    const { defname: name, arg } = element;
    const value = isTree(arg) && isTree(arg.String) ? arg.String.sval : undefined;
    if (name === 'format') return value !== 'binary';
    return name !== 'encoding' || (typeof value === 'string' && isUtf8Name(value));
  });
}
