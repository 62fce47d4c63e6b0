/** Searches as tests make them. */
import { type Json, parseJson } from '../../../../proto/json.ts';
import { Budget } from '../budget.ts';
import type { Match } from '../match.ts';
import { Path } from '../path.ts';

/** Thrown where a test's budget is used up. */
export const EXHAUSTED = new Error('The budget is used up');

/** For what is written down of a search. */
export const UNBOUNDED = new Budget(Number.POSITIVE_INFINITY, () => EXHAUSTED);

/** All matches of a path. */
export function search(path: string, document: Json, steps = 1_000_000): Match[] {
  const matches: Match[] = [];
  new Path(path).each(document, new Budget(steps, () => EXHAUSTED), (match) => {
    matches.push(match);
  });
  return matches;
}

/** The values that a path finds in a text, as text: digits are compared as they are written. */
export function valuesIn(path: string, text: string): string {
  return JSON.stringify(search(path, parseJson(text)).map(({ value }) => value));
}

/** Where matches are, in the notation of the path, and what is there. */
export function entriesIn(path: string, document: Json): [string, Json][] {
  const compiled = new Path(path);
  return search(path, document).map((match) => [compiled.pathOf(match, UNBOUNDED), match.value]);
}
