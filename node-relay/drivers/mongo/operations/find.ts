/** Requests that read documents of a collection. Source: backends.md §3.1. */
import type { AbstractCursor } from 'mongodb';
import { collectionOf, databaseOf, documentIn, documentsIn, optionsIn } from '../arguments.ts';
import { countOf, membersText, readText, repliedText } from '../result.ts';
import type { Handler } from './handler.ts';

/** Documents come as bytes: none of them is lost on the way to text. */
const RAW = { raw: true };

/** By their names. */
export const readers = {
  find: async (execution, request) =>
    collectionOf(execution, request).find(documentIn(execution, request.filter, 'filter'), {
      ...optionsIn(execution, request),
      ...RAW,
    }),

  find_one: async (execution, request) => {
    const options = { ...optionsIn(execution, request), ...RAW, limit: -1, batchSize: 1 };
    const filter = documentIn(execution, request.filter, 'filter');
    const cursor: AbstractCursor<unknown> = collectionOf(execution, request).find(filter, options);
    try {
      const document = await cursor.next();
      return `{"document":${document === null ? 'null' : await readText(document, execution)}}`;
    } finally {
      await cursor.close();
    }
  },

  aggregate: async (execution, request) =>
    collectionOf(execution, request).aggregate(
      documentsIn(execution, request.pipeline, 'pipeline'),
      {
        ...optionsIn(execution, request),
        ...RAW,
      },
    ),

  'database.aggregate': async (execution, request) =>
    databaseOf(execution, request).aggregate(documentsIn(execution, request.pipeline, 'pipeline'), {
      ...optionsIn(execution, request),
      ...RAW,
    }),

  count_documents: async (execution, request) => {
    const filter = documentIn(execution, request.filter, 'filter');
    const value = await collectionOf(execution, request).countDocuments(filter, {
      ...optionsIn(execution, request),
      promoteValues: true,
    });
    return membersText({ value: countOf(value) }, execution);
  },

  estimated_document_count: async (execution, request) => {
    const value = await collectionOf(execution, request).estimatedDocumentCount({
      ...optionsIn(execution, request),
      promoteValues: true,
    });
    return membersText({ value: countOf(value) }, execution);
  },

  distinct: async (execution, request) => {
    const value: unknown = await collectionOf(execution, request).distinct(
      request.field ?? '',
      documentIn(execution, request.filter, 'filter'),
      optionsIn(execution, request),
    );
    return repliedText('value', 'values', value, execution);
  },
} satisfies Record<string, Handler>;
