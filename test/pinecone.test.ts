/** Pinecone end to end, by the edge itself, through a relay and through a node's tunnel: the same requests, the same replies. */
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
import { FAULTS, READ, told, WRITE } from './pinecone/faults.ts';
import { STEPS } from './pinecone/steps.ts';
import { placeOn, type RelayNode, startRelayNode } from './relay-node.ts';
import { type PineconeStandIn, startPinecone } from './stand-ins/pinecone/index.ts';

/** How an index is reached. */
interface Route {
  readonly transport?: string;
  /** The node that it has to be reached over. */
  readonly vpn_route?: string;
}

const RESULT_MAX_BYTES = 65_536;
let gateway: OwnGateway;
let organization: Organization;
/** It dials the gateway. */
let node: RelayNode;
beforeAll(async () => {
  gateway = await startGateway({
    env: { HTTP_ALLOW_PRIVATE: 'true', RESULT_MAX_BYTES: String(RESULT_MAX_BYTES) },
  });
  organization = await newOrganization(gateway);
  // As the gateway: what a relay may reach and answer is its own setting.
  const env = { HTTP_ALLOW_PRIVATE: 'true', RESULT_MAX_BYTES: String(RESULT_MAX_BYTES) };
  node = await startRelayNode({ call: organization.call, gateway: gateway.url, env });
});
afterAll(async () => {
  await node?.stop();
  await gateway?.stop();
});

describe.each(['edge', 'relay', 'tunnel'])('by the %s', (way) => {
  const route = (): Route =>
    way === 'tunnel' ? { transport: 'relay', vpn_route: node.uuid } : { transport: way };
  let index: PineconeStandIn;
  let endpoint: string;
  const call = (path: string, body: unknown): Promise<Reply> =>
    organization.call('POST', `/endpoints/${endpoint}/${path}`, body);

  beforeAll(async () => {
    index = await startPinecone();
    endpoint = await create(index, route());
  });
  afterAll(() => index?.stop());

  test.each(STEPS)('%s', async (_, path, body, data) => {
    expect(await call(path, body)).toEqual(success(data));
  });

  test('serves an index of sparse vectors alone', async () => {
    const sparse = await startPinecone({ dimension: 0, metric: 'dotproduct' });
    const id = await create(sparse, route());
    const ask = (path: string, type: string, body: object) =>
      organization.call('POST', `/endpoints/${id}/${path}`, { type, body });
    const sparseValues = { indices: [3, 17], values: [0.5, 1.5] };
    expect(await ask('write', 'upsert', { vectors: [{ id: 's', sparseValues }] })).toEqual(
      success({ upsertedCount: 1 }),
    );
    const sparseVector = { indices: [17], values: [2] };
    const usage = { readUnits: 1 };
    expect(await ask('read', 'query', { sparseVector, includeValues: true })).toEqual(
      success({
        matches: [{ id: 's', score: 3, values: [], sparseValues }],
        namespace: '__default__',
        usage,
      }),
    );
    expect(await ask('write', 'update', { id: 's', sparseValues: sparseVector })).toEqual(
      success({}),
    );
    expect(await ask('read', 'query', { id: 's', includeValues: true })).toMatchObject(
      success({ matches: [{ id: 's', score: 4, sparseValues: sparseVector }] }),
    );
    await sparse.stop();
  });

  test('a dense index says that it has no sparse vectors, in its own words', async () => {
    const body = { sparseVector: { indices: [1], values: [1] }, vector: [1, 0, 0] };
    expect(await call('read', { type: 'query', body })).toEqual(
      refusal(
        'REQUEST_FAILED',
        'Index configuration does not support sparse values',
        told('3', 'Index configuration does not support sparse values'),
      ),
    );
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
    const verbatim = `{"matches": [{"id":"n","score":0.10000000149011612,"metadata":${digits},"extra":{"__proto__":1}}]}`;
    index.failing.push({ status: 200, body: verbatim });
    const path = `/endpoints/${endpoint}/read`;
    const reply = await organization.send('POST', path, { type: 'query', body: { id: 'n' } });
    expect(await reply.text()).toBe(`{"status":"success","data":${verbatim}}`);
  });

  test.each(FAULTS)('tells of %s', async (_, failing, body, reply) => {
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
        'Vector dimension 1 does not match the dimension of the index 3',
        told('3', 'Vector dimension 1 does not match the dimension of the index 3'),
      ),
    );
  });
});

test.each(['edge', 'relay'])(
  'by the %s, a wrong key, a server that is no index and none at all are not stored',
  async (transport) => {
    const index = await startPinecone();
    const of = async (url: string, apiKey: string) => {
      const config = { write_conn: { url }, api_key: apiKey, transport };
      const body = { endpoint: `pc-${randomUUID().slice(0, 8)}`, kind: 'pinecone', config };
      return organization.call('POST', '/endpoints', body);
    };
    const at = 'config.write_conn';
    const refused = (message: string) =>
      refusal('CONNECTION_FAILED', message, [{ path: at, message }]);
    expect(await of(index.url, 'pcsk_wrong')).toEqual(
      refused('Unable to connect to database: the API key was refused'),
    );
    index.failing.push({ status: 404, body: 'nothing here' });
    expect(await of(index.url, index.apiKey)).toEqual(
      refused(
        'Unable to connect to database: the server did not answer as an index of Pinecone does',
      ),
    );
    const gone = await startPinecone();
    await gone.stop();
    const reply = await of(gone.url, gone.apiKey);
    expect(reply).toMatchObject({ status: 502, body: { code: 'CONNECTION_FAILED' } });
    expect(JSON.stringify(reply)).not.toContain('127.0.0.1');
    await index.stop();
  },
);

/** An endpoint on a stand-in; answers its id. */
async function create(index: PineconeStandIn, more: Route = {}): Promise<string> {
  const endpoint = `pc-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url: index.url }, api_key: index.apiKey, ...more };
  const reply = await organization.call('POST', '/endpoints', {
    endpoint,
    kind: 'Pinecone',
    config,
  });
  expect(reply).toMatchObject({ status: 200, body: { data: { kind: 'Pinecone' } } });
  if (more.vpn_route) await placeOn(organization.call, endpoint, more.vpn_route);
  return endpoint;
}
