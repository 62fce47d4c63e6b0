/** Names that WITH gives, each with where in the statement it is in effect. */
import { isSign, isWord, type Parentheses } from './calls.ts';
import type { Token } from './lexer.ts';

/** A name between two tokens, neither included. */
interface CteName {
  /** As it is written: letter case counts, since servers may tell names apart by it. */
  readonly name: string;
  readonly after: number;
  readonly before: number;
}

/** What WITH gives, by name. */
export type GivenNames = ReadonlyMap<string, readonly CteName[]>;

/** All names that WITH gives. */
export function givenNames(tokens: readonly Token[], parentheses: Parentheses): GivenNames {
  const all = tokens.flatMap((token, at) =>
    isWord(token, 'WITH') ? givenAt(tokens, parentheses, at) : [],
  );
  return Map.groupBy(all, ({ name }) => name);
}

/** Of one WITH; nothing from another meaning of the word. */
function givenAt(tokens: readonly Token[], parentheses: Parentheses, start: number): CteName[] {
  const open = parentheses.around[start] ?? -1;
  const before = open < 0 ? tokens.length : (parentheses.closings[open] ?? -1);
  const isRecursive = isWord(tokens[start + 1], 'RECURSIVE');
  const found: CteName[] = [];
  for (let at = start + (isRecursive ? 2 : 1); ; ) {
    const [name, end] = [tokens[at], endAt(tokens, parentheses, at)];
    if (!name || end < 0) return found;
    // Its own query sees the name only where it is recursive.
    found.push({ name: name.raw, after: isRecursive ? at : end, before });
    if (!isSign(tokens[end + 1], ',')) return found;
    at = end + 2;
  }
}

/** Where `name [(columns)] AS (…)` closes; -1 where there is none. */
function endAt(tokens: readonly Token[], { closings }: Parentheses, at: number): number {
  const name = tokens[at];
  if (name?.sort !== 'word' && name?.sort !== 'name') return -1;
  let body = at + 1;
  if (isSign(tokens[body], '(')) body = (closings[body] ?? -1) + 1;
  const isBody = body > at && isWord(tokens[body], 'AS') && isSign(tokens[body + 1], '(');
  return isBody ? (closings[body + 1] ?? -1) : -1;
}

/** Whether a name in a place is one that WITH gives there. */
export function isGiven(given: GivenNames, name: string, at: number): boolean {
  return (given.get(name) ?? []).some(({ after, before }) => after < at && at < before);
}
