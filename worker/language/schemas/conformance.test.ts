/** The public cases of JSON Schema, all of them, in the edge runtime. */
import { describe, expect, test } from 'vitest';
import { compileSchema } from './compile.ts';
import { documents, filesOf, type Group } from './test/suite.ts';

/** Cases that come out otherwise than the suite says. */
function wrong(groups: readonly Group[]): string[] {
  return groups.flatMap(({ description, schema, tests }) => {
    const { validate } = compileSchema(schema, { documents });
    return tests
      .filter(({ data, valid }) => (validate(data).length === 0) !== valid)
      .map((each) => `${description}: ${each.description}`);
  });
}

describe.each([
  ['draft2020-12', 1299],
  ['draft7', 927],
] as const)('%s', (draft, all) => {
  const files = filesOf(draft);

  test.each(files)('%s', (_, groups) => {
    expect(wrong(groups)).toEqual([]);
  });

  test(`are ${all} cases`, () => {
    const groups = files.flatMap(([, of]) => of);
    expect(groups.reduce((cases, { tests }) => cases + tests.length, 0)).toBe(all);
  });

  test.each(filesOf(draft, true))('optional: %s', (_, groups) => {
    expect(wrong(groups)).toEqual([]);
  });
});
