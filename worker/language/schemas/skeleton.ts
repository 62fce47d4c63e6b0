/** Skeletons: the shape of a value by names of types, instead of a schema. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { whole } from '../../../proto/work/pieces.ts';
import { requireShallow } from './depth.ts';
import type { SchemaObject } from './dialect.ts';
import { Faults } from './faults.ts';
import { faultsOfSchema, KEYWORDS, META_SCHEMAS } from './meta.ts';
import type { Segments } from './place.ts';
import { Resources } from './resource.ts';

/** Names of types, in any letter case. */
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'any'];

/** Keywords that ask nothing about a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'default',
  'deprecated',
  'description',
  'examples',
  'format',
  'readOnly',
  'title',
  'writeOnly',
]);

/**
 * The JSON Schema of a skeleton: `{name: "string", tags: ["number"], address: {city: "string"}}`.
 * Members may be left out (backends.md §7), others are allowed, a list has one element, `any` is anything.
 *
 * Spec silent on what is a schema and what a skeleton. `true`, `false` and `{}` are schemas; a text
 * and a list are skeletons. An object is a skeleton when none of its members is a keyword that
 * asks something of a value, or when it is made of types, lists and objects of them throughout
 * and is no schema: a member is no keyword of any draft, or no schema may have it so. All else is a
 * schema and comes back as it is, and what is inside a skeleton is one.
 * @param at where it is in the request
 * @throws GatewayError BAD_REQUEST with the path of all that is no type
 */
export function schemaOf(schemaOrSkeleton: Json, at = 'schema'): Json {
  whole(requireShallow(schemaOrSkeleton, at));
  if (!isSkeleton(schemaOrSkeleton)) return schemaOrSkeleton;
  const faults = new Faults(at);
  const schema = written(schemaOrSkeleton, [], faults);
  faults.throwIfAny();
  return schema;
}

function isSkeleton(value: Json): boolean {
  if (!isJsonObject(value)) return typeof value !== 'boolean';
  const names = Object.keys(value);
  const asks = names.some((name) => KEYWORDS.has(name) && !ANNOTATIONS.has(name));
  if (!asks) return names.length > 0;
  if (!isOfTypes(value)) return false;
  return names.some((name) => !KEYWORDS.has(name)) || !isSchema(value);
}

function isOfTypes(value: Json): boolean {
  if (typeof value === 'string') return TYPES.includes(value.toLowerCase());
  if (Array.isArray(value)) return value.length <= 1 && value.every(isOfTypes);
  return isJsonObject(value) && Object.values(value).every(isOfTypes);
}

function isSchema(value: SchemaObject): boolean {
  try {
    const faults = new Faults('');
    const reading = { documents: META_SCHEMAS, faults, check: faultsOfSchema };
    return whole(Resources.read(value as Json, reading)).locations.length > 0;
  } catch (refusal) {
    if (refusal instanceof GatewayError) return false;
    throw refusal;
  }
}

function written(skeleton: Json, place: Segments, faults: Faults): Json {
  if (typeof skeleton === 'string' && isOfTypes(skeleton)) {
    const type = skeleton.toLowerCase();
    return type === 'any' ? true : { type };
  }
  if (Array.isArray(skeleton) && skeleton.length <= 1) {
    const items = skeleton.map((item) => written(item, [...place, 0], faults));
    return { type: 'array', ...(items[0] === undefined ? {} : { items: items[0] }) };
  }
  if (isJsonObject(skeleton)) {
    const members = Object.entries(skeleton).map(
      ([name, of]) => [name, written(of, [...place, name], faults)] as const,
    );
    return { type: 'object', properties: Object.fromEntries(members) };
  }
  faults.add(place, Array.isArray(skeleton) ? 'has more than one element' : NO_TYPE);
  return true;
}

const NO_TYPE = `is no type: ${TYPES.join(', ')}; or a list with one of them, or an object of them`;
