/** Whatever a caller sends to a template of MongoDB, Redis, Pinecone or HTTP is a value. Contract §8. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, sharedGateway } from '../../gateway.ts';
import { type HttpServer, startHttpServer } from '../../http-kind/server.ts';
import { newOrganization, type Organization } from '../../organization.ts';
import { type RedisEndpoint, redisEndpoint } from '../../redis-endpoint.ts';
import { backend } from '../../servers/backends.ts';
import { type PineconeStandIn, startPinecone } from '../../stand-ins/pinecone/index.ts';
import { DOCUMENTS, SCALARS, TEXTS } from './attacks.ts';
import { addEndpoint, type Templates, templatesOf } from './stand.ts';

let gateway: Gateway;
let organization: Organization;
let templates: Templates;
beforeAll(async () => {
  // The servers of these tests are on this machine.
  gateway = await sharedGateway('private');
  organization = await newOrganization(gateway);
  templates = templatesOf(organization);
});

describe('mongo', () => {
  let endpoint: string;
  const collection = 'victims';
  beforeAll(async () => {
    const { url } = await backend('mongo');
    const config = { write_conn: { url }, db_name: `inj_${randomUUID().replaceAll('-', '')}` };
    endpoint = await addEndpoint(organization, 'mongo', config);
    const document = { _id: 'owner', name: 'owner', secret: 's3cr3t' };
    const body = { type: 'insert_one', collection, document };
    const reply = await organization.call('POST', `/endpoints/${endpoint}/write`, body);
    expect(reply).toMatchObject({ status: 200 });
  });

  test('a text is written and found as it is, and names nothing', async () => {
    const insert = await templates.make('Write', {
      ...{ endpoint, type: 'insert_one', collection },
      document: { _id: '{{id}}', name: '{{x}}', list: ['{{x}}', 'a {{x}}'] },
    });
    const read = await templates.make('Read', {
      ...{ endpoint, type: 'aggregate', collection },
      pipeline: [
        {
          $match: {
            name: '{{x}}',
            list: { $regex: '^a {{x}}$' },
            $expr: { $eq: ['$name', '{{x}}'] },
          },
        },
        { $project: { _id: 0, name: 1, made: { $concat: ['{{x}}', '{{y}}'] } } },
      ],
    });
    const command = await templates.make('Read', {
      ...{ endpoint, type: 'raw_command_read_only' },
      command: `{"find": "${collection}", "filter": {"name": "{{x}}"}, "projection": {"_id": 0, "name": 1}}`,
    });
    for (const [id, x] of TEXTS.entries()) {
      await templates.output(insert, { id, x });
      expect(await templates.output(read, { x, y: '!' })).toEqual({
        documents: [{ name: x, made: `${x}!` }],
      });
      expect(JSON.stringify(await templates.output(command, { x }))).toContain(
        `[${JSON.stringify({ name: x })}]`,
      );
    }
  });

  test('no document with operators is taken, and no other type finds a text', async () => {
    const names = ['{{x: Object}}', { name: '{{x: Object}}' }, { list: ['{{x: Object}}'] }];
    for (const filter of names) {
      const id = await templates.make('Read', { endpoint, type: 'find', collection, filter });
      for (const x of DOCUMENTS) {
        expect(await templates.run(id, { x })).toMatchObject({
          status: 400,
          body: { details: [{ path: 'x' }] },
        });
      }
    }
    const filter = { secret: '{{x}}', name: 'owner' };
    const id = await templates.make('Read', { endpoint, type: 'find', collection, filter });
    for (const x of SCALARS) expect(await templates.output(id, { x })).toEqual({ documents: [] });
    for (const x of DOCUMENTS)
      expect(await templates.run(id, { x })).toMatchObject({ status: 400 });
  });

  test('a name is a name, or refused', async () => {
    const id = await templates.make('Read', {
      ...{ endpoint, type: 'find', collection },
      filter: { '{{x}}': 'nothing is this', secret: 's3cr3t' },
    });
    for (const x of TEXTS) {
      const { status, body } = await templates.run(id, { x });
      if (status === 200) expect(body).toEqual({ documents: [] });
      else expect(status).toBe(400);
    }
  });
});

describe('redis', () => {
  let redis: RedisEndpoint;
  let own: Templates;
  let endpoint: string;
  beforeAll(async () => {
    redis = await redisEndpoint(gateway);
    own = templatesOf(redis.organization);
    endpoint = redis.at('').split('/')[2] ?? '';
    await redis.write({ type: 'set', key: 'secret', value: 's3cr3t' });
  });
  afterAll(() => redis?.drop());

  test('a text is one word, wherever it stands', async () => {
    const set = await own.make('Write', { endpoint, type: 'set', key: 'k:{{x}}', value: '{{x}}' });
    const get = await own.make('Read', { endpoint, type: 'get', args: ['k:{{x}}'] });
    const script = await own.make('Write', {
      ...{ endpoint, type: 'eval', script: 'return {KEYS[1], ARGV[1]}' },
      ...{ keys: ['k:{{x}}'], args: ['{{x}}'] },
    });
    const keys = await own.make('Read', { endpoint, type: 'keys', pattern: 'k:{{x}}' });
    const both = await own.make('Transaction', {
      endpoint,
      operations: [
        { type: 'hset', key: 'h', field: [{ field: '{{x}}', value: '{{x}}' }] },
        { type: 'hget', key: 'h', field: '{{x}}' },
      ],
    });
    for (const x of TEXTS) {
      expect(await own.output(set, { x })).toEqual({ result: 'OK' });
      expect(await own.output(get, { x })).toEqual({ result: x });
      expect(await own.output(script, { x })).toEqual({ result: [`k:${x}`, x] });
      expect(await own.output(keys, { x })).toEqual({ result: [`k:${x}`] });
      expect(await own.run(both, { x })).toMatchObject({
        status: 200,
        body: [{}, { result: x }],
      });
    }
    expect(await redis.read({ type: 'get', key: 'secret' })).toMatchObject({
      body: { data: { result: 's3cr3t' } },
    });
    expect(await redis.read({ type: 'dbsize' })).toMatchObject({
      body: { data: { result: TEXTS.length + 2 } },
    });
  });

  test('a text in a document is a text', async () => {
    const set = await own.make('Write', {
      ...{ endpoint, type: 'json.set', key: 'doc', path: '$' },
      value: '{"a": "{{x}}", "b": ["a {{x}}"]}',
    });
    const whole = await own.make('Write', {
      ...{ endpoint, type: 'json.set', key: 'doc', path: '$.b', value: '{{x}}' },
    });
    const get = { type: 'json.get', key: 'doc', path: '$' };
    for (const x of TEXTS) {
      await own.output(set, { x });
      const first = await redis.read(get);
      expect(first).toMatchObject({ body: { data: { result: [{ a: x, b: [`a ${x}`] }] } } });
      await own.output(whole, { x });
      expect(await redis.read(get)).toMatchObject({ body: { data: { result: [{ a: x, b: x }] } } });
    }
  });
});

describe('http', () => {
  let server: HttpServer;
  let endpoint: string;
  beforeAll(async () => {
    server = await startHttpServer();
    endpoint = await addEndpoint(organization, 'http', { write_conn: { url: `${server.url}/v1` } });
    server.seen();
  });
  afterAll(() => server?.stop());

  test('a text stays in its part of the path, or is refused', async () => {
    const id = await templates.make('Read', { endpoint, path: '/files/{{x}}/end' });
    for (const x of TEXTS) {
      const { status } = await templates.run(id, { x });
      const seen = server.seen();
      if (status !== 200) expect([x, status, seen]).toEqual([x, 400, []]);
      else {
        const [, version, files, part = '', end, ...more] = seen[0]?.url.split('/') ?? [];
        expect([version, files, decodeURIComponent(part), end, more]).toEqual([
          'v1',
          'files',
          x,
          'end',
          [],
        ]);
      }
    }
  });

  test('a text stays in its query, header and body, or is refused', async () => {
    const id = await templates.make('Write', {
      ...{ endpoint, method: 'POST', path: '/echo', query: { q: '{{x}}', role: 'user' } },
      ...{ headers: { 'X-Own': 'a{{x}}z', 'Content-Type': 'application/json' } },
      body: '{"name": "{{x}}", "role": "user"}',
    });
    const form = await templates.make('Write', {
      ...{ endpoint, method: 'POST', path: '/echo' },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'name={{x}}&role=user',
    });
    for (const x of TEXTS) {
      const { status } = await templates.run(id, { x });
      const [seen] = server.seen();
      if (status !== 200) expect([x, status, seen]).toEqual([x, 400, undefined]);
      else {
        const { searchParams } = new URL(seen?.url ?? '', server.url);
        expect([...searchParams]).toEqual([
          ['q', x],
          ['role', 'user'],
        ]);
        expect(seen?.headers).toMatchObject({ 'x-own': `a${x}z` });
        expect(seen?.headers['x-injected']).toBeUndefined();
        expect(JSON.parse(seen?.body ?? '')).toEqual({ name: x, role: 'user' });
      }
      expect(await templates.run(form, { x })).toMatchObject({ status: 200 });
      expect([...new URLSearchParams(server.seen()[0]?.body)]).toEqual([
        ['name', x],
        ['role', 'user'],
      ]);
    }
  });
});

describe('pinecone', () => {
  let index: PineconeStandIn;
  let endpoint: string;
  beforeAll(async () => {
    index = await startPinecone();
    const config = { write_conn: { url: index.url }, api_key: index.apiKey };
    endpoint = await addEndpoint(organization, 'pinecone', config);
  });
  afterAll(() => index?.stop());

  test('a text stays in its document and its parameter; operators are refused', async () => {
    const query = await templates.make('Read', {
      ...{ endpoint, type: 'query' },
      body: '{"vector": [1, 0, 0], "filter": {"owner": "{{x}}"}}',
    });
    const list = await templates.make('Read', {
      endpoint,
      type: 'list',
      prefix: '{{x}}',
      namespace: 'n',
    });
    for (const x of TEXTS) {
      await templates.output(query, { x });
      expect(JSON.parse(index.received.at(-1)?.body ?? '')).toMatchObject({ filter: { owner: x } });
      await templates.output(list, { x });
      const { searchParams } = new URL(index.received.at(-1)?.path ?? '', index.url);
      expect([searchParams.getAll('prefix'), searchParams.getAll('namespace')]).toEqual([
        [x],
        ['n'],
      ]);
    }
    const filter = await templates.make('Read', {
      ...{
        endpoint,
        type: 'query',
        body: { vector: [1, 0, 0], filter: { owner: '{{x: Object}}' } },
      },
    });
    const before = index.received.length;
    for (const x of DOCUMENTS)
      expect(await templates.run(filter, { x })).toMatchObject({ status: 400 });
    expect(index.received.length).toBe(before);
  });
});
