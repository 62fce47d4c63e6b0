/** Members of IN that the server may take for tables: a name that stands there alone. */
import type { Token } from './lexer.ts';
import { isMark, isName, isWord } from './marks.ts';
import { isOperator } from './named-words.ts';

const LITERALS = new Set(['NULL', 'TRUE', 'FALSE', 'NAN', 'INF']);
/** Literals where a text or a number follows, else names. */
const TYPED = new Set(['DATE', 'TIMESTAMP', 'INTERVAL']);

/** How deep the members are: behind IN itself, within its parentheses, or within further ones. */
export type Members = 'none' | 'listed' | 'nested';

/** What a parenthesis holds. @param around what that holds which it stands in */
export function membersIn(tokens: readonly Token[], at: number, around: Members): Members {
  const before = tokens[at - 1];
  if (isWord(before, 'IN')) return 'listed';
  const isMember = isMark(before, '(') || isMark(before, ',');
  return around !== 'none' && isMember ? 'nested' : 'none';
}

/** Whether a name there may be a table. */
export function isSetName(tokens: readonly Token[], at: number, members: Members): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]];
  if (!isName(token) || isLiteral(tokens, at)) return false;
  const isBehindIn = isWord(before, 'IN');
  if (!isBehindIn && members === 'none') return false;
  if (!isBehindIn && !isMark(before, '(') && !isMark(before, ',')) return false;
  const after = tokens[isMark(tokens[at + 1], '.') ? at + 3 : at + 1];
  if (isMark(after, '(')) return false;
  if (isBehindIn) return true;
  if (members === 'nested') return isMark(before, '(') && endsAlone(after, [')']);
  return endsAlone(after, [')', ',']);
}

/** An alias may be behind it, with AS or without. */
function endsAlone(after: Token | undefined, marks: readonly string[]): boolean {
  if (marks.some((mark) => isMark(after, mark))) return true;
  return isWord(after, 'AS') || (isName(after) && !isOperator(after));
}

function isLiteral(tokens: readonly Token[], at: number): boolean {
  const [token, next] = [tokens[at], tokens[at + 1]];
  if (token?.kind !== 'word') return false;
  const word = token.text.toUpperCase();
  return (
    LITERALS.has(word) || (TYPED.has(word) && (next?.kind === 'string' || next?.kind === 'number'))
  );
}
