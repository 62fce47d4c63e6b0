/** What Pinecone endpoints refuse, whom they do not serve, and what they keep to themselves. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, sharedGateway } from './gateway.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';
import { del, many, query, REFUSED, record, upsert, values } from './pinecone/refused.ts';
import { type PineconeStandIn, startPinecone } from './stand-ins/pinecone/index.ts';

let gateway: Gateway;
let organization: Organization;
let index: PineconeStandIn;
beforeAll(async () => {
  [gateway, index] = await Promise.all([sharedGateway('private'), startPinecone({ dimension: 2 })]);
  organization = await newOrganization(gateway);
});
afterAll(() => index?.stop());

const idOf = () => `pc-${randomUUID().slice(0, 8)}`;
const configOf = (more: object = {}) => ({
  write_conn: { url: index.url },
  api_key: index.apiKey,
  ...more,
});
async function create(more?: object): Promise<string> {
  const endpoint = idOf();
  const body = { endpoint, kind: 'pinecone', config: configOf(more) };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  return endpoint;
}

describe('a request that is wrong', () => {
  let endpoint: string;
  beforeAll(async () => {
    endpoint = await create({ transport: 'edge' });
  });

  test.each(REFUSED)('%j is told where', async (body, path, problem) => {
    const before = index.received.length;
    expect(await organization.call('POST', `/endpoints/${endpoint}/write`, body)).toEqual(
      refusal('BAD_REQUEST', expect.any(String), [{ path, message: problem }]),
    );
    expect(index.received.length).toBe(before);
  });

  test('a hundred vectors are taken', async () => {
    const body = { vectors: many.slice(0, 100), namespace: 'hundred' };
    expect(await organization.call('POST', `/endpoints/${endpoint}/write`, upsert(body))).toEqual(
      success({ upsertedCount: 100 }),
    );
  });
});

describe.each(['edge', 'relay'] as const)('by the %s', (transport) => {
  let endpoint: string;
  const at = (path: string) => `/endpoints/${endpoint}/${path}`;
  const write = (body: unknown) => organization.call('POST', at('write'), body);
  const read = (body: unknown) => organization.call('POST', at('read'), body);
  const state = async () =>
    JSON.stringify([
      index.index.counts(),
      ...['mine', 'theirs'].map((name) => index.index.fetch(name, index.index.ids(name, ''))),
    ]);
  beforeEach(async () => {
    endpoint ??= await create({ transport });
    for (const namespace of ['mine', 'theirs']) {
      index.index.upsert(namespace, [{ ...record, metadata: { kind: 'x' } }]);
    }
  });

  test.each([
    [upsert({ vectors: [{ id: 'z', values }], namespace: 'mine' })],
    [{ type: 'UPDATE', body: { id: 'a', values: [9, 9], namespace: 'mine' } }],
    [del('{"deleteAll":true,"namespace":"mine"}')],
  ])('/read refuses %j, and nothing is changed', async (body) => {
    const [before, asked] = [await state(), index.received.length];
    const refused = refusal('BAD_REQUEST', 'This request writes: send it to /write', [
      { path: 'type', message: 'writes' },
    ]);
    expect(await read(body)).toEqual(refused);
    expect(await read({ request: body })).toEqual(refused);
    expect([await state(), index.received.length]).toEqual([before, asked]);
  });

  test.each([
    ['mine&namespace=theirs'],
    ['theirs"}'],
    ['","namespace":"theirs'],
    ['%74heirs'],
    ['../theirs'],
    ['theirs\0'],
    ['mine#'],
    ['__proto__'],
    ['mine\r\nnamespace: theirs'],
  ])('the name %j leads to no other namespace', async (namespace) => {
    const before = await state();
    const ids = ['a', 'a&namespace=theirs', 'a","b'];
    expect(await read({ type: 'fetch', ids, namespace })).toMatchObject(
      success({ vectors: {}, namespace }),
    );
    expect(await read({ type: 'list', namespace, prefix: 'a' })).toMatchObject(
      success({ vectors: [], namespace }),
    );
    expect(await read(query({ vector: values, namespace }))).toMatchObject(
      success({ matches: [], namespace }),
    );
    expect(await write(del({ ids: ['a'], namespace }))).toEqual(success({}));
    expect(await write(del({ filter: { kind: 'x' }, namespace }))).toEqual(success({}));
    expect(await write(del({ deleteAll: true, namespace }))).toMatchObject({ status: 400 });
    expect(await state()).toBe(before);
  });

  test.each([['a&namespace=theirs'], ['a"],"namespace":"theirs'], ['a%26ids=a'], ['*']])(
    'the id %j names no other record',
    async (id) => {
      const before = await state();
      expect(await write(del({ ids: [id], namespace: 'mine' }))).toEqual(success({}));
      const update = { id, setMetadata: { kind: 'y' }, namespace: 'mine' };
      expect(await write({ type: 'update', body: update })).toEqual(success({}));
      expect(await read({ type: 'fetch', ids: [id], namespace: 'mine' })).toMatchObject(
        success({ vectors: {} }),
      );
      expect(await state()).toBe(before);
    },
  );

  test('an error of the vendor tells neither key nor address', async () => {
    index.failing.push({
      status: 400,
      body: JSON.stringify({ code: 3, message: `bad at ${index.url} of products.svc.pinecone.io` }),
    });
    const reply = JSON.stringify(await read({ type: 'describe_index_stats' }));
    expect(reply).toContain('bad at address of address');
    expect(reply).not.toContain(index.apiKey);
  });

  test('there are no transactions, no sessions, no lines and no schema', async () => {
    const body = { operations: [{ type: 'describe_index_stats' }] };
    const replies = await Promise.all([
      organization.call('POST', at('transaction'), body),
      organization.call('POST', at('sessions')),
      organization.call('GET', at('schema')),
      organization.call(
        'POST',
        at('read'),
        { type: 'describe_index_stats' },
        {
          Accept: 'application/x-ndjson',
        },
      ),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([501, 501, 501, 501]);
  });

  test("another organization's token does not find the endpoint", async () => {
    const other = await newOrganization(gateway);
    const body = { type: 'describe_index_stats' };
    expect(await other.call('POST', at('read'), body)).toMatchObject({
      status: 404,
      body: { code: 'ENDPOINT_NOT_FOUND' },
    });
  });
});

describe('a configuration', () => {
  test.each([
    [{}, 'index.url'],
    [{ transport: 'edge' }, 'index.url'],
    [{ transport: 'relay' }, 'index.url'],
    [{}, 'http://localhost'],
    [{ transport: 'relay' }, 'http://169.254.169.254'],
  ])('%j leads to no private address unless the installation allows it: %s', async (more, url) => {
    const other = await newOrganization(await sharedGateway());
    const before = index.received.length;
    const write_conn = { url: url === 'index.url' ? index.url : url };
    const body = { endpoint: idOf(), kind: 'pinecone', config: configOf({ ...more, write_conn }) };
    expect(await other.call('POST', '/endpoints', body)).toMatchObject({
      status: 400,
      body: { code: 'ADDRESS_REFUSED' },
    });
    expect(index.received.length).toBe(before);
  });

  test('is shown without its key', async () => {
    const endpoint = await create();
    const reply = await organization.call('GET', `/endpoints/${endpoint}`);
    expect(reply).toMatchObject({
      body: { data: { config: { write_conn: { url: index.url }, api_key: '***' } } },
    });
    expect(JSON.stringify(reply)).not.toContain(index.apiKey);
  });

  test('does not send its key to another host', async () => {
    const [endpoint, other] = [await create(), await startPinecone({ dimension: 2 })];
    const path = `/endpoints/${endpoint}`;
    const moved = { config: { write_conn: { url: other.url } } };
    expect(await organization.call('PATCH', path, moved)).toEqual(
      refusal('INVALID_CONFIGURATION', 'An API key is required', [
        { path: 'config.api_key', message: 'An API key is required' },
      ]),
    );
    expect(other.received).toEqual([]);
    const whole = { config: { ...moved.config, api_key: other.apiKey } };
    expect(await organization.call('PATCH', path, whole)).toMatchObject({ status: 200 });
    await other.stop();
  });

  test.each<[more: object, code: 'BAD_REQUEST' | 'INVALID_CONFIGURATION', message: string]>([
    [{ api_key: undefined }, 'INVALID_CONFIGURATION', 'An API key is required'],
    [{ api_key: '***' }, 'BAD_REQUEST', expect.stringContaining('is redacted')],
    [{ api_key: 'a\r\nb: c' }, 'BAD_REQUEST', expect.stringContaining('visible ASCII')],
    [{ write_conn: {} }, 'INVALID_CONFIGURATION', expect.any(String)],
    [{ write_conn: { url: '' } }, 'INVALID_CONFIGURATION', 'Connection URL is required'],
    [
      { write_conn: { url: 'index.svc.pinecone.io' } },
      'INVALID_CONFIGURATION',
      "The connection URL begins with https:// and names the index's host",
    ],
    [
      { write_conn: { url: 'https://key@index.example.com' } },
      'INVALID_CONFIGURATION',
      'The connection URL has no user: the key is api_key',
    ],
    [
      { write_conn: { url: 'https://index.example.com/path' } },
      'INVALID_CONFIGURATION',
      'The connection URL has no path and no options',
    ],
    [{ write_conn: { host: 'index.example.com' } }, 'BAD_REQUEST', expect.any(String)],
    [
      { environment: 'us-east-1' },
      'BAD_REQUEST',
      'config: "environment" is not known; known are write_conn, read_conn, development_conn, api_key, transport, vpn_route',
    ],
    [{ transport: 'carrier' }, 'BAD_REQUEST', expect.stringContaining('config.transport')],
  ])('%j is refused', async (more, code, message) => {
    const body = { endpoint: idOf(), kind: 'pinecone', config: configOf(more) };
    expect(await organization.call('POST', '/endpoints', body)).toMatchObject(
      refusal(code, message),
    );
  });

  test('is told of by GET /help with the types of its requests', async () => {
    const { body } = await organization.call('GET', '/help');
    const { kinds } = body as { kinds: { kind: string; types: unknown }[] };
    expect(kinds.find(({ kind }) => kind === 'Pinecone')?.types).toEqual([
      { type: 'query', mode: 'read' },
      { type: 'fetch', mode: 'read' },
      { type: 'list', mode: 'read' },
      { type: 'describe_index_stats', mode: 'read' },
      { type: 'upsert', mode: 'write' },
      { type: 'update', mode: 'write' },
      { type: 'delete', mode: 'write' },
    ]);
  });
});
