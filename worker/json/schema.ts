/** Bodies and results of the JSON utilities, as on the wire. Spec: "JSON utilities". Contract §7. */
import * as z from 'zod';
import { JsonValue } from '../../kinds/members.ts';
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { PathText } from '../language/paths/schema.ts';
import { exactlyOne } from '../shapes/exactly-one.ts';
import { DOCUMENT, FLAT, MAPPED, MAPPING, PARSED, PATHS, REDUCED } from './examples.ts';
import { PATHS_MAX } from './limits.ts';

/** Names of one member: the value that an operation is about. Contract §7. */
const NAMES = ['json', 'value', 'input'] as const;
type UtilityName = (typeof NAMES)[number];

/** The member under each of its names; `main` is the specification's for that operation. */
function subject(main: UtilityName, description: string) {
  const member = (name: UtilityName) =>
    JsonValue.optional().meta(
      name === main
        ? { description, examples: [DOCUMENT] }
        : { description: `Another name of \`${main}\`: exactly one of them is given` },
    );
  return { json: member('json'), value: member('value'), input: member('input') };
}

const ONE_NAME = { override: exactlyOne(NAMES) };

type NamedMembers = { readonly [name in UtilityName]?: Json | undefined };
type Subject<Body extends NamedMembers> = Omit<Body, UtilityName> & { readonly json: Json };

/** Reads the body with that member as `json`, whichever its name was. */
function asJson<Body extends NamedMembers>(main: UtilityName) {
  return (body: Body, faults: z.core.ParsePayload): Subject<Body> => {
    const { json, value, input, ...rest } = body;
    const [first = main, second] = NAMES.filter((name) => body[name] !== undefined);
    const only = body[first];
    if (only !== undefined && second === undefined) return { ...rest, json: only };
    const message = second ? `is the same member as ${first}: give one of them` : 'is required';
    faults.issues.push({ code: 'custom', path: [second ?? main], message, input: body });
    return z.NEVER;
  };
}

const NOTATIONS =
  '`$.a[*].b` is JSONPath (RFC 9535), `/a/0/b` JSON Pointer, `a/0/b` the slash form, which has ranges of elements (`..`, `1..`, and `1..3`, which ends before 3), anything else dotted: `a[0].b`, where `\\` stands before `.`, `[`, `]` and `\\` of a name, and `\\0` is the empty name';

const Paths = z
  .array(PathText)
  .max(PATHS_MAX)
  .meta({
    description: `At most ${PATHS_MAX} paths, each of up to 4096 characters, in any notation: ${NOTATIONS}`,
    examples: [PATHS],
  });

/** Body of `/json/flatten`. */
export const FlattenBody = z
  .strictObject({
    ...subject('value', 'The value to flatten: any JSON'),
    prefix: z
      .string()
      .default('')
      .meta({
        description: 'What all paths begin with, joined by a dot; nothing when left out',
        examples: ['order'],
      }),
  })
  .meta(ONE_NAME)
  .transform(asJson('value'))
  .meta({ examples: [{ value: DOCUMENT }] });

/** What flattening answers, and unflattening takes. */
export const Flat = z.custom<JsonObject>(isJsonObject, 'is not an object').meta({
  description:
    'Leaves by their dotted paths: numbers, texts, booleans, null, and empty objects and arrays',
  override: { type: 'object', additionalProperties: true },
  examples: [FLAT],
});

/** What unflattening answers. */
export const Unflat = JsonValue.meta({
  description: 'The value whose leaves they are; gaps in arrays are null',
  examples: [DOCUMENT],
});

/** Body of `/json/parse`. */
export const ParseBody = z
  .strictObject({ ...subject('json', 'The document to search: any JSON'), paths: Paths })
  .meta(ONE_NAME)
  .transform(asJson('json'))
  .meta({ examples: [{ json: DOCUMENT, paths: PATHS }] });

/** What parsing answers. */
export const Parsed = z.record(z.string(), JsonValue).meta({
  description:
    'What was found, by path: a path that can find several has one entry for each, under its own path (of `$…` the normalized one); what is not there has none',
  examples: [PARSED],
});

/** Body of `/json/reduce`. */
export const ReduceBody = z
  .strictObject({ ...subject('json', 'The document to reduce: any JSON'), paths: Paths })
  .meta(ONE_NAME)
  .transform(asJson('json'))
  .meta({ examples: [{ json: DOCUMENT, paths: PATHS }] });

/** What reducing answers. */
export const Reduced = JsonValue.meta({
  description:
    'The document with only what the paths find, where it was; elements before one that is kept are null',
  examples: [REDUCED],
});

const Mappings = z
  .custom<{ [source: string]: string }>(isMappings, {
    error: `is not an object of at most ${PATHS_MAX} paths, each a text`,
  })
  .meta({
    description: `Paths in \`input\`, and for each the path in the output: it names one place. They are read in reverse, from the value to the name, when all names and not all values are paths of \`schema\`. At most ${PATHS_MAX}`,
    override: { type: 'object', additionalProperties: { type: 'string' } },
    examples: [MAPPING.mappings],
  });

function isMappings(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const targets = Object.values(value);
  return targets.length <= PATHS_MAX && targets.every((each) => typeof each === 'string');
}

/** Body of `/json/map`. */
export const MapBody = z
  .strictObject({
    ...subject('input', 'The value to map: any JSON'),
    schema: JsonValue.meta({
      description:
        'What the output must fit: a JSON Schema (draft 2020-12, or 7 by `$schema`) that refers to nothing outside itself, or a skeleton of type names such as `{"name": "string", "tags": ["string"]}`',
      examples: [MAPPING.schema],
    }),
    mappings: Mappings,
  })
  .meta(ONE_NAME)
  .transform(asJson('input'))
  .meta({ examples: [{ input: DOCUMENT, ...MAPPING }] });

/** What mapping answers. */
export const Mapped = JsonValue.meta({
  description: 'The output, which fits the schema',
  examples: [MAPPED],
});
