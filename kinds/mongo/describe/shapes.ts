/** What clients of a MongoDB endpoint send and get, for the API's description. */
import * as z from 'zod';
import type { JsonObject } from '../../../proto/json.ts';
import type { KindShapes } from '../../kind.ts';
import { JsonValue, patchOf } from '../../members.ts';
import { Value } from '../../results.ts';
import { MongoConfig } from '../config.ts';
import type { OperationName } from '../operations.ts';
import { NamedOperation, NamedRequest, SCHEMAS } from '../request.ts';
import { EXAMPLES } from './examples.ts';

for (const [name, schema] of Object.entries(SCHEMAS)) {
  const examples = [EXAMPLES[name as OperationName]]; // By the keys of OPERATIONS, both of them.
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), examples });
}

const Document = z.record(z.string(), JsonValue).meta({
  id: 'MongoDocument',
  description:
    'A document in Extended JSON: relaxed, or canonical with `?ejson=canonical`; members in their order',
  examples: [{ _id: 7, name: 'Hana Almeida', since: { $date: '2026-01-05T09:30:00Z' } }],
});

const count = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [1] });
const ids = z
  .record(z.string(), JsonValue)
  .meta({ description: 'By their place among those sent, from 0', examples: [{ '0': 7 }] });

const Documents = z
  .object({ documents: z.array(Document).meta({ description: 'In the order of the server' }) })
  .meta({
    id: 'MongoDocuments',
    description: 'Documents',
    examples: [{ documents: [{ _id: 7 }] }],
  });
const OneDocument = z
  .object({
    document: z
      .union([Document, z.null()])
      .meta({ description: 'The document; null when there is none' }),
  })
  .meta({
    id: 'MongoOneDocument',
    description: 'A document or none',
    examples: [{ document: { _id: 7 } }],
  });
const Inserted = z
  .object({ inserted_id: JsonValue.meta({ description: 'The `_id` of the document' }) })
  .meta({
    id: 'MongoInserted',
    description: 'What `insert_one` answers',
    examples: [{ inserted_id: 7 }],
  });
const InsertedMany = z.object({ inserted_ids: ids }).meta({
  id: 'MongoInsertedMany',
  description: 'What `insert_many` answers',
  examples: [{ inserted_ids: { '0': 7, '1': 8 } }],
});
const Updated = z
  .object({
    matched_count: count('Documents that the filter found'),
    modified_count: count('Documents that are other than before'),
    upserted_id: JsonValue.meta({
      description: 'The `_id` of what was added; null when nothing was',
    }),
  })
  .meta({
    id: 'MongoUpdated',
    description: 'What updates and replacements answer',
    examples: [{ matched_count: 1, modified_count: 1, upserted_id: null }],
  });
const Deleted = z.object({ deleted_count: count('Documents that are gone') }).meta({
  id: 'MongoDeleted',
  description: 'What deletions answer',
  examples: [{ deleted_count: 1 }],
});
const Bulk = z
  .object({
    inserted_count: count('Documents added'),
    matched_count: count('Documents that filters of updates found'),
    modified_count: count('Documents that are other than before'),
    deleted_count: count('Documents that are gone'),
    upserted_count: count('Documents added by updates'),
    inserted_ids: ids,
    upserted_ids: ids,
  })
  .meta({
    id: 'MongoBulk',
    description: 'What `bulk_write` answers',
    examples: [
      {
        inserted_count: 1,
        matched_count: 1,
        modified_count: 1,
        deleted_count: 0,
        upserted_count: 0,
        inserted_ids: { '0': 8 },
        upserted_ids: {},
      },
    ],
  });

const ClientBulk = z
  .object({
    inserted_count: count('Documents added'),
    matched_count: count('Documents that filters of updates found'),
    modified_count: count('Documents that are other than before'),
    deleted_count: count('Documents that are gone'),
    upserted_count: count('Documents added by updates'),
    insert_results: byPlace(Inserted, { inserted_id: 7 }),
    update_results: byPlace(Updated, { matched_count: 1, modified_count: 1, upserted_id: null }),
    delete_results: byPlace(Deleted, { deleted_count: 1 }),
  })
  .meta({
    id: 'MongoClientBulk',
    description: 'What `client.bulk_write` answers',
    examples: [
      {
        inserted_count: 1,
        matched_count: 0,
        modified_count: 0,
        deleted_count: 1,
        upserted_count: 0,
      },
    ],
  });

function byPlace(each: z.ZodType, example: JsonObject) {
  return z
    .record(z.string(), each)
    .optional()
    .meta({
      description: 'By their place among the writes, from 0, where `verboseResults` is asked for',
      examples: [{ '0': example }],
    });
}

/** The longer form of a request. Contract §6: `{request: {…}}`. */
function wrapped(id: string, request: z.ZodType) {
  return z.strictObject({ request: request.meta({ description: 'The request itself' }) }).meta({
    id,
    description: 'A request in a member of its own',
    examples: [{ request: { type: 'find', database: 'shop', collection: 'customers' } }],
  });
}

const results = [
  Bulk,
  ClientBulk,
  Updated,
  Documents,
  OneDocument,
  Inserted,
  InsertedMany,
  Deleted,
  Value,
];

/** Every form of a request, and of what it answers. Contract §6. */
export const shapes: KindShapes = {
  configPatch: patchOf(MongoConfig).meta({
    id: 'MongoConfigPatch',
    description:
      'Changes of a configuration: a connection that is given replaces the whole one, null removes a member',
    examples: [{ write_conn: { url: 'mongodb://shop:n3w-s3cr3t@db.example.com:27017/shop' } }],
  }),
  body: z.union([NamedRequest, wrapped('MongoWrappedRequest', NamedRequest)]).meta({
    id: 'MongoBody',
    description: 'A request to a MongoDB endpoint, in either of its forms',
  }),
  results,
  line: Document,
  operation: z.union([NamedOperation, wrapped('MongoWrappedOperation', NamedOperation)]).meta({
    id: 'MongoTransactionOperation',
    description: 'One request of a transaction, in either form',
  }),
  outcomes: results,
};
