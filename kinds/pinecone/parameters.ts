/** Member `body` of the requests to Pinecone that have one. Spec: "Vector store requests". */
import * as z from 'zod';
import {
  Filter,
  Ids,
  Metadata,
  Namespace,
  RecordId,
  SparseValues,
  TOP_K_MAX,
  UPSERT_MAX,
  Values,
} from './members.ts';

/** What goes to the index as it was written. */
export const PASSED_PARAMETERS = [
  'filter',
  'setMetadata',
  'values',
  'vector',
  'vectors.metadata',
  'vectors.values',
];

/** What is looked for, and what the error says about it. */
export const QueryParameters = z
  .strictObject({
    vector: Values.optional().meta({ description: 'What is looked for; required without `id`' }),
    sparseVector: SparseValues.optional().meta({
      description: 'Beside `vector` for hybrid search, alone for a sparse index; an addition',
    }),
    id: RecordId.optional().meta({
      description: "In place of `vector`: that record's vector; an addition",
    }),
    topK: z
      .int()
      .min(1)
      .max(TOP_K_MAX)
      .default(10)
      .meta({ description: 'Most matches', examples: [3] }),
    filter: Filter.optional(),
    includeMetadata: z
      .boolean()
      .default(true)
      .meta({ description: 'Whether matches have their metadata' }),
    includeValues: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether matches have their vectors' }),
    namespace: Namespace,
  })
  .refine(({ vector, id, sparseVector }) => vector ?? id ?? sparseVector, {
    message: 'is required',
    path: ['vector'],
  })
  .refine(({ vector, id, sparseVector }) => id === undefined || !(vector ?? sparseVector), {
    message: 'goes without vector and sparseVector',
    path: ['id'],
  })
  .meta({
    id: 'PineconeQueryParameters',
    description: 'What is looked for, and what is told of it',
    examples: [{ vector: [0.1, 0.2, 0.3], topK: 3, filter: { genre: { $eq: 'drama' } } }],
  });

const VectorRecord = z
  .strictObject({
    id: RecordId,
    values: Values.optional().meta({
      description: 'Its vector; required without `sparseValues`',
    }),
    sparseValues: SparseValues.optional(),
    metadata: Metadata.optional(),
  })
  .refine(({ values, sparseValues }) => values ?? sparseValues, {
    message: 'is required',
    path: ['values'],
  })
  .meta({
    id: 'PineconeRecord',
    description: 'A record: its id, its vector and what else is known of it',
    examples: [{ id: 'product-7', values: [0.1, 0.2, 0.3], metadata: { genre: 'drama' } }],
  });

/** Records that are added, or replace those of the same ids. */
export const UpsertParameters = z
  .strictObject({
    vectors: z
      .array(VectorRecord)
      .min(1, `must be 1 to ${UPSERT_MAX} vectors`)
      .max(UPSERT_MAX, `must be 1 to ${UPSERT_MAX} vectors`)
      .meta({ description: `The records, 1 to ${UPSERT_MAX}` }),
    namespace: Namespace,
  })
  .meta({
    id: 'PineconeUpsertParameters',
    description: 'Records that are added, or replace those of the same ids',
    examples: [{ vectors: [{ id: 'product-7', values: [0.1, 0.2, 0.3] }] }],
  });

/** What changes of one record. */
export const UpdateParameters = z
  .strictObject({
    id: RecordId,
    values: Values.optional().meta({ description: 'Its new vector' }),
    sparseValues: SparseValues.optional(),
    setMetadata: Metadata.optional().meta({
      description: 'Values that are set; others stay as they are',
    }),
    namespace: Namespace,
  })
  .meta({
    id: 'PineconeUpdateParameters',
    description: 'What changes of one record',
    examples: [{ id: 'product-7', setMetadata: { genre: 'comedy' } }],
  });

/** Which records go: those of `ids`, those of a `filter`, or all. */
export const DeleteParameters = z
  .strictObject({
    ids: Ids.optional().meta({ description: 'Those of these ids' }),
    deleteAll: z
      .boolean()
      .default(false)
      .meta({ description: 'All of the namespace, and the namespace with them' }),
    filter: Filter.optional().meta({ description: 'Those whose metadata is so' }),
    namespace: Namespace,
  })
  .refine(({ ids, deleteAll, filter }) => ids !== undefined || deleteAll || filter !== undefined, {
    message: 'is required unless filter or deleteAll is given',
    path: ['ids'],
  })
  .refine(
    ({ ids, deleteAll, filter }) =>
      [ids !== undefined, deleteAll, filter !== undefined].filter(Boolean).length < 2,
    { message: 'one of ids, filter and deleteAll goes without the others', path: ['ids'] },
  )
  .refine(({ filter }) => filter === undefined || Object.keys(filter).length > 0, {
    message: 'holds no condition; deleteAll deletes all',
    path: ['filter'],
  })
  .meta({
    id: 'PineconeDeleteParameters',
    description: 'Which records are deleted',
    examples: [{ ids: ['product-7'] }],
  });
