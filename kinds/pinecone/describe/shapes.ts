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
const Found = z
  .looseObject({ matches: z.array(Match).meta({ description: 'The nearest first' }), ...answered })
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
const Fetched = z
  .looseObject({
    vectors: z
      .record(z.string(), Stored)
      .meta({ description: 'Those that there are, by their ids' }),
    ...answered,
  })
  .meta({
    id: 'PineconeFetched',
    description: 'What `fetch` answers',
    examples: [
      {
        vectors: { 'product-7': { id: 'product-7', values: [0.1, 0.2, 0.3] } },
        namespace: '__default__',
      },
    ],
  });
const Listed = z
  .looseObject({
    vectors: z
      .array(
        z.looseObject({ id: z.string().meta({ description: 'An id', examples: ['product-7'] }) }),
      )
      .meta({ description: 'Ids in their order' }),
    pagination: z
      .looseObject({ next: z.string().meta({ description: 'For `pagination_token`' }) })
      .nullish()
      .meta({ description: 'There when there are more' }),
    ...answered,
  })
  .meta({
    id: 'PineconeListed',
    description: 'What `list` answers',
    examples: [{ vectors: [{ id: 'product-7' }], namespace: '__default__' }],
  });
const Stats = z
  .looseObject({
    namespaces: z
      .record(
        z.string(),
        z.looseObject({ vectorCount: count('Records of the namespace').optional() }),
      )
      .meta({ description: 'By their names', examples: [{ __default__: { vectorCount: 2 } }] }),
    dimension: count('Of dense vectors').optional(),
    indexFullness: z.number().optional().meta({ description: 'Of pods; 0 where there are none' }),
    totalVectorCount: count('Records of all namespaces').optional(),
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
const Upserted = z.looseObject({ upsertedCount: count('Records that were written') }).meta({
  id: 'PineconeUpserted',
  description: 'What `upsert` answers',
  examples: [{ upsertedCount: 2 }],
});
const Changed = z.looseObject({}).meta({
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
  result: z.union([Found, Upserted, Stats, Fetched, Listed, Changed]).meta({
    id: 'PineconeResult',
    description: "What a Pinecone endpoint answers, by the type of the request: the index's JSON",
  }),
};
