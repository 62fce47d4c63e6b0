/** The drafts of JSON Schema that are known: where a schema holds others, and what it may leave out. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { namesOf } from '../../../proto/ordered-json.ts';
import type { Segments } from './place.ts';

/** A JSON object of a schema. */
export type SchemaObject = { readonly [keyword: string]: Json };

/** How a schema is read. */
export interface Dialect {
  readonly draft: '2020-12' | '7';
  /** Keywords of vocabularies that its meta-schema leaves out; they assert nothing. */
  readonly without: ReadonlySet<string>;
}

type Holding = 'schema' | 'list' | 'map';

/** What `$schema` says for each draft. */
export const DRAFTS: ReadonlyMap<string, Dialect> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', { draft: '2020-12', without: new Set() }],
  ['http://json-schema.org/draft-07/schema', { draft: '7', without: new Set() }],
] as const);

const VOCABULARIES: ReadonlyMap<string, string> = new Map([
  ['core', ''],
  [
    'applicator',
    'prefixItems items contains additionalProperties properties patternProperties dependentSchemas propertyNames if then else allOf anyOf oneOf not',
  ],
  ['unevaluated', 'unevaluatedItems unevaluatedProperties'],
  [
    'validation',
    'type const enum multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired',
  ],
  ['meta-data', ''],
  ['format-annotation', ''],
  ['content', ''],
]);
const VOCABULARY = 'https://json-schema.org/draft/2020-12/vocab/';

/** By keyword and draft, how it holds schemas. Where a draft allows several forms, all that are schemas count. */
const HOLDINGS: Readonly<Record<Dialect['draft'], ReadonlyMap<string, readonly Holding[]>>> = {
  '2020-12': holdings({
    schema:
      'additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties',
    list: 'allOf anyOf oneOf prefixItems',
    map: '$defs definitions dependentSchemas patternProperties properties',
  }),
  '7': holdings({
    schema: 'additionalItems additionalProperties contains else if items not propertyNames then',
    list: 'allOf anyOf oneOf items',
    map: 'definitions dependencies patternProperties properties',
  }),
};

function holdings(by: Record<Holding, string>): ReadonlyMap<string, readonly Holding[]> {
  const all = new Map<string, Holding[]>();
  for (const holding of ['schema', 'list', 'map'] as const) {
    for (const keyword of by[holding].split(' ')) {
      all.set(keyword, [...(all.get(keyword) ?? []), holding]);
    }
  }
  return all;
}

type Subschema = readonly [place: Segments, schema: Json];

const HELD: Readonly<Record<Holding, (keyword: string, value: Json) => readonly Subschema[]>> = {
  schema: (keyword, value) => (Array.isArray(value) ? [] : [[[keyword], value]]),
  list: (keyword, value) =>
    Array.isArray(value) ? value.map((item, index) => [[keyword, index], item]) : [],
  map: (keyword, value) => {
    if (!isJsonObject(value)) return [];
    // Of `dependencies` only those that are no lists of names.
    const held: Subschema[] = [];
    for (const name of namesOf(value)) {
      const of = value[name];
      if (of === undefined || (keyword === 'dependencies' && Array.isArray(of))) continue;
      held.push([[keyword, name], of]);
    }
    return held;
  },
};

/** The schemas that a schema holds, each with its place in it. What no draft knows holds none. */
export function schemasIn(schema: SchemaObject, { draft }: Dialect): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]) =>
    (HOLDINGS[draft].get(keyword) ?? []).flatMap((holding) => HELD[holding](keyword, value)),
  );
}

/** The dialect that a user's own meta-schema describes, or why it cannot be followed. */
export function dialectOf(metaSchema: Json): Dialect | string {
  const vocabularies = isJsonObject(metaSchema) ? metaSchema.$vocabulary : undefined;
  if (!isJsonObject(vocabularies)) return 'names a meta-schema without vocabularies';
  const unknown = Object.entries(vocabularies).find(
    ([uri, isRequired]) => isRequired === true && !VOCABULARIES.has(nameOf(uri)),
  );
  if (unknown !== undefined) return `needs the vocabulary ${unknown[0]}, which is not known`;
  const left = [...VOCABULARIES].filter(
    ([name]) => !Object.hasOwn(vocabularies, VOCABULARY + name),
  );
  return {
    draft: '2020-12',
    without: new Set(left.flatMap(([, keywords]) => keywords.split(' '))),
  };
}

function nameOf(uri: string): string {
  return uri.startsWith(VOCABULARY) ? uri.slice(VOCABULARY.length) : '';
}
