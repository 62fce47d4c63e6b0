/** Pinecone end to end, by the edge itself and through a relay: the same requests, the same replies. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import {
  newOrganization,
  type Organization,
  type Reply,
  refusal,
  success,
} from './organization.ts';
import { type PineconeStandIn, startPinecone } from './stand-ins/pinecone/index.ts';

const RESULT_MAX_BYTES = 65_536;
const usage = { readUnits: 1 };
/** A name that would end a query string, a path or a JSON text, were it not escaped. */
const ODD = 'c&ids=a#?/../"}é %26';

let gateway: OwnGateway;
let organization: Organization;
beforeAll(async () => {
  gateway = await startGateway({
    env: { HTTP_ALLOW_PRIVATE: 'true', RESULT_MAX_BYTES: String(RESULT_MAX_BYTES) },
  });
  organization = await newOrganization(gateway);
});
afterAll(() => gateway?.stop());

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

const STEPS: readonly Step[] = [
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

const lost = 'The connection was lost after the request was sent: it may have taken effect';
const told = (code: string, message: string) => [{ source: 'pinecone', code, message }];
const READ = { type: 'describe_index_stats' };
const WRITE = { type: 'delete', body: { ids: ['none'] } };

describe.each(['edge', 'relay'] as const)('by the %s', (transport) => {
  let index: PineconeStandIn;
  let endpoint: string;
  const call = (path: string, body: unknown): Promise<Reply> =>
    organization.call('POST', `/endpoints/${endpoint}/${path}`, body);

  beforeAll(async () => {
    index = await startPinecone();
    endpoint = await create(index, { transport });
  });
  afterAll(() => index?.stop());

  test.each(STEPS)('%s', async (_, path, body, data) => {
    expect(await call(path, body)).toEqual(success(data));
  });

  test('sends what the vendor documents, and the defaults of the specification', async () => {
    await call('read', { type: 'query', body: { vector: [1, 0, 0], namespace: null } });
    const { method, path, headers, body } = index.received.at(-1) ?? {};
    expect([method, path, JSON.parse(body ?? '')]).toEqual([
      'POST',
      '/query',
      { vector: [1, 0, 0], topK: 10, includeMetadata: true, includeValues: false },
    ]);
    expect(headers).toMatchObject({
      'api-key': index.apiKey,
      'x-pinecone-api-version': '2026-07',
      'user-agent': 'causeway',
      'content-type': 'application/json',
    });
  });

  test('hands numbers on with all their digits, both ways', async () => {
    const digits = '{"n":9007199254740993,"d":0.12345678901234567890123,"e":1e400}';
    const upsert = `{"vectors":[{"id":"n","values":[0.123456789012345678901,1,2],"metadata":${digits}}]}`;
    index.failing.push({ status: 200, body: '{"upsertedCount":1}' });
    await call('write', `{"type":"upsert","body":${upsert}}`);
    index.failing.push({ status: 200, body: '{"upsertedCount":1}' });
    await call('write', `{"type":"upsert","body":${JSON.stringify(upsert)}}`);
    expect(index.received.slice(-2).map(({ body }) => body)).toEqual([upsert, upsert]);
    const verbatim = `{"matches": [{"id":"n","score":0.10000000149011612,"metadata":${digits}}],"extra":{"__proto__":1}}`;
    index.failing.push({ status: 200, body: verbatim });
    const path = `/endpoints/${endpoint}/read`;
    const reply = await organization.send('POST', path, { type: 'query', body: { id: 'n' } });
    expect(await reply.text()).toBe(`{"status":"success","data":${verbatim}}`);
  });

  test.each<
    [name: string, failing: PineconeStandIn['failing'][number], body: object, reply: Reply]
  >([
    [
      'a refusal',
      { status: 400, body: '{"code":3,"message":"no such http://10.0.0.1/x","details":[]}' },
      READ,
      refusal('REQUEST_FAILED', 'The index refused the request', told('3', 'no such address')),
    ],
    [
      'a refusal in the other form',
      { status: 404, body: '{"status":404,"error":{"code":"NOT_FOUND","message":"gone"}}' },
      WRITE,
      refusal('REQUEST_FAILED', 'The index refused the request', told('NOT_FOUND', 'gone')),
    ],
    [
      'a page of a proxy',
      { status: 404, body: '<html>secret.internal</html>' },
      READ,
      refusal('REQUEST_FAILED', 'The index refused the request', told('404', 'HTTP status 404')),
    ],
    [
      'a refused key',
      { status: 401, body: 'Unauthorized' },
      WRITE,
      refusal('CONNECTION_FAILED', 'The API key was refused'),
    ],
    [
      'a key that may not',
      { status: 403, body: '{"code":7,"message":"pcsk_stand-in may not","details":[]}' },
      READ,
      refusal('CONNECTION_FAILED', 'The API key was refused'),
    ],
    [
      'a limit of the vendor',
      { status: 429, body: '{"code":8,"message":"slow down"}', headers: { 'Retry-After': '7' } },
      WRITE,
      refusal(
        'SERVICE_UNAVAILABLE',
        'The index takes no more requests for the moment',
        told('8', 'slow down'),
      ),
    ],
    [
      'an index that is not available',
      { status: 503, body: '' },
      READ,
      refusal('SERVICE_UNAVAILABLE', 'The index is not available'),
    ],
    [
      'a failure of a read',
      { status: 500, body: '{"code":13,"message":"x"}' },
      READ,
      refusal('CONNECTION_FAILED', 'The index failed'),
    ],
    [
      'a failure of a write',
      { status: 500, body: '{"code":13,"message":"x"}' },
      WRITE,
      refusal('OUTCOME_UNKNOWN', 'The index failed after the write was sent', told('13', 'x')),
    ],
    [
      'a redirect, which is not followed',
      { status: 302, body: '', headers: { Location: 'http://127.0.0.1:1/' } },
      READ,
      refusal('CONNECTION_FAILED', 'The server did not answer as an index of Pinecone does'),
    ],
    [
      'what is no JSON',
      { status: 200, body: '{"a":1},"more":{' },
      READ,
      refusal('CONNECTION_FAILED', 'The server did not answer as an index of Pinecone does'),
    ],
    [
      'a write of which the connection was lost',
      { cut: 'after' },
      WRITE,
      refusal('OUTCOME_UNKNOWN', lost),
    ],
    [
      'a write that was not answered in time',
      'silence',
      { ...WRITE, timeout_ms: 300 },
      refusal('OUTCOME_UNKNOWN', lost),
    ],
    [
      'a read that was not answered in time',
      'silence',
      { ...READ, timeout_ms: 300 },
      refusal('TIMED_OUT', expect.any(String)),
    ],
  ])('tells of %s', async (_, failing, body, reply) => {
    index.failing.push(failing);
    const before = index.received.length;
    expect(await call('body' in body ? 'write' : 'read', body)).toEqual(reply);
    // Nothing is sent again by itself.
    expect(index.received.length).toBe(before + 1);
    expect(await call('read', READ)).toMatchObject({ status: 200 });
  });

  test('says when to come again', async () => {
    index.failing.push({ status: 429, body: '', headers: { 'Retry-After': '7' } });
    const reply = await organization.send('POST', `/endpoints/${endpoint}/read`, READ);
    expect([reply.status, reply.headers.get('Retry-After')]).toEqual([503, '7']);
  });

  test('tells of a read that was cut off', async () => {
    index.failing.push({ cut: 'before' });
    expect(await call('read', READ)).toEqual(refusal('CONNECTION_FAILED', expect.any(String)));
  });

  test('a result larger than RESULT_MAX_BYTES is refused', async () => {
    const of = (length: number) => `{"matches":[],"namespace":"${'x'.repeat(length - 29)}"}`;
    const query = { type: 'query', body: { id: 'a' } };
    index.failing.push({ status: 200, body: of(RESULT_MAX_BYTES) });
    expect(await call('read', query)).toEqual(success(JSON.parse(of(RESULT_MAX_BYTES))));
    const message = `The result is larger than ${RESULT_MAX_BYTES} bytes; ask for fewer matches or ids, or without values and metadata`;
    index.failing.push({ status: 200, body: of(RESULT_MAX_BYTES + 1) });
    expect(await call('read', query)).toEqual(refusal('RESULT_TOO_LARGE', message));
    index.failing.push({ status: 200, body: of(RESULT_MAX_BYTES + 1) });
    expect(await call('write', WRITE)).toEqual(
      refusal('RESULT_TOO_LARGE', message, [{ rule: 'result', applied: true }]),
    );
  });

  test('the vendor is told of wrong dimensions in its own words', async () => {
    const body = { vectors: [{ id: 'w', values: [1] }] };
    expect(await call('write', { type: 'upsert', body })).toEqual(
      refusal(
        'REQUEST_FAILED',
        'The index refused the request',
        told('3', 'Vector dimension 1 does not match the dimension of the index 3'),
      ),
    );
  });

  test('a wrong key, a server that is no index and none at all are not stored', async () => {
    const of = async (url: string, apiKey: string) => {
      const config = { write_conn: { url }, api_key: apiKey, transport };
      const body = { endpoint: `pc-${randomUUID().slice(0, 8)}`, kind: 'pinecone', config };
      return organization.call('POST', '/endpoints', body);
    };
    const at = 'config.write_conn';
    const refused = (message: string) =>
      refusal('CONNECTION_FAILED', message, [{ path: at, message }]);
    expect(await of(index.url, 'pcsk_wrong')).toEqual(refused('The API key was refused'));
    index.failing.push({ status: 404, body: 'nothing here' });
    expect(await of(index.url, index.apiKey)).toEqual(
      refused('The server did not answer as an index of Pinecone does'),
    );
    const gone = await startPinecone();
    await gone.stop();
    const reply = await of(gone.url, gone.apiKey);
    expect(reply).toMatchObject({ status: 502, body: { code: 'CONNECTION_FAILED' } });
    expect(JSON.stringify(reply)).not.toContain('127.0.0.1');
  });
});

/** An endpoint on a stand-in; answers its id. */
async function create(index: PineconeStandIn, more: object = {}): Promise<string> {
  const endpoint = `pc-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url: index.url }, api_key: index.apiKey, ...more };
  const reply = await organization.call('POST', '/endpoints', {
    endpoint,
    kind: 'Pinecone',
    config,
  });
  expect(reply).toMatchObject({ status: 200, body: { data: { kind: 'Pinecone' } } });
  return endpoint;
}
