/** Decides which statements name only what `config.allow` opens. Spec: keys-and-doors.md §4. */
import { type AllowedTables, notAllowed, type TableName, undecided } from '../../../kinds/allow.ts';
import type { CassandraRequest } from '../../../kinds/cassandra/index.ts';
import { noVerb } from '../../../kinds/verbs.ts';
import type { InspectedTable } from '../../../proto/driver.ts';
import { at } from './errors.ts';
import { type Token, tokensOf } from './lexer.ts';

/** Words that a table follows wherever they are: all reserved, so that no name is written so without quotes. */
const AHEAD = new Set(['FROM', 'INTO', 'UPDATE']);
const CHANGES = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE']);
/** Words between a verb and its table. */
const BETWEEN = new Set(['IF', 'NOT', 'EXISTS']);
/** Both name a table. */
const TABLE = new Set(['TABLE', 'COLUMNFAMILY']);
const DEFINITIONS = new Set(['CREATE', 'ALTER', 'DROP']);

/** What a statement names; in words where that cannot be told. Functions of users cannot read tables, and count as harmless. */
type StatementTables = readonly (readonly [keyspace: string | undefined, name: string])[] | string;

/** Looks at the requests of one pool. */
export class AllowGuard {
  readonly #open: AllowedTables;
  readonly #home: string;

  /** @param home the connection's keyspace, empty for none */
  constructor(open: AllowedTables, home: string) {
    this.#open = open;
    this.#home = home;
  }

  /** Lets a request pass that names only what is open. @throws GatewayError FORBIDDEN, BAD_REQUEST */
  admit(request: CassandraRequest): void {
    if (request.type !== 'batch') {
      this.#admitText(request.query);
      return;
    }
    for (const [index, each] of request.queries.entries()) {
      at(index, () => this.#admitText(typeof each === 'string' ? each : each.query));
    }
  }

  /** Whether a table is open. */
  opens({ namespace, name }: Pick<InspectedTable, 'namespace' | 'name'>): boolean {
    return this.#isOpen({ schema: namespace, name });
  }

  #admitText(text: string): void {
    const tokens = tokensOf(text);
    const named = namedIn(tokens);
    if (typeof named === 'string') throw noVerb('Cassandra', firstOf(tokens)) ?? undecided(named);
    for (const [keyspace = this.#home, name] of named) {
      if (!this.#isOpen({ schema: keyspace, name }))
        throw notAllowed('Table', `${keyspace}.${name}`);
    }
  }

  #isOpen(table: TableName): boolean {
    return this.#open.opens(table, this.#home === '' ? undefined : this.#home);
  }
}

/** The first word, in upper case. */
function firstOf([first]: readonly Token[] = []): string {
  return first?.kind === 'word' ? first.text.toUpperCase() : '';
}

function namedIn(tokens: readonly Token[] | undefined): StatementTables {
  if (tokens === undefined) return 'A statement whose quote or comment does not end';
  const words = tokens.map(({ kind, text }) => (kind === 'word' ? text.toUpperCase() : ''));
  const [first = '', second = ''] = words;
  if (CHANGES.has(first) || isBatch(words)) return namesBehind(tokens, words);
  if (first === 'TRUNCATE') return nameAt(tokens, TABLE.has(second) ? 2 : 1);
  if (!DEFINITIONS.has(first)) return first || 'This statement';
  return definedIn(tokens, words);
}

function isBatch([first, ...others]: readonly string[]): boolean {
  return first === 'BEGIN' && others.slice(0, 2).includes('BATCH');
}

/** Every table that a statement of data, or a batch of them, reads or changes. */
function namesBehind(tokens: readonly Token[], words: readonly string[]): StatementTables {
  const all: (readonly [string | undefined, string])[] = [];
  for (const [index, word] of words.entries()) {
    if (!AHEAD.has(word)) continue;
    const found = nameAt(tokens, index + 1);
    if (typeof found === 'string') return found;
    all.push(...found);
  }
  return all.length > 0 ? all : 'A statement without a table';
}

/** CREATE, ALTER and DROP TABLE, and CREATE INDEX; what else makes or drops things is not read. */
function definedIn(tokens: readonly Token[], words: readonly string[]): StatementTables {
  const [first, second = '', third = ''] = words;
  const what = `${first} ${second}`;
  if (TABLE.has(second)) {
    return words.includes('LIKE') ? `${what} LIKE` : nameAt(tokens, past(words, 2));
  }
  const isIndex = second === 'INDEX' || (second === 'CUSTOM' && third === 'INDEX');
  if (first !== 'CREATE' || !isIndex) return what.trim();
  return nameAt(tokens, words.indexOf('ON') + 1);
}

function past(words: readonly string[], from: number): number {
  let index = from;
  while (BETWEEN.has(words[index] ?? '')) index += 1;
  return index;
}

/** The table that begins there, as the server keeps it. */
function nameAt(tokens: readonly Token[], index: number): StatementTables {
  const first = nameOf(tokens[index]);
  const point = tokens[index + 1];
  const isQualified = point?.kind === 'mark' && point.text === '.';
  const second = isQualified ? nameOf(tokens[index + 2]) : undefined;
  if (first === undefined || (isQualified && second === undefined))
    return 'A table that is no name';
  return second === undefined ? [[undefined, first]] : [[first, second]];
}

/** Without quotes letter case does not count. */
function nameOf(token: Token | undefined): string | undefined {
  if (token?.kind === 'word') return token.text.toLowerCase();
  return token?.kind === 'quoted' ? token.text.slice(1, -1).replaceAll('""', '"') : undefined;
}
