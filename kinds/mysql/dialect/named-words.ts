/** Which statements are read for what they name, and words that make one unread. */
import type { Token } from './lexer.ts';
import type { Parsed } from './statement.ts';

/** Words between a verb and its table: every server reserves them. */
export const MODIFIERS: ReadonlySet<string> = new Set(
  'LOW_PRIORITY DELAYED HIGH_PRIORITY IGNORE INTO IF NOT EXISTS TABLE'.split(' '),
);

const QUERIES = new Set(
  'SELECT WITH VALUES TABLE INSERT REPLACE UPDATE DELETE EXPLAIN DESC DESCRIBE TRUNCATE'.split(' '),
);
const DEFINITIONS = new Set(['CREATE', 'ALTER', 'DROP']);
const TRANSACTION = new Set(['COMMIT', 'ROLLBACK', 'SAVEPOINT']);
/** Engines whose tables are no other tables. */
const ENGINES = new Set(['INNODB', 'MYISAM', 'MEMORY', 'ARIA', 'ROCKSDB', 'ARCHIVE']);

/** Whether a statement of its kind is read. */
export function isTaken(statement: Parsed): boolean {
  const { first, second, prefixed, tokens } = statement;
  if (prefixed) return false;
  if (first === 'EXPLAIN' || first === 'DESC' || first === 'DESCRIBE') return second !== 'FOR';
  if (QUERIES.has(first) || TRANSACTION.has(first)) return true;
  if (first === 'START') return second === 'TRANSACTION';
  if (first === 'BEGIN') return second === '';
  if (first === 'RELEASE') return second === 'SAVEPOINT';
  if (first === 'ANALYZE') return second === 'SELECT' || second === 'WITH' || second === 'FORMAT';
  if (first === 'SET') return setsVariables(tokens);
  return DEFINITIONS.has(first) && second === 'TABLE' && isPlainDefinition(tokens);
}

/** SET TRANSACTION and SET @x alone: others change how texts are read. */
function setsVariables(tokens: readonly Token[]): boolean {
  if (tokens[1]?.text === 'TRANSACTION') return true;
  const assigned = tokens.filter((_, at) => ['=', ':='].includes(tokens[at + 1]?.text ?? ''));
  const isOwn = ({ sort, text }: Token) => sort === 'variable' && !text.startsWith('@@');
  return assigned.length > 0 && tokens[1]?.sort === 'variable' && assigned.every(isOwn);
}

function isPlainDefinition(tokens: readonly Token[]): boolean {
  return tokens.every(({ sort, text }, at) => {
    if (sort !== 'word') return true;
    if (['UNION', 'CONNECTION', 'RENAME', 'EXCHANGE', 'CASCADE'].includes(text)) return false;
    if (text !== 'ENGINE' && text !== 'TYPE') return true;
    const next = tokens[at + 1]?.text === '=' ? tokens[at + 2] : tokens[at + 1];
    return ENGINES.has(next?.text.toUpperCase() ?? '');
  });
}

/** A word or sign after which what is named cannot be told; undefined without. */
export function leftWord(tokens: readonly Token[]): string | undefined {
  for (const [at, token] of tokens.entries()) {
    const found = leftAt(token, tokens[at + 1]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function leftAt({ sort, text, end }: Token, next: Token | undefined): string | undefined {
  if (sort === 'versioned') return 'A comment with a version';
  if (sort === 'unclear') return text;
  if (sort === 'number' && next?.sort === 'word' && next.start === end) return 'A word in a number';
  if (sort === 'sign' && text === '{') return 'An escape in braces';
  if (sort === 'sign' && text === '.' && next?.text === 'NEXTVAL') return '.NEXTVAL';
  if (sort !== 'word') return undefined;
  if (['OUTFILE', 'DUMPFILE', 'PROCEDURE'].includes(text)) return text;
  // NEXT VALUE FOR s; NEXT n VALUES.
  return (text === 'NEXT' || text === 'PREVIOUS') && next?.text !== ')' && next?.text !== ','
    ? `${text} ${next?.text ?? ''}`.trim()
    : undefined;
}
