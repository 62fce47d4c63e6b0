/** Finds words of a statement behind which the name of a table stands, where no parameter can be. Contract §8. */
import type { Span } from './literals.ts';

/** Words behind which it always does; those ahead of them with which they mean something else. */
const TABLE_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['JOIN', ['ARRAY']],
  ['INTO', []],
  ['UPDATE', ['FOR', 'KEY', 'ON']],
  ['TABLE', []],
]);
/** Of these `FROM` is, and not of `EXTRACT(… FROM …)` and its kin, whose parentheses hold none of them. */
const QUERIES: ReadonlySet<string> = new Set(['SELECT', 'DELETE']);
const LONGEST = 8;

/** Where such words end. */
export function tablePlaces(flat: string, spans: readonly Span[]): ReadonlySet<number> {
  const ends = new Set<number>();
  const queries = [false];
  let at = 0;
  let before = '';
  for (const { sort, start, end } of spans) {
    if (enter(queries, flat.slice(at, start))) before = '';
    at = end;
    if (sort === 'comment') continue;
    const isWord = sort === 'word' && end - start <= LONGEST;
    const word = isWord ? flat.slice(start, end).toUpperCase() : '';
    if (QUERIES.has(word)) queries[queries.length - 1] = true;
    if (isTableWord(word, before, queries.at(-1) === true)) ends.add(end);
    before = word;
  }
  return ends;
}

/** Goes into parentheses and out of them; whether anything but space is there. */
function enter(queries: boolean[], between: string): boolean {
  for (const [each] of between.matchAll(/[()]/g)) {
    if (each === '(') queries.push(false);
    else if (queries.length > 1) queries.pop();
  }
  return /\S/.test(between);
}

function isTableWord(word: string, before: string, isQuery: boolean): boolean {
  // a IS DISTINCT FROM b compares values.
  if (word === 'FROM') return isQuery && before !== 'DISTINCT';
  return TABLE_WORDS.get(word)?.includes(before) === false;
}
