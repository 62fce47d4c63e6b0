/** Which settings of a session no statement may change: results are written, and statements read, as UTF-8 and in UTC. */
import { refusedAt } from '../../refusals.ts';
import { isSign, isWord } from './calls.ts';
import { namesOne } from './commits.ts';
import type { Token } from './lexer.ts';
import type { Parsed } from './statement.ts';

const FIXED = [
  'NAMES',
  'CHARSET',
  'CHARACTER_SET_CLIENT',
  'CHARACTER_SET_RESULTS',
  'CHARACTER_SET_CONNECTION',
  'TIME_ZONE',
];

/**
 * Looks at what SET and SET STATEMENT … FOR name.
 * @throws GatewayError BAD_REQUEST
 */
export function checkSet({ first, prefixed, tokens, runs }: Parsed): void {
  const isFixed =
    (prefixed && namesFixed(tokens.slice(0, tokens.length - runs.length))) ||
    (first === 'SET' && assignmentsOf(runs.slice(1)).some((each) => namesFixed(each)));
  if (isFixed)
    throw refusedAt('query', 'Sessions keep utf8mb4 and UTC; SET does not change them here');
}

/** Parted by commas that are in no parenthesis. */
function assignmentsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const found: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (isSign(token, '(')) depth += 1;
    if (isSign(token, ')')) depth -= 1;
    if (depth === 0 && isSign(token, ',')) found.push([]);
    else found.at(-1)?.push(token);
  }
  return found;
}

/** What an assignment says of itself to be global changes no session; a GLOBAL ahead of another one may not count for it. */
function namesFixed(tokens: readonly Token[]): boolean {
  const [scope] = tokens;
  if (isWord(scope, 'GLOBAL') || /^@@GLOBAL$|^@@GLOBAL\./i.test(scope?.text ?? '')) return false;
  const isCharacterSet = (token: Token, at: number) =>
    isWord(token, 'CHARACTER') && isWord(tokens[at + 1], 'SET');
  return tokens.some(isCharacterSet) || namesOne(tokens, FIXED);
}
