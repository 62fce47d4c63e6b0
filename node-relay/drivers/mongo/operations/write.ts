/** Requests that change documents of a collection. Source: backends.md §3.1. */
import { type Document, ObjectId } from 'mongodb';
import { collectionOf, documentIn, documentsIn, optionsIn, updateIn } from '../arguments.ts';
import { byPlace, countOf, membersText, memberText, repliedText } from '../result.ts';
import { type BsonDocument, memberOf, withFirst } from '../to-bson.ts';
import type { Handler } from './handler.ts';

/** A document with its `_id`, made here where it has none, so that it is known. */
export function withId(document: BsonDocument): { document: BsonDocument; id: unknown } {
  const id = memberOf(document, '_id');
  if (id !== undefined) return { document, id };
  const made = new ObjectId();
  return { document: withFirst(document, '_id', made), id: made };
}

/** Counts may come as BSON numbers. */
function updated(execution: Parameters<Handler>[0], result: Document): string {
  return membersText(
    {
      matched_count: countOf(result.matchedCount),
      modified_count: countOf(result.modifiedCount),
      upserted_id: result.upsertedId ?? null,
    },
    execution,
  );
}

/** Changes of one document that is answered. */
const changers = {
  find_one_and_delete: async (execution, request) => {
    const filter = documentIn(execution, request.filter, 'filter');
    const found = await collectionOf(execution, request).findOneAndDelete(
      filter,
      optionsIn(execution, request),
    );
    return repliedText('document', 'value', found, execution);
  },

  find_one_and_replace: async (execution, request) => {
    const filter = documentIn(execution, request.filter, 'filter');
    const replacement = documentIn(execution, request.replacement, 'replacement');
    const options = optionsIn(execution, request);
    const found = await collectionOf(execution, request).findOneAndReplace(
      filter,
      replacement,
      options,
    );
    return repliedText('document', 'value', found, execution);
  },

  find_one_and_update: async (execution, request) => {
    const filter = documentIn(execution, request.filter, 'filter');
    const update = updateIn(execution, request.update);
    const options = optionsIn(execution, request);
    const found = await collectionOf(execution, request).findOneAndUpdate(filter, update, options);
    return repliedText('document', 'value', found, execution);
  },
} satisfies Record<string, Handler>;

/** By their names. */
export const writers = {
  ...changers,

  insert_one: async (execution, request) => {
    const { document, id } = withId(documentIn(execution, request.document, 'document'));
    const options = { ...optionsIn(execution, request), forceServerObjectId: true };
    await collectionOf(execution, request).insertOne(document, options);
    return memberText('inserted_id', id, execution);
  },

  insert_many: async (execution, request) => {
    const all = documentsIn(execution, request.documents, 'documents').map(withId);
    const options = { ...optionsIn(execution, request), forceServerObjectId: true };
    await collectionOf(execution, request).insertMany(
      all.map(({ document }) => document),
      options,
    );
    return `{"inserted_ids":${byPlace(
      all.map(({ id }, place) => [place, id] as const),
      execution,
    )}}`;
  },

  update_one: async (execution, request) => {
    const filter = documentIn(execution, request.filter, 'filter');
    const update = updateIn(execution, request.update);
    const options = optionsIn(execution, request);
    return updated(
      execution,
      await collectionOf(execution, request).updateOne(filter, update, options),
    );
  },

  update_many: async (execution, request) => {
    const filter = documentIn(execution, request.filter, 'filter');
    const update = updateIn(execution, request.update);
    const options = optionsIn(execution, request);
    return updated(
      execution,
      await collectionOf(execution, request).updateMany(filter, update, options),
    );
  },

  replace_one: async (execution, request) => {
    const filter = documentIn(execution, request.filter, 'filter');
    const replacement = documentIn(execution, request.replacement, 'replacement');
    const options = optionsIn(execution, request);
    return updated(
      execution,
      await collectionOf(execution, request).replaceOne(filter, replacement, options),
    );
  },

  delete_one: async (execution, request) => {
    const filter = documentIn(execution, request.filter, 'filter');
    const result = await collectionOf(execution, request).deleteOne(
      filter,
      optionsIn(execution, request),
    );
    return membersText({ deleted_count: countOf(result.deletedCount) }, execution);
  },

  delete_many: async (execution, request) => {
    const filter = documentIn(execution, request.filter, 'filter');
    const result = await collectionOf(execution, request).deleteMany(
      filter,
      optionsIn(execution, request),
    );
    return membersText({ deleted_count: countOf(result.deletedCount) }, execution);
  },
} satisfies Record<string, Handler>;
