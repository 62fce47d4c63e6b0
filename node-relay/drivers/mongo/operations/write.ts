/** Requests that change documents of a collection. Source: backends.md §3.1. */
import { type Document, ObjectId } from 'mongodb';
import { collectionOf, documentIn, documentsIn, optionsIn, updateIn } from '../arguments.ts';
import { byPlace, membersText, memberText, repliedText } from '../result.ts';
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
function updated(scene: Parameters<Handler>[0], result: Document): string {
  return membersText(
    {
      matched_count: Number(result.matchedCount),
      modified_count: Number(result.modifiedCount),
      upserted_id: result.upsertedId ?? null,
    },
    scene,
  );
}

/** Changes of one document that is answered. */
const changers = {
  find_one_and_delete: async (scene, request) => {
    const filter = documentIn(scene, request.filter, 'filter');
    const found = await collectionOf(scene, request).findOneAndDelete(
      filter,
      optionsIn(scene, request),
    );
    return repliedText('document', 'value', found, scene);
  },

  find_one_and_replace: async (scene, request) => {
    const filter = documentIn(scene, request.filter, 'filter');
    const replacement = documentIn(scene, request.replacement, 'replacement');
    const options = optionsIn(scene, request);
    const found = await collectionOf(scene, request).findOneAndReplace(
      filter,
      replacement,
      options,
    );
    return repliedText('document', 'value', found, scene);
  },

  find_one_and_update: async (scene, request) => {
    const filter = documentIn(scene, request.filter, 'filter');
    const update = updateIn(scene, request.update);
    const options = optionsIn(scene, request);
    const found = await collectionOf(scene, request).findOneAndUpdate(filter, update, options);
    return repliedText('document', 'value', found, scene);
  },
} satisfies Record<string, Handler>;

/** By their names. */
export const writers = {
  ...changers,

  insert_one: async (scene, request) => {
    const { document, id } = withId(documentIn(scene, request.document, 'document'));
    const options = { ...optionsIn(scene, request), forceServerObjectId: true };
    await collectionOf(scene, request).insertOne(document, options);
    return memberText('inserted_id', id, scene);
  },

  insert_many: async (scene, request) => {
    const all = documentsIn(scene, request.documents, 'documents').map(withId);
    const options = { ...optionsIn(scene, request), forceServerObjectId: true };
    await collectionOf(scene, request).insertMany(
      all.map(({ document }) => document),
      options,
    );
    return `{"inserted_ids":${byPlace(
      all.map(({ id }, place) => [place, id] as const),
      scene,
    )}}`;
  },

  update_one: async (scene, request) => {
    const filter = documentIn(scene, request.filter, 'filter');
    const update = updateIn(scene, request.update);
    const options = optionsIn(scene, request);
    return updated(scene, await collectionOf(scene, request).updateOne(filter, update, options));
  },

  update_many: async (scene, request) => {
    const filter = documentIn(scene, request.filter, 'filter');
    const update = updateIn(scene, request.update);
    const options = optionsIn(scene, request);
    return updated(scene, await collectionOf(scene, request).updateMany(filter, update, options));
  },

  replace_one: async (scene, request) => {
    const filter = documentIn(scene, request.filter, 'filter');
    const replacement = documentIn(scene, request.replacement, 'replacement');
    const options = optionsIn(scene, request);
    return updated(
      scene,
      await collectionOf(scene, request).replaceOne(filter, replacement, options),
    );
  },

  delete_one: async (scene, request) => {
    const filter = documentIn(scene, request.filter, 'filter');
    const result = await collectionOf(scene, request).deleteOne(filter, optionsIn(scene, request));
    return membersText({ deleted_count: Number(result.deletedCount) }, scene);
  },

  delete_many: async (scene, request) => {
    const filter = documentIn(scene, request.filter, 'filter');
    const result = await collectionOf(scene, request).deleteMany(filter, optionsIn(scene, request));
    return membersText({ deleted_count: Number(result.deletedCount) }, scene);
  },
} satisfies Record<string, Handler>;
