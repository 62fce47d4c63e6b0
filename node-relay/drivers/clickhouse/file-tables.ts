/** Finds tables that are files: in a database of the engine Filesystem or Overlay the name of a table is a path. */
import type { Token } from './lexer.ts';
import { isMark, isName, isWord, readingsOf } from './marks.ts';

/** A path, or a file's name. */
const FILE =
  /\/|\.(?:arrow|avro|br|bz2|csv|gz|json|jsonl|lz4|native|ndjson|orc|parquet|snappy|sql|tsv|txt|xml|xz|zst)$/i;

/** Whether a table's name is that of a file. */
export function isFile(name: string): boolean {
  return FILE.test(name);
}

/** What names and strings are at a place: tables, members of a set or a table, what joins tables, or values. */
type Zone = 'tables' | 'set' | 'joint' | 'values';

/** What is known of the text since a parenthesis was opened. */
interface Level {
  zone: Zone;
  /** Holds a SELECT, so that its FROM names tables, as that of `trim(BOTH ' ' FROM a)` does not. */
  isQuery: boolean;
}

/** Names of tables that may be files, as a server reads them. */
export function fileTables(tokens: readonly Token[]): string[] {
  const found: string[] = [];
  const levels: Level[] = [{ zone: 'values', isQuery: false }];
  for (const [at, token] of tokens.entries()) {
    const level = levels.at(-1);
    if (level === undefined) break;
    const before = tokens[at - 1];
    if (isMark(token, '(')) levels.push({ zone: within(level.zone, before), isQuery: false });
    else if (isMark(token, ')')) levels.pop();
    else if (isMark(token, ',') && level.zone === 'joint') level.zone = 'tables';
    else if (token.kind === 'word') enter(level, token, before);
    else if (isTable(level.zone, token)) found.push(...readingsOf(token).filter(isFile));
  }
  return found;
}

function isTable(zone: Zone, { kind }: Token): boolean {
  if (zone === 'tables') return kind === 'quoted' || kind === 'string';
  return zone === 'set' && kind === 'quoted';
}

const OPENS_TABLES = new Set(['FROM', 'JOIN', 'TABLE', 'IN', 'DESCRIBE', 'DESC', 'EXISTS']);

/** Arguments of a function are values. */
function within(zone: Zone, before: Token | undefined): Zone {
  const isGrammar = before?.kind === 'word' && OPENS_TABLES.has(before.text.toUpperCase());
  return isName(before) && !isGrammar ? 'values' : zone;
}

const ENDS_TABLES = new Set(
  'EXCEPT FORMAT GROUP HAVING INTERSECT LIMIT OFFSET ORDER PREWHERE QUALIFY SELECT SETTINGS UNION WHERE WINDOW'.split(
    ' ',
  ),
);

function enter(level: Level, token: Token, before: Token | undefined): void {
  const word = token.text.toUpperCase();
  const isFirst = before === undefined || isMark(before, '(') || isWord(before, 'EXPLAIN');
  if (word === 'SELECT' || (word === 'FROM' && isFirst)) level.isQuery = true;
  level.zone = zoneAfter(level, word, isFirst, isWord(before, 'ARRAY'));
}

function zoneAfter({ zone, isQuery }: Level, word: string, isFirst: boolean, isArray: boolean) {
  if (word === 'IN') return 'set';
  if (word === 'JOIN') return isArray ? 'values' : 'tables';
  if (word === 'FROM' ? isQuery : isFirst && OPENS_TABLES.has(word)) return 'tables';
  if (ENDS_TABLES.has(word)) return 'values';
  if (zone === 'tables' && word === 'ON') return 'joint';
  return zone === 'set' && (word === 'AND' || word === 'OR') ? 'values' : zone;
}
