/** What clients of a Pinecone endpoint send and get, for the API's description. */
import * as z from 'zod';
import type { KindShapes } from '../../kind.ts';
import { JsonValue, patchOf } from '../../members.ts';
import { PineconeConfig } from '../config.ts';
import { NamedRequest } from '../request.ts';

const count = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [2] });

const Usage = z
  .looseObject({ readUnits: count('Read units that the request cost').optional() })
  .meta({
    id: 'PineconeUsage',
    description: 'What the request cost',
    examples: [{ readUnits: 1 }],
  });
const answered = {
  namespace: z.string().optional().meta({
    description: 'Where the records are; the default namespace is `__default__` or empty',
  }),
  usage: Usage.optional(),
};

const vector = {
  id: z.string().meta({ description: 'Its id' }),
  values: z
    .array(z.number())
    .optional()
    .meta({ description: 'Its vector', examples: [[0.1, 0.2, 0.3]] }),
  sparseValues: JsonValue.optional().meta({ description: 'Its sparse vector' }),
  metadata: z
    .record(z.string(), JsonValue)
    .optional()
    .meta({ description: 'Its values by their names', examples: [{ genre: 'drama' }] }),
};
const Match = z
  .looseObject({
    ...vector,
    score: z
      .number()
      .optional()
      .meta({
        description:
          "By the index's metric: cosine or dot product, where more is nearer, or the squared euclidean distance, where less is",
        examples: [0.98],
      }),
  })
  .meta({
    id: 'PineconeMatch',
    description: 'A record that was found',
    examples: [{ id: 'product-7', score: 0.98, metadata: { genre: 'drama' } }],
  });
const QueryReply = z
  .object({ matches: z.array(Match).meta({ description: 'The nearest first' }), ...answered })
  .meta({
    id: 'PineconeMatches',
    description: 'What `query` answers',
    examples: [
      {
        matches: [{ id: 'product-7', score: 0.98 }],
        namespace: '__default__',
        usage: { readUnits: 1 },
      },
    ],
  });
const Stored = z.looseObject(vector).meta({
  id: 'PineconeStoredRecord',
  description: 'A record',
  examples: [{ id: 'product-7', values: [0.1, 0.2, 0.3] }],
});
/** One schema: that of what is fetched and that of what is listed have the same members. */
const Vectors = z
  .object({
    vectors: z
      .union([
        z.record(z.string(), Stored).meta({
          description: 'Of `fetch`: the records that there are, by their ids',
        }),
        z
          .array(
            z.looseObject({
              id: z.string().meta({ description: 'An id', examples: ['product-7'] }),
            }),
          )
          .meta({ description: 'Of `list`: ids in their order' }),
      ])
      .meta({ description: 'By their ids, or a list of these' }),
    pagination: z
      .looseObject({ next: z.string().meta({ description: 'For `pagination_token`' }) })
      .nullish()
      .meta({ description: 'Of `list`, when there are more' }),
    ...answered,
  })
  .meta({
    id: 'PineconeVectors',
    description: 'What `fetch` and `list` answer',
    examples: [
      {
        vectors: { 'product-7': { id: 'product-7', values: [0.1, 0.2, 0.3] } },
        namespace: '__default__',
      },
      { vectors: [{ id: 'product-7' }], namespace: '__default__' },
    ],
  });
const Stats = z
  .object({
    namespaces: z
      .record(
        z.string(),
        z.looseObject({ vectorCount: count('Records of the namespace').optional() }),
      )
      .meta({ description: 'By their names', examples: [{ __default__: { vectorCount: 2 } }] }),
    dimension: count('Of dense vectors').optional(),
    indexFullness: z.number().optional().meta({ description: 'Of pods; 0 where there are none' }),
    totalVectorCount: count('Records of all namespaces').optional(),
    metric: z
      .string()
      .optional()
      .meta({ description: 'How vectors are compared', examples: ['cosine'] }),
    vectorType: z
      .string()
      .optional()
      .meta({ description: 'Of the index', examples: ['dense'] }),
  })
  .meta({
    id: 'PineconeStats',
    description: 'What `describe_index_stats` answers',
    examples: [
      {
        namespaces: { __default__: { vectorCount: 2 } },
        dimension: 3,
        indexFullness: 0,
        totalVectorCount: 2,
      },
    ],
  });
const Upserted = z.object({ upsertedCount: count('Records that were written') }).meta({
  id: 'PineconeUpserted',
  description: 'What `upsert` answers',
  examples: [{ upsertedCount: 2 }],
});
const ChangeReply = z
  .object({ matchedRecords: count('Records that a filter of `update` found').optional() })
  .meta({
    id: 'PineconeChanged',
    description: 'What `update` and `delete` answer',
    examples: [{}],
  });

/** Every form of a request, and of what it answers. Contract §6: Pinecone's own JSON. */
export const shapes: KindShapes = {
  configPatch: patchOf(PineconeConfig).meta({
    id: 'PineconeConfigPatch',
    description:
      'Changes of a configuration: a connection that is given replaces the whole one, and another host needs `api_key` again; null removes a member',
    examples: [{ api_key: 'pcsk_n3w-s3cr3t' }],
  }),
  body: z
    .union([
      NamedRequest,
      z.strictObject({ request: NamedRequest.meta({ description: 'The request itself' }) }).meta({
        id: 'PineconeWrappedRequest',
        description: 'A request in a member of its own',
        examples: [{ request: { type: 'describe_index_stats' } }],
      }),
    ])
    .meta({
      id: 'PineconeBody',
      description: 'A request to a Pinecone endpoint, in either of its forms',
    }),
  results: [QueryReply, Upserted, Stats, Vectors, ChangeReply],
};
