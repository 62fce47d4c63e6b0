/** Which statements commit what is open before they run. Source: MySQL manual, "Statements That Cause an Implicit Commit"; MariaDB, "SQL statements That Cause an Implicit Commit". */
import type { Token } from './lexer.ts';

const COMMITTING = new Set(
  `ALTER ANALYZE BACKUP CACHE CHANGE CHECK CREATE DROP FLUSH GRANT IMPORT INSTALL LOAD LOCK OPTIMIZE PURGE RENAME
  REPAIR RESET RESTART REVOKE SHUTDOWN START STOP TRUNCATE UNINSTALL UNLOCK BEGIN`.split(/\s+/),
);

/** Whether the server commits what is open before it runs a statement. @param tokens from its first word */
export function commitsImplicitly(first: string, tokens: readonly Token[]): boolean {
  const words = tokens.filter(({ sort }) => sort === 'word').map(({ text }) => text);
  if (first === 'SET') {
    if (words[1] === 'DEFAULT' && words[2] === 'ROLE') return true;
    return namesOne(tokens, ['PASSWORD', 'AUTOCOMMIT']);
  }
  if (first === 'LOAD') return words.includes('INDEX');
  if (first === 'CREATE' || first === 'DROP') {
    return words[1] !== 'TEMPORARY' || words[2] === 'SEQUENCE';
  }
  if (first === 'ANALYZE') return words.includes('TABLE');
  return COMMITTING.has(first);
}

/** Whether one of these is named as a setting, in upper case here: as a word, in backticks, or behind `@@`. */
export function namesOne(tokens: readonly Token[], settings: readonly string[]): boolean {
  return tokens.some(({ sort, text }) => {
    if (sort !== 'word' && sort !== 'name' && sort !== 'variable') return false;
    return settings.includes(text.replace(/^@@(?:\w+\.)?/, '').toUpperCase());
  });
}
