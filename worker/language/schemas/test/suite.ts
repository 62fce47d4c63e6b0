/** The public cases of JSON Schema as they lie in test/conformance. */
import { isJsonObject, type Json, parseJson } from '../../../../proto/json.ts';

/** Cases of one schema. */
export interface Group {
  readonly description: string;
  readonly schema: Json;
  readonly tests: readonly { description: string; data: Json; valid: boolean }[];
}

/** A folder of the suite. */
type Draft = 'draft2020-12' | 'draft7';

const FILES = import.meta.glob('../../../../test/conformance/json-schema/draft*/**/*.json', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const REMOTES = import.meta.glob('../../../../test/conformance/json-schema/remotes/**/*.json', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Documents that the suite serves, where it says that they are. */
export const documents: ReadonlyMap<string, Json> = new Map(
  Object.entries(REMOTES).map(([path, text]) => [
    path.replace(/^.*\/remotes\//, 'http://localhost:1234/'),
    parseJson(text),
  ]),
);

/** Files of a draft: the required or the optional ones. */
export function filesOf(draft: Draft, isOptional = false): [file: string, groups: Group[]][] {
  return Object.entries(FILES)
    .filter(([path]) => path.includes(`/${draft}/`) && path.includes('/optional/') === isOptional)
    .map(([path, text]) => {
      const groups = parseJson(text) as unknown as Group[]; // The suite's own form.
      const file = path.replace(/^.*\//, '');
      return [file, groups.map((group) => ({ ...group, schema: named(group.schema, draft) }))];
    });
}

/** Schemas of the suite for draft 7 do not say that they are. */
function named(schema: Json, draft: Draft): Json {
  if (draft !== 'draft7' || !isJsonObject(schema) || '$schema' in schema) return schema;
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema };
}
