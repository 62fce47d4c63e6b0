/** The public compliance suite of RFC 9535: values and normalized paths of every case. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Json, parseJson } from '../../../proto/json.ts';
import suite from '../../../test/conformance/jsonpath/cts.json?raw';
import { PathFault } from './fault.ts';
import { compileJsonPath, jsonpath } from './jsonpath.ts';
import { pathTo } from './path.ts';
import { search, UNBOUNDED } from './test/search.ts';

const Values = z.array(z.custom<Json>());
const Paths = z.array(z.string());
const Case = z.strictObject({
  name: z.string(),
  selector: z.string(),
  document: z.custom<Json>().optional(),
  result: Values.optional(),
  results: z.array(Values).optional(),
  result_paths: Paths.optional(),
  results_paths: z.array(Paths).optional(),
  invalid_selector: z.literal(true).optional(),
  tags: z.array(z.string()).optional(),
});

const { tests } = z
  .strictObject({ description: z.string(), tests: z.array(Case) })
  .parse(parseJson(suite));
const isRefused = (each: (typeof tests)[number]) => each.invalid_selector === true;

test('the suite is whole', () => {
  expect([tests.length, tests.filter(isRefused).length]).toEqual([703, 247]);
});

describe('refuses', () => {
  test.each(tests.filter(isRefused))('$name', ({ selector }) => {
    expect(() => compileJsonPath(selector)).toThrow(PathFault);
  });
});

describe('finds', () => {
  test.each(tests.filter((each) => !isRefused(each)))('$name', (each) => {
    const { result, results = [result], result_paths, results_paths = [result_paths] } = each;
    const matches = search(each.selector, each.document ?? null);
    const values = matches.map(({ value }) => value);
    const at = results.findIndex((one) => JSON.stringify(one) === JSON.stringify(values));
    expect(values).toEqual(results[Math.max(at, 0)]);
    expect(matches.map((match) => pathTo(match, jsonpath, UNBOUNDED))).toEqual(
      results_paths[Math.max(at, 0)],
    );
  });
});
