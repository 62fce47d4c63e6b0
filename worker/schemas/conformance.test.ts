/** The public cases of JSON Schema, all of them, in the edge runtime. */
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json, parseJson } from '../../proto/json.ts';
import { compileSchema } from './compile.ts';

/** As the suite writes it down. */
interface Group {
  readonly description: string;
  readonly schema: Json;
  readonly tests: readonly { description: string; data: Json; valid: boolean }[];
}

const FILES = import.meta.glob('../../test/conformance/json-schema/draft*/**/*.json', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const REMOTES = import.meta.glob('../../test/conformance/json-schema/remotes/**/*.json', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Where the suite says that they are. */
const documents = new Map(
  Object.entries(REMOTES).map(([path, text]) => [
    path.replace(/^.*\/remotes\//, 'http://localhost:1234/'),
    parseJson(text),
  ]),
);

const DEFAULTS = { draft7: 'http://json-schema.org/draft-07/schema#' };

function groupsOf(folder: string, isOptional: boolean): [file: string, groups: Group[]][] {
  return Object.entries(FILES)
    .filter(([path]) => path.includes(`/${folder}/`) && path.includes('/optional/') === isOptional)
    .map(([path, text]) => [
      path.replace(/^.*\//, ''),
      parseJson(text) as unknown as Group[], // The suite's own form.
    ]);
}

/** Schemas of the suite for draft 7 do not say that they are. */
function withDraft(schema: Json, folder: string): Json {
  if (folder !== 'draft7' || !isJsonObject(schema) || '$schema' in schema) return schema;
  return { $schema: DEFAULTS.draft7, ...schema };
}

/** Descriptions of the cases that come out otherwise than the suite says, and how many there are. */
function run(groups: readonly Group[], folder: string): { cases: number; wrong: string[] } {
  let cases = 0;
  const wrong: string[] = [];
  for (const { description, schema, tests } of groups) {
    cases += tests.length;
    let validate: (value: Json) => boolean;
    try {
      const compiled = compileSchema(withDraft(schema, folder), { documents });
      validate = (value) => compiled.validate(value).length === 0;
    } catch (refusal) {
      const why = refusal instanceof GatewayError ? refusal.message : String(refusal);
      wrong.push(`${description}: ${why}`);
      continue;
    }
    for (const { description: what, data, valid } of tests) {
      if (validate(data) !== valid) wrong.push(`${description}: ${what}`);
    }
  }
  return { cases, wrong };
}

describe.each([
  ['draft2020-12', 1299],
  ['draft7', 927],
])('%s', (folder, all) => {
  const files = groupsOf(folder, false);

  test.each(files)('%s', (_, groups) => {
    expect(run(groups, folder).wrong).toEqual([]);
  });

  test(`are ${all} cases`, () => {
    const cases = files.map(([, groups]) => run(groups, folder).cases);
    expect(cases.reduce((sum, of) => sum + of, 0)).toBe(all);
  });

  test.each(groupsOf(folder, true))('optional: %s', (_, groups) => {
    expect(run(groups, folder).wrong).toEqual([]);
  });
});
