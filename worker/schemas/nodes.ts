/** What each keyword of a draft asks for, in the library's form. Keywords that assert nothing are left out. */
import { isJsonObject, type Json, numberText, type RawJson } from '../../proto/json.ts';
import type { KeywordNode, Site } from './build.ts';
import type { Dialect } from './dialect.ts';
import { textOf } from './exact.ts';
import { OF_LIBRARY } from './keyword.ts';
import { type ByPattern, OF_MEMBERS, type Others } from './members.ts';
import type { Pattern } from './pattern.ts';
import { type EqualTo, OF_VALUES, type OneOf } from './values.ts';
import { Work } from './work.ts';

/** Makes what a keyword asks for; the form of its value was checked against the meta-schema. */
type Make = (value: Json, site: Site) => readonly (KeywordNode | undefined)[];

type Makers = Readonly<Record<string, Make>>;

const BOTH: Makers = {
  $ref: (value, site) => [site.reference(String(value))],
  allOf: eachOf('allOf'),
  anyOf: eachOf('anyOf'),
  oneOf: eachOf('oneOf'),
  not: oneOf('not'),
  if: (_, site) => {
    const urls = [site.tried('if'), site.branch('then'), site.branch('else')];
    return [site.node(OF_LIBRARY.conditional, urls)];
  },
  properties: (value, site) => {
    // Without a prototype: the library asks with `in`.
    const urls: Record<string, string> = Object.create(null);
    for (const name of namesOf(value)) urls[name] = site.url('properties', name);
    return [site.node(OF_LIBRARY.properties, urls)];
  },
  patternProperties: (value, site) => [
    site.node(OF_MEMBERS.patternProperties, byPattern(namesOf(value), site)),
  ],
  additionalProperties: (_, site) => [site.node(OF_MEMBERS.additionalProperties, others(site))],
  propertyNames: oneOf('propertyNames'),
  required: (value, site) => [site.node(OF_LIBRARY.required, value)],
  minItems: count('minItems'),
  maxItems: count('maxItems'),
  minProperties: count('minProperties'),
  maxProperties: count('maxProperties'),
  minLength: length('minLength'),
  maxLength: length('maxLength'),
  minimum: bound('minimum'),
  maximum: bound('maximum'),
  exclusiveMinimum: bound('exclusiveMinimum'),
  exclusiveMaximum: bound('exclusiveMaximum'),
  multipleOf: bound('multipleOf'),
  type: (value, site) => [site.node(OF_VALUES.type, Array.isArray(value) ? value : [value])],
  const: (value, site) => {
    const asked: EqualTo = { value, text: textOf(value, new Work()) };
    return [site.node(OF_VALUES.const, asked)];
  },
  enum: (value, site) => {
    const work = new Work();
    const values = listOf(value);
    const asked: OneOf = { values, texts: new Set(values.map((each) => textOf(each, work))) };
    return [site.node(OF_VALUES.enum, asked)];
  },
  pattern: (value, site) => {
    const pattern = site.pattern(String(value), 'pattern');
    return [pattern && site.node(OF_VALUES.pattern, pattern)];
  },
  uniqueItems: (value, site) => (value === true ? [site.node(OF_VALUES.uniqueItems, value)] : []),
  contains: (_, site) => {
    const { minContains = 1, maxContains = Number.MAX_SAFE_INTEGER } = site.schema;
    const is2020 = site.draft === '2020-12';
    const asked = {
      contains: site.url('contains'),
      minContains: is2020 ? numberOf(minContains) : 1,
      maxContains: is2020 ? numberOf(maxContains) : Number.MAX_SAFE_INTEGER,
    };
    return [site.node(OF_LIBRARY.contains, asked)];
  },
};

const MAKERS: Readonly<Record<Dialect['draft'], Makers>> = {
  '2020-12': {
    ...BOTH,
    $dynamicRef: (value, site) => [site.dynamicReference(String(value))],
    prefixItems: eachOf('prefixItems'),
    items: (_, site) => [
      site.node(OF_LIBRARY.items, [
        listOf(site.schema.prefixItems ?? []).length,
        site.url('items'),
      ]),
    ],
    dependentSchemas: (value, site) => [
      site.node(OF_LIBRARY.dependentSchemas, dependent('dependentSchemas', namesOf(value), site)),
    ],
    dependentRequired: (value, site) => [
      site.node(OF_LIBRARY.dependentRequired, Object.entries(value ?? {})),
    ],
    unevaluatedItems: oneOf('unevaluatedItems'),
    unevaluatedProperties: oneOf('unevaluatedProperties'),
  },
  '7': {
    ...BOTH,
    items: (value, site) => [
      Array.isArray(value)
        ? site.node(OF_LIBRARY.prefixItems, urlsOf('items', value, site))
        : site.node(OF_LIBRARY.items, [0, site.url('items')]),
    ],
    additionalItems: (_, site) => {
      const { items } = site.schema;
      if (!Array.isArray(items)) return [];
      return [site.node(OF_LIBRARY.items, [items.length, site.url('additionalItems')])];
    },
    dependencies: (value, site) => {
      const entries = Object.entries(value ?? {});
      const names = entries.flatMap(([name, of]) => (Array.isArray(of) ? [] : [name]));
      const required = entries.filter(([, of]) => Array.isArray(of));
      return [
        site.node(OF_LIBRARY.dependentSchemas, dependent('dependencies', names, site)),
        site.node(OF_LIBRARY.dependentRequired, required),
      ];
    },
  },
};

/** Keywords of a schema; in draft 7, `$ref` hides what stands beside it. */
export function nodesOf(site: Site, { draft, without }: Dialect): KeywordNode[] {
  const makers = MAKERS[draft];
  const keywords = draft === '7' && '$ref' in site.schema ? ['$ref'] : Object.keys(site.schema);
  return keywords
    .filter((keyword) => Object.hasOwn(makers, keyword) && !without.has(keyword))
    .sort((one, other) => Number(isLast(one)) - Number(isLast(other)))
    .flatMap((keyword) => makers[keyword]?.(site.schema[keyword] ?? null, site) ?? [])
    .filter((node) => node !== undefined);
}

/** What asks for what other keywords did not look at comes after them. */
function isLast(keyword: string): boolean {
  return keyword.startsWith('unevaluated');
}

function oneOf(keyword: 'not' | 'propertyNames' | `unevaluated${'Items' | 'Properties'}`): Make {
  return (_, site) => [site.node(OF_LIBRARY[keyword], site.url(keyword))];
}

function eachOf(keyword: 'allOf' | 'anyOf' | 'oneOf' | 'prefixItems'): Make {
  return (value, site) => [site.node(OF_LIBRARY[keyword], urlsOf(keyword, listOf(value), site))];
}

function count(keyword: `${'min' | 'max'}${'Items' | 'Properties'}`): Make {
  return (value, site) => [site.node(OF_LIBRARY[keyword], numberOf(value))];
}

function length(keyword: 'minLength' | 'maxLength'): Make {
  return (value, site) => [site.node(OF_VALUES[keyword], numberOf(value))];
}

function bound(
  keyword: 'multipleOf' | `${'min' | 'max' | 'exclusiveMin' | 'exclusiveMax'}imum`,
): Make {
  return (value, site) => [site.node(OF_VALUES[keyword], value)];
}

function urlsOf(keyword: string, schemas: readonly Json[], site: Site): string[] {
  return schemas.map((_, index) => site.url(keyword, index));
}

function dependent(keyword: string, names: readonly string[], site: Site): [string, string][] {
  return names.map((name) => [name, site.url(keyword, name)]);
}

function byPattern(sources: readonly string[], site: Site): ByPattern {
  return sources.flatMap((source) => {
    const pattern = site.pattern(source, 'patternProperties', source);
    return pattern === undefined ? [] : [[pattern, site.url('patternProperties', source)] as const];
  });
}

function others(site: Site): Others {
  const { properties = {}, patternProperties = {} } = site.schema;
  return {
    names: new Set(namesOf(properties)),
    patterns: namesOf(patternProperties)
      .map((source) => site.pattern(source))
      .filter((pattern): pattern is Pattern => pattern !== undefined),
    url: site.url('additionalProperties'),
  };
}

function namesOf(value: Json): string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A count, which may be as large as it likes. */
function numberOf(value: Json): number {
  return Number(numberText(value as number | RawJson)); // The meta-schema asks for a number.
}
