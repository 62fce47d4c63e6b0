/** Promises of bounds: neither a path nor a document makes a search hang, overflow or swell. */
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../../proto/json.ts';
import { Budget } from './budget.ts';
import { PathFault } from './fault.ts';
import { Path } from './path.ts';
import { EXHAUSTED } from './test/search.ts';

/** How many matches a path has; each costs no more than its place. */
function count(path: string, document: Json, steps = 20_000_000): number {
  let matches = 0;
  new Path(path).each(document, new Budget(steps, () => EXHAUSTED), () => {
    matches += 1;
  });
  return matches;
}

const nested = (depth: number) => parseJson('['.repeat(depth) + ']'.repeat(depth));
const many = (length: number): Json => Array.from({ length }, (_, at) => at);

describe('a large document', () => {
  test.each([
    ['$..*', 99_999],
    ['$..[0]', 99_999],
    ['$..[?@[0]]', 99_998],
  ])('of depth 100,000: %s', (path, matches) => {
    expect(count(path, nested(100_000))).toBe(matches);
  });

  test.each([
    ['$[*]', 1_000_000],
    ['$..*', 1_000_000],
    ['$[?@ > 499999]', 500_000],
    ['$[::-2]', 500_000],
    ['..', 1_000_000],
    ['999999..', 1],
    ['[999999]', 1],
  ])('of 1,000,000 elements: %s', (path, matches) => {
    expect(count(path, many(1_000_000))).toBe(matches);
  });
});

describe('a hostile path uses its budget up', () => {
  const text = 'a'.repeat(100_000);
  test.each<[string, Json]>([
    ['$..[?@..[?@..[?@.a]]]', nested(1_000)],
    ['$[?$[?$[?@ == 1]]]', many(20_000)],
    ['$[?count($..*) > 5]', many(20_000)],
    ['$..*..*..*', nested(1_000)],
    ['$[?$[?@ == $[0]]]', Array.from({ length: 5_000 }, (_, at) => text + (at % 2))],
    ['$[?$[?@ < $[0]]]', Array.from({ length: 100 }, () => text)],
    ['$[?$[?length(@) > 99999999]]', Array.from({ length: 100 }, () => text)],
    ["$[?$[?search(@, '(a|b)*c')]]", Array.from({ length: 100 }, () => text)],
    ['$[?match(@, @)]', Array.from({ length: 500 }, (_, at) => `[a-${'z'.repeat(at)}]{700}`)],
    [`$${'[*,*]'.repeat(30)}`, nested(40)],
  ])('%s', (path, document) => {
    const started = Date.now();
    expect(() => count(path, document)).toThrow(EXHAUSTED);
    expect(Date.now() - started).toBeLessThan(25_000);
  });
});

describe('a deep path', () => {
  test.each([
    `$[?${'('.repeat(4_000)}`,
    `$[?${'!'.repeat(4_000)}@]`,
    `$${'[?@'.repeat(51)}${']'.repeat(51)}`,
    `$[?${'@||'.repeat(501)}@]`,
    `$[?${'@&&'.repeat(501)}@]`,
    `$${'.a'.repeat(1_001)}`,
  ])('is refused: %s', (path) => {
    expect(() => new Path(path)).toThrow(PathFault);
  });

  test.each([
    [`$${'[?@'.repeat(50)}${']'.repeat(50)}`, 1],
    [`$[?${'('.repeat(49)}@${')'.repeat(49)}]`, 1],
    [`$[?${'@&&'.repeat(500)}@]`, 1],
    [`$[?${'@||'.repeat(500)}@]`, 1],
    [`$${'[0]'.repeat(1_000)}`, 1],
    [`${'0/'.repeat(999)}0`, 1],
    [`$[?${'!(@)||'.repeat(49)}@]`, 1],
    ['$..[?@ == $]', 0],
    [`$[?'${'(!!'.repeat(900)}' != @]`, 1],
  ])('is found up to the limit: %s', (path, matches) => {
    expect(count(path, nested(1_001))).toBe(matches);
  });
});
