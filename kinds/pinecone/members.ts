/** Members that several types of requests to Pinecone share. */
import * as z from 'zod';
import { isJsonObject, isRawJson, type JsonObject, type RawJson } from '../../proto/json.ts';

/** Most records of one upsert. Spec: "Limits". */
export const UPSERT_MAX = 100;
/** Most ids of one fetch or delete. Source: docs.pinecone.io, "Operation limits". */
const IDS_MAX = 1000;
/** Most matches of one query. Source: docs.pinecone.io, "Operation limits". */
export const TOP_K_MAX = 10_000;
/** Most ids of one page of a list. Source: docs.pinecone.io, "List record IDs". */
export const PAGE_MAX = 100;

/** Digits beyond a double's are kept as text, which goes to the index as it is. */
const Component = z
  .custom<number | RawJson>((value) => typeof value === 'number' || isRawJson(value), {
    error: 'must be a number',
  })
  .meta({ description: 'One component', override: { type: 'number' } });

/** A dense vector. */
export const Values = z
  .array(Component)
  .min(1, 'must be an array of numbers, at least one')
  .meta({ description: 'A dense vector, of the dimension of the index', examples: [[0.1, 0.2]] });

/** A sparse vector, in the form of the index's own interface. */
export const SparseValues = z
  .strictObject({
    indices: z
      .array(z.int().min(0).max(4_294_967_295))
      .min(1)
      .meta({ description: 'Places of the components that are not 0', examples: [[3, 17]] }),
    values: z
      .array(Component)
      .min(1)
      .meta({ description: 'Those components, in the same order', examples: [[0.5, 1.5]] }),
  })
  .refine(({ indices, values }) => indices.length === values.length, {
    message: 'has as many values as indices',
    path: ['values'],
  })
  .meta({
    id: 'PineconeSparseValues',
    description: 'A sparse vector; an addition to the specification that the index takes',
    examples: [{ indices: [3, 17], values: [0.5, 1.5] }],
  });

/** An object that goes to the index as it is, number by number. */
function passedOn(description: string, examples: JsonObject[]) {
  return z
    .custom<JsonObject>((value) => isJsonObject(value as JsonObject), {
      error: 'must be an object',
    })
    .meta({ description, examples, override: { type: 'object' } });
}

/** Values of a record by their names. */
export const Metadata = passedOn(
  'Texts, numbers, booleans and lists of texts by their names; numbers travel with all digits',
  [{ genre: 'drama', year: 2020 }],
);

/** A condition on metadata. */
export const Filter = passedOn(
  'A condition on metadata: `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$in`, `$nin`, `$exists`, `$and`, `$or`',
  [{ genre: { $eq: 'drama' }, year: { $gte: 2020 } }],
);

/** Text that UTF-8 can carry: half a surrogate pair names nothing. */
export const Text = z.string().refine((text) => text.isWellFormed(), 'is no Unicode text');

/** Name of a record. */
export const RecordId = Text.min(1).meta({
  description: 'Id of a record, any text',
  examples: ['product-7'],
});

/** Names of records. */
export const Ids = z
  .array(RecordId)
  .min(1, 'must name at least one record')
  .max(IDS_MAX, `must name at most ${IDS_MAX} records`)
  .meta({ description: 'Ids of records', examples: [['product-7', 'product-8']] });

/** Member `namespace` where it may be left out. */
export const Namespace = Text.nullish().meta({
  description: 'Left out, null or empty, it is the default namespace `__default__`',
  examples: ['catalogue'],
});

/** Member `namespace` where the specification requires it. */
export const NamedNamespace = z.union([Text, z.null()], { error: 'is text or null' }).meta({
  description: 'Null or empty, it is the default namespace `__default__`',
  examples: ['catalogue', null],
});
