/** Results of a mongo endpoint in the shapes of the unified test format. */
import { expect } from 'vitest';
import type { Reply } from '../organization.ts';
import type { ExpectedError } from './files.ts';

type Data = Readonly<Record<string, unknown>>;

const counted = ({ matched_count, modified_count, upserted_id }: Data) => ({
  matchedCount: matched_count,
  modifiedCount: modified_count,
  upsertedCount: upserted_id === null ? 0 : 1,
  ...(upserted_id === null ? {} : { upsertedId: upserted_id }),
});
const bulk = (data: Data) => ({
  insertedCount: data.inserted_count,
  matchedCount: data.matched_count,
  modifiedCount: data.modified_count,
  deletedCount: data.deleted_count,
  upsertedCount: data.upserted_count,
});
const each = (results: unknown, shape: (data: Data) => unknown) =>
  results === undefined
    ? undefined
    : Object.fromEntries(
        Object.entries(results as Readonly<Record<string, Data>>).map(([place, data]) => [
          place,
          shape(data),
        ]),
      );
const deleted = ({ deleted_count }: Data) => ({ deletedCount: deleted_count });
const inserted = ({ inserted_id }: Data) => ({ insertedId: inserted_id });
const documents = ({ documents }: Data) => documents;
const document = ({ document }: Data) => document;
const value = ({ value }: Data) => value;

/** By the names of operations. */
const SHAPES: Readonly<Record<string, (data: Data) => unknown>> = {
  aggregate: documents,
  bulkWrite: (data) => ({
    ...bulk(data),
    insertedIds: data.inserted_ids,
    upsertedIds: data.upserted_ids,
  }),
  clientBulkWrite: (data) => ({
    ...bulk(data),
    insertResults: each(data.insert_results, inserted),
    updateResults: each(data.update_results, (one) => {
      const { upsertedCount: _, ...rest } = counted(one);
      return rest;
    }),
    deleteResults: each(data.delete_results, deleted),
  }),
  count: value,
  countDocuments: value,
  createIndex: value,
  deleteMany: deleted,
  deleteOne: deleted,
  distinct: value,
  estimatedDocumentCount: value,
  find: documents,
  findOne: document,
  findOneAndDelete: document,
  findOneAndReplace: document,
  findOneAndUpdate: document,
  insertMany: ({ inserted_ids }) => ({ insertedIds: inserted_ids }),
  insertOne: inserted,
  replaceOne: counted,
  updateMany: counted,
  updateOne: counted,
};

/** What a reply says, in the format's own shape. */
export function resultOf(operation: string, reply: Reply): unknown {
  const { data } = reply.body as { data: Data }; // The checking layer has compared it with its schema.
  return SHAPES[operation]?.(data);
}

interface Failure {
  readonly code?: string;
  readonly details?: readonly { readonly code?: string; readonly message?: string }[];
}

/** Compares a refusal; what a server's error holds besides code and message does not reach clients. */
export function expectFailure(reply: Reply, expected: ExpectedError): void {
  expect(reply.status, JSON.stringify(reply.body)).toBeGreaterThanOrEqual(400);
  const failure = reply.body as Failure; // As above.
  const { code = '', message = '' } = failure.details?.[0] ?? {};
  const isServers = /^\d+$/.test(code);
  if (expected.isClientError !== undefined) expect(isServers).toBe(!expected.isClientError);
  if (expected.errorContains !== undefined) {
    expect(message.toLowerCase()).toContain(expected.errorContains.toLowerCase());
  }
  const [first] = Object.values(expected.writeErrors ?? {});
  const codes = [
    expected.errorCode,
    expected.errorResponse?.code,
    first?.code,
    expected.writeConcernErrors?.[0]?.code,
  ];
  for (const each of codes) if (each !== undefined) expect(code).toBe(String(each));
}
