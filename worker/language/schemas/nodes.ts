/** What each keyword of a draft asks for, in the library's form. Keywords that assert nothing are left out. */
import { isJsonObject, type Json, numberText, type RawJson } from '../../../proto/json.ts';
import { namesOf } from '../../../proto/ordered-json.ts';
import type { KeywordNode, Site } from './build.ts';
import type { Dialect } from './dialect.ts';
import { exactText, type JsonNumber } from './exact.ts';
import { OF_LIBRARY } from './keyword.ts';
import { type AdditionalMembers, type ByPattern, OF_MEMBERS } from './members.ts';
import type { Pattern } from './pattern.ts';
import { ValidationBudget } from './validation-budget.ts';
import { VALUE, type ValueTest, valueTest } from './values.ts';

/** Makes what a keyword asks for; the form of its value was checked against the meta-schema. */
type MakeKeyword<Made> = (value: Json, site: Site) => readonly (Made | undefined)[];

type Makers<Made> = Readonly<Record<string, MakeKeyword<Made>>>;

/** Keywords that look at one value mean the same in both drafts. */
const VALUES: Makers<ValueTest> = {
  type: (value) => [valueTest('type', (Array.isArray(value) ? value : [value]) as string[])],
  minimum: (value) => [valueTest('minimum', value as JsonNumber)],
  maximum: (value) => [valueTest('maximum', value as JsonNumber)],
  exclusiveMinimum: (value) => [valueTest('exclusiveMinimum', value as JsonNumber)],
  exclusiveMaximum: (value) => [valueTest('exclusiveMaximum', value as JsonNumber)],
  multipleOf: (value) => [valueTest('multipleOf', value as JsonNumber)],
  minLength: (value) => [valueTest('minLength', numberOf(value))],
  maxLength: (value) => [valueTest('maxLength', numberOf(value))],
  minItems: (value) => [valueTest('minItems', numberOf(value))],
  maxItems: (value) => [valueTest('maxItems', numberOf(value))],
  minProperties: (value) => [valueTest('minProperties', numberOf(value))],
  maxProperties: (value) => [valueTest('maxProperties', numberOf(value))],
  uniqueItems: (value) => (value === true ? [valueTest('uniqueItems', value)] : []),
  const: (value) => [valueTest('const', { value, text: exactText(value, new ValidationBudget()) })],
  enum: (value) => {
    const work = new ValidationBudget();
    const values = listOf(value);
    const texts = new Set(values.map((each) => exactText(each, work)));
    const longest = [...texts].reduce((most, { length }) => Math.max(most, length), 0);
    return [valueTest('enum', { values, texts, longest })];
  },
  pattern: (value, site) => {
    const pattern = site.pattern(String(value), 'pattern');
    return [pattern && valueTest('pattern', pattern)];
  },
};

const BOTH: Makers<KeywordNode> = {
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
    for (const name of namesIn(value)) urls[name] = site.url('properties', name);
    return [site.node(OF_LIBRARY.properties, urls)];
  },
  patternProperties: (value, site) => [
    site.node(OF_MEMBERS.patternProperties, byPattern(namesIn(value), site)),
  ],
  additionalProperties: (_, site) => [site.node(OF_MEMBERS.additionalProperties, others(site))],
  propertyNames: oneOf('propertyNames'),
  required: (value, site) => [site.node(OF_LIBRARY.required, value)],
  contains: (_, site) => {
    const { minContains = 1, maxContains = Number.MAX_SAFE_INTEGER } = site.schema;
    const isCounted = site.draft === '2020-12';
    const asked = {
      contains: site.url('contains'),
      minContains: isCounted ? numberOf(minContains) : 1,
      maxContains: isCounted ? numberOf(maxContains) : Number.MAX_SAFE_INTEGER,
    };
    return [site.node(OF_LIBRARY.contains, asked)];
  },
};

const OTHERS: Readonly<Record<Dialect['draft'], Makers<KeywordNode>>> = {
  '2020-12': {
    ...BOTH,
    $dynamicRef: (value, site) => [site.dynamicReference(String(value))],
    prefixItems: eachOf('prefixItems'),
    items: (_, site) => {
      const { prefixItems = [] } = site.schema;
      return [site.node(OF_LIBRARY.items, [listOf(prefixItems).length, site.url('items')])];
    },
    dependentSchemas: (value, site) => [
      site.node(OF_LIBRARY.dependentSchemas, dependent('dependentSchemas', namesIn(value), site)),
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

/** Keywords of a schema; in draft 7, `$ref` hides what is next to it. */
export function nodesOf(site: Site, { draft, without }: Dialect): KeywordNode[] {
  const isReference = draft === '7' && '$ref' in site.schema;
  const keywords = (isReference ? ['$ref'] : Object.keys(site.schema)).filter(
    (keyword) => !without.has(keyword),
  );
  const tests = made(VALUES, keywords, site);
  const nodes = made(OTHERS[draft], keywords.sort(unevaluatedLast), site);
  return tests.length === 0 ? nodes : [site.node(VALUE, tests), ...nodes];
}

function made<Made>(makers: Makers<Made>, keywords: readonly string[], site: Site): Made[] {
  return keywords
    .filter((keyword) => Object.hasOwn(makers, keyword))
    .flatMap((keyword) => makers[keyword]?.(site.schema[keyword] ?? null, site) ?? [])
    .filter((each) => each !== undefined);
}

/** What asks for what other keywords did not look at comes after them. */
function unevaluatedLast(one: string, other: string): number {
  return Number(one.startsWith('unevaluated')) - Number(other.startsWith('unevaluated'));
}

function oneOf(keyword: 'not' | 'propertyNames' | `unevaluated${'Items' | 'Properties'}`) {
  return (_: Json, site: Site) => [site.node(OF_LIBRARY[keyword], site.url(keyword))];
}

function eachOf(keyword: 'allOf' | 'anyOf' | 'oneOf' | 'prefixItems') {
  return (value: Json, site: Site) => [
    site.node(OF_LIBRARY[keyword], urlsOf(keyword, listOf(value), site)),
  ];
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

function others(site: Site): AdditionalMembers {
  const { properties = {}, patternProperties = {} } = site.schema;
  return {
    names: new Set(namesIn(properties)),
    patterns: namesIn(patternProperties)
      .map((source) => site.pattern(source))
      .filter((pattern): pattern is Pattern => pattern !== undefined),
    url: site.url('additionalProperties'),
  };
}

function namesIn(value: Json): readonly string[] {
  return isJsonObject(value) ? namesOf(value) : [];
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A count, which may be as large as it likes. */
function numberOf(value: Json): number {
  return Number(numberText(value as number | RawJson)); // The meta-schema asks for a number.
}
