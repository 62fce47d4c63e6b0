/** Requests that are wrong, and what is told of each: where, and what would be right. */
import { expect } from 'vitest';

/** A vector of the index. */
export const values = [1, 1];
/** A record of it. */
export const record = { id: 'a', values };
/** One too many. */
export const many = Array.from({ length: 101 }, (_, at) => ({ id: String(at), values }));
const manyIds = many.flatMap(({ id }) => Array.from({ length: 10 }, (_, at) => `${id}-${at}`));
/** A request of that type. */
export const query = (body: unknown) => ({ type: 'query', body });
/** A request of that type. */
export const upsert = (body: unknown) => ({ type: 'upsert', body });
/** A request of that type. */
export const del = (body: unknown) => ({ type: 'delete', body });

/** With the one entry of `details`. */
export const REFUSED: readonly (readonly [body: object, path: string, problem: string])[] = [
  [{ type: 'query' }, 'body', 'is required: the parameters, as JSON text or an object'],
  [query('{"vector":'), 'body', 'is not JSON text'],
  [query('7'), 'body', 'must be an object, not a number'],
  [query([1]), 'body', 'must be an object, not an array'],
  [query({}), 'body.vector', 'is required'],
  [query('{"topK":3}'), 'body.vector', 'is required'],
  [query({ vector: [] }), 'body.vector', 'must be an array of numbers, at least one'],
  [query({ vector: [1, '2'] }), 'body.vector.1', 'must be a number'],
  [query({ vector: values, id: 'a' }), 'body.id', 'goes without vector and sparseVector'],
  [query({ vector: values, topK: 0 }), 'body.topK', 'must be at least 1'],
  [query({ vector: values, topK: 10_001 }), 'body.topK', 'must be at most 10000'],
  [query({ vector: values, filter: 'x' }), 'body.filter', 'must be an object'],
  [query({ vector: values, top_k: 3 }), 'body', '"top_k" is not known; did you mean "topK"?'],
  [query({ vector: values, namespace: 7 }), 'body.namespace', expect.any(String)],
  [
    { ...query({ vector: values }), topK: 3 },
    'body',
    '"topK" is not known; known are type, body, kind, timeout_ms',
  ],
  [upsert({}), 'body.vectors', expect.any(String)],
  [upsert({ vectors: [] }), 'body.vectors', 'must be 1 to 100 vectors'],
  [upsert({ vectors: many }), 'body.vectors', 'must be 1 to 100 vectors'],
  [upsert({ vectors: [{ values }] }), 'body.vectors.0.id', expect.any(String)],
  [upsert({ vectors: [{ id: '', values }] }), 'body.vectors.0.id', expect.any(String)],
  [upsert({ vectors: [{ id: 'a' }] }), 'body.vectors.0.values', 'is required'],
  [
    upsert({ vectors: [{ ...record, metadata: 7 }] }),
    'body.vectors.0.metadata',
    'must be an object',
  ],
  [
    upsert({ vectors: [{ id: 'a', sparseValues: { indices: [1], values } }] }),
    'body.vectors.0.sparseValues.values',
    'has as many values as indices',
  ],
  [
    upsert({ vectors: [record], dryRun: true }),
    'body',
    '"dryRun" is not known; known are vectors, namespace',
  ],
  [{ type: 'update', body: { values } }, 'body.id', expect.any(String)],
  [del({}), 'body.ids', 'is required unless filter or deleteAll is given'],
  [del({ deleteAll: false }), 'body.ids', 'is required unless filter or deleteAll is given'],
  [del({ ids: [] }), 'body.ids', 'must name at least one record'],
  [
    del({ ids: ['a'], deleteAll: true }),
    'body.ids',
    'one of ids, filter and deleteAll goes without the others',
  ],
  [
    del({ ids: ['a'], filter: { a: 1 } }),
    'body.ids',
    'one of ids, filter and deleteAll goes without the others',
  ],
  [del({ filter: {} }), 'body.filter', 'holds no condition; deleteAll deletes all'],
  [{ type: 'fetch', ids: ['a'] }, 'namespace', 'is text or null'],
  [{ type: 'fetch', namespace: null }, 'ids', expect.any(String)],
  [{ type: 'fetch', ids: 'a', namespace: null }, 'ids', expect.any(String)],
  [{ type: 'fetch', ids: manyIds, namespace: null }, 'ids', 'must name at most 1000 records'],
  [{ type: 'fetch', ids: ['\ud800'], namespace: null }, 'ids.0', 'is no Unicode text'],
  [
    { type: 'fetch', body: '{}', ids: ['a'], namespace: null },
    'body',
    '"body" is not known; known are type, ids, namespace, kind, timeout_ms',
  ],
  [{ type: 'list' }, 'namespace', 'is text or null'],
  [
    { type: 'list', namespace: null, limit: '0' },
    'limit',
    'must be a whole number from 1 to 100, or its text',
  ],
  [
    { type: 'list', namespace: null, limit: 101 },
    'limit',
    'must be a whole number from 1 to 100, or its text',
  ],
  [
    { type: 'list', namespace: null, limit: 'ten' },
    'limit',
    'must be a whole number from 1 to 100, or its text',
  ],
  [
    { type: 'describe_index_stats', filter: {} },
    'body',
    '"filter" is not known; known are type, kind, timeout_ms',
  ],
  [
    { type: 'search' },
    'type',
    '"search" is not known; known are query, fetch, list, describe_index_stats, upsert, update, delete',
  ],
  [{}, 'type', 'is required, such as query'],
];
