/** Requests to an empty index of three dimensions by the cosine, one after another, and what each answers. */

const usage = { readUnits: 1 };
/** A name that would end a query string, a path or a JSON text, were it not escaped. */
const ODD = 'c&ids=a#?/../"}é %26';

/** Where a request goes, what it is, and member `data` of its reply. */
type Step = readonly [name: string, path: 'read' | 'write', body: unknown, data: unknown];

const A = {
  id: 'a',
  values: [1, 0, 0],
  metadata: { genre: 'drama', year: 2020, tags: ['x', 'y'] },
};
const B = { id: 'b', values: [0.6, 0.8, 0], metadata: { genre: 'comedy', year: 2019 } };
const C = { id: ODD, values: [0, 0, 1] };
const found = (record: { id: string; metadata?: object }, score: number) => ({
  id: record.id,
  score,
  values: [],
  ...(record.metadata ? { metadata: record.metadata } : {}),
});
const matches = (...all: object[]) => ({ matches: all, namespace: '__default__', usage });

/** All seven types of requests, each in its forms. */
export const STEPS: readonly Step[] = [
  [
    'upsert takes its parameters as an object',
    'write',
    { type: 'upsert', body: { vectors: [A, B, C] } },
    { upsertedCount: 3 },
  ],
  [
    'upsert takes its parameters as JSON text',
    'write',
    { type: 'upsert', body: JSON.stringify({ vectors: [A], namespace: 'films' }) },
    { upsertedCount: 1 },
  ],
  [
    'query has defaults',
    'read',
    { type: 'query', body: { vector: [1, 0, 0] } },
    matches(found(A, 1), found(B, 0.6), found(C, 0)),
  ],
  [
    'query tells what is asked for',
    'read',
    {
      type: 'query',
      body: { vector: [1, 0, 0], topK: 1, includeValues: true, includeMetadata: false },
    },
    matches({ id: 'a', score: 1, values: [1, 0, 0] }),
  ],
  [
    'query filters, as JSON text',
    'read',
    {
      type: 'query',
      body: '{"vector":[1,0,0],"filter":{"$or":[{"tags":"z"},{"year":{"$lt":2020}}]},"namespace":null}',
    },
    matches(found(B, 0.6)),
  ],
  [
    'query goes to its namespace',
    'read',
    { type: 'query', body: { vector: [1, 0, 0], namespace: 'films' } },
    { matches: [found(A, 1)], namespace: 'films', usage },
  ],
  [
    'query finds by a record',
    'read',
    { type: 'query', body: { id: ODD, topK: 1, namespace: '' } },
    matches(found(C, 1)),
  ],
  [
    'fetch takes any text as an id',
    'read',
    { type: 'fetch', ids: [ODD, 'a&ids=b', 'b'], namespace: null },
    { vectors: { [ODD]: C, b: B }, namespace: '__default__', usage },
  ],
  [
    'fetch goes to its namespace, on /write as well',
    'write',
    { request: { kind: 'pinecone', type: 'FETCH', ids: ['a', 'b'], namespace: 'films' } },
    { vectors: { a: A }, namespace: 'films', usage },
  ],
  [
    'list pages, its limit as a text',
    'read',
    { type: 'list', namespace: null, limit: '2', pagination_token: null },
    {
      vectors: [{ id: 'a' }, { id: 'b' }],
      pagination: { next: Buffer.from('{"after":"b"}').toString('base64') },
      namespace: '__default__',
      usage,
    },
  ],
  [
    'list goes on, its limit as a number',
    'read',
    {
      type: 'list',
      namespace: null,
      limit: 2,
      pagination_token: Buffer.from('{"after":"b"}').toString('base64'),
    },
    { vectors: [{ id: ODD }], namespace: '__default__', usage },
  ],
  [
    'list takes a prefix',
    'read',
    { type: 'list', prefix: 'c&ids=a#', namespace: '' },
    { vectors: [{ id: ODD }], namespace: '__default__', usage },
  ],
  [
    'update sets metadata beside what is there',
    'write',
    { type: 'update', body: { id: 'b', setMetadata: { seen: true } } },
    {},
  ],
  [
    'update sets values',
    'write',
    { type: 'update', body: '{"id":"b","values":[0,1,0],"namespace":null}' },
    {},
  ],
  [
    'what was updated is there',
    'read',
    { type: 'fetch', ids: ['b'], namespace: null },
    {
      vectors: { b: { ...B, values: [0, 1, 0], metadata: { ...B.metadata, seen: true } } },
      namespace: '__default__',
      usage,
    },
  ],
  ['delete takes ids', 'write', { type: 'delete', body: { ids: [ODD] } }, {}],
  [
    'delete takes a filter',
    'write',
    { type: 'delete', body: { filter: { seen: true }, deleteAll: false } },
    {},
  ],
  [
    'describe_index_stats counts',
    'read',
    { type: 'describe_index_stats' },
    {
      namespaces: { __default__: { vectorCount: 1 }, films: { vectorCount: 1 } },
      dimension: 3,
      indexFullness: 0,
      totalVectorCount: 2,
      metric: 'cosine',
      vectorType: 'dense',
    },
  ],
  [
    'delete takes a whole namespace',
    'write',
    { type: 'delete', body: { deleteAll: true, namespace: 'films' } },
    {},
  ],
];
