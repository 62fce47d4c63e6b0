/** Requests that read documents of a collection. Source: backends.md §3.1. */
import type { AbstractCursor } from 'mongodb';
import { collectionOf, databaseOf, documentIn, documentsIn, optionsIn } from '../arguments.ts';
import { membersText, readText, repliedText } from '../result.ts';
import type { Handler } from './handler.ts';

/** Documents come as bytes: nothing of them is lost on the way to text. */
const RAW = { raw: true };

/** By their names. */
export const readers = {
  find: async (scene, request) =>
    collectionOf(scene, request).find(documentIn(scene, request.filter, 'filter'), {
      ...optionsIn(scene, request),
      ...RAW,
    }),

  find_one: async (scene, request) => {
    const options = { ...optionsIn(scene, request), ...RAW, limit: -1, batchSize: 1 };
    const filter = documentIn(scene, request.filter, 'filter');
    const cursor: AbstractCursor<unknown> = collectionOf(scene, request).find(filter, options);
    try {
      const document = await cursor.next();
      return `{"document":${document === null ? 'null' : readText(document, scene)}}`;
    } finally {
      await cursor.close();
    }
  },

  aggregate: async (scene, request) =>
    collectionOf(scene, request).aggregate(documentsIn(scene, request.pipeline, 'pipeline'), {
      ...optionsIn(scene, request),
      ...RAW,
    }),

  'database.aggregate': async (scene, request) =>
    databaseOf(scene, request).aggregate(documentsIn(scene, request.pipeline, 'pipeline'), {
      ...optionsIn(scene, request),
      ...RAW,
    }),

  count_documents: async (scene, request) => {
    const filter = documentIn(scene, request.filter, 'filter');
    const value = await collectionOf(scene, request).countDocuments(filter, {
      ...optionsIn(scene, request),
      promoteValues: true,
    });
    return membersText({ value: Number(value) }, scene);
  },

  estimated_document_count: async (scene, request) => {
    const value = await collectionOf(scene, request).estimatedDocumentCount({
      ...optionsIn(scene, request),
      promoteValues: true,
    });
    return membersText({ value: Number(value) }, scene);
  },

  distinct: async (scene, request) => {
    const value: unknown = await collectionOf(scene, request).distinct(
      request.field ?? '',
      documentIn(scene, request.filter, 'filter'),
      optionsIn(scene, request),
    );
    return repliedText('value', 'values', value, scene);
  },
} satisfies Record<string, Handler>;
