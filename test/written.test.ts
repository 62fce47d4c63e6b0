/**
 * What a request only passes on arrives as its client wrote it, whichever way it goes. Random
 * documents; `TEST_RUNS` asks for more. Contract §1, "Numbers in a body".
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Kind } from '../kinds/index.ts';
import { body, number } from '../proto/test-json-texts.ts';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { backend, freshDatabase } from './servers/backends.ts';
import { NeonStandIn } from './stand-ins/neon/server.ts';
import { PlanetScaleStandIn } from './stand-ins/planetscale/server.ts';
import { startUpstash, type UpstashStandIn } from './stand-ins/upstash/server.ts';
import { ask } from './upstash/ask.ts';
import { WORKFLOWS, workflowWays } from './workflows/written-ways.ts';

let gateway: OwnGateway;
let organization: Organization;
let neon: NeonStandIn;
let planetscale: PlanetScaleStandIn;
let upstash: UpstashStandIn;
let server: Server;
/** The body of the last request that the server was sent. */
let arrived = '';
/** Of a call that nobody waits for: resolves with the body of the next request. */
let arrival = Promise.withResolvers<string>();

beforeAll(async () => {
  const [postgres, mysql, redis, clickhouse] = await Promise.all([
    backend('postgres').then(freshDatabase),
    backend('mysql'),
    backend('redis'),
    backend('clickhouse'),
  ]);
  [gateway, neon, planetscale, upstash] = await Promise.all([
    startGateway({ env: { HTTP_ALLOW_PRIVATE: 'true' } }),
    NeonStandIn.start(postgres.url),
    PlanetScaleStandIn.start(mysql.url),
    startUpstash(redis.url),
  ]);
  server = createServer(async (request, response) => {
    arrived = await textOf(request);
    arrival.resolve(arrived);
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  organization = await newOrganization(gateway);
  await add('pg', 'postgres', { write_conn: { url: postgres.url } });
  await add('neon', 'postgres', { write_conn: { url: neon.url(postgres.url) }, transport: 'edge' });
  await add('my', 'mysql', { write_conn: { url: mysql.url } });
  await add('ps', 'mysql', { write_conn: { url: planetscale.url }, transport: 'edge' });
  await add('red', 'redis', { write_conn: { url: redis.url } });
  const { url, token } = upstash;
  await add('up', 'redis', { write_conn: { url, auth: token }, transport: 'edge' });
  await add('ch', 'clickhouse', { write_conn: { url: clickhouse.url } });
  await add('web', 'http', { write_conn: { url: own } });
  await add('pine', 'pinecone', { write_conn: { url: own }, api_key: 'key', transport: 'edge' });
  await post(
    '/templates',
    '{"id":"moved","request":"Read","template":{"endpoint":"pg","query":"select {{d: Object}}::json::text"}}',
  );
  for (const each of WORKFLOWS) await post('/workflows', JSON.stringify(each));
});
afterAll(async () => {
  await Promise.all([neon?.stop(), planetscale?.stop(), upstash?.stop(), gateway?.stop()]);
  server?.close();
});

async function add(endpoint: string, kind: Kind, config: object): Promise<void> {
  const reply = await organization.call('POST', '/endpoints', { endpoint, kind, config });
  expect(reply).toMatchObject({ status: 200 });
}

async function post(path: string, sent: string, method = 'POST', status = 200): Promise<string> {
  const reply = await organization.send(method, path, sent === '' ? undefined : sent);
  const text = await reply.text();
  expect([reply.status, text]).toEqual([status, text]);
  return text;
}

const get = (path: string) => post(path, '', 'GET');

/** The body of the next request that the server is sent. */
function arrives(): Promise<string> {
  arrival = Promise.withResolvers();
  return arrival.promise;
}

/** The only value of the only row of a result, which is a text. */
function valueIn(result: unknown): string {
  const { rows } = result as { rows: readonly Record<string, string>[] };
  return Object.values(rows[0] ?? {})[0] ?? '';
}

async function data(endpoint: string, operation: string, sent: string): Promise<unknown> {
  const reply = await post(`/endpoints/${endpoint}/${operation}`, sent);
  return (JSON.parse(reply) as { data: unknown }).data;
}

const query = (text: string, params: string) => `{"query":"${text}","params":${params}}`;
const read = async (endpoint: string, text: string, params: string) =>
  valueIn(await data(endpoint, 'read', query(text, params)));

async function throughRedis(endpoint: string, document: string, filler: string): Promise<string> {
  const key = randomUUID();
  const commands = `[{"type":"set","key":"${key}","value":${document}},{"type":"set","key":"${key}2","value":"${filler}"}]`;
  await data(endpoint, 'write', `{"type":"pipeline","pipeline":${commands}}`);
  const got = await data(endpoint, 'read', `{"type":"get","key":"${key}"}`);
  return (got as { result: string }).result;
}

/** The result of a command in Upstash's own protocol. */
async function facade(path: string, sent?: string): Promise<string> {
  const { token } = organization;
  const body = sent === undefined ? {} : { body: sent };
  const { status, body: text } = await ask(`${gateway.url}/upstash/red${path}`, { token, ...body });
  expect([status, text]).toEqual([200, text]);
  return (JSON.parse(text) as { result: string }).result;
}

/** Sends a document next to a filler, and answers the text as which it arrives. */
type Way = (document: string, filler: string) => Promise<string>;
type Ways = Readonly<Record<string, Way>>;

/** Of each kind; a text says why there is none. */
const OF_KINDS: Readonly<Record<Kind, Ways | string>> = {
  postgres: {
    'a parameter': (each, filler) =>
      read('pg', 'select $1::json::text, length($2::text)', `[{"Json":${each}},"${filler}"]`),
    'an element of an array': (each, filler) =>
      read('pg', 'select ($1::json[])[1]::text, length($2::text)', `[[${each}],"${filler}"]`),
    'in a transaction': async (each, filler) => {
      const params = `[{"$literal":{"Json":${each}}},"${filler}"]`;
      const last = query('select $1::json::text, length($2::text)', params);
      const sent = `{"operations":[{"query":"select 1"},${last}]}`;
      return valueIn(((await data('pg', 'transaction', sent)) as unknown[])[1]);
    },
    'at Neon': (each, filler) =>
      read('neon', 'select $1::json::text, length($2::text)', `[{"Json":${each}},"${filler}"]`),
  },
  mysql: {
    'a parameter': (each, filler) =>
      read('my', "select concat('', ?), length(?)", `[${each},"${filler}"]`),
    'at PlanetScale': (each, filler) =>
      read('ps', "select concat('', ?), length(?)", `[${each},"${filler}"]`),
  },
  redis: {
    'a word': (each, filler) => throughRedis('red', each, filler),
    'at Upstash': (each, filler) => throughRedis('up', each, filler),
    'a body behind the path of the facade': async (each) => {
      const key = randomUUID();
      expect(await facade(`/set/${key}`, each)).toBe('OK');
      return facade(`/get/${key}`);
    },
  },
  http: {
    'a body': async (each, filler) => {
      await data(
        'web',
        'write',
        `{"method":"POST","headers":{"A":"${filler.slice(0, 6_000)}"},"body":${each}}`,
      );
      return arrived;
    },
  },
  mongo: 'BSON has types of numbers, not their texts: test/templates/written.test.ts',
  clickhouse: 'its documents have an order and numbers of their own; the text of a number: below',
  cassandra: 'CQL has types alone; a decimal keeps its scale: test/cassandra.test.ts',
  pinecone: 'the client of the vendor orders members; the text of a number: below',
};

const UTILITIES: Ways = {
  '/json/parse': (each) => post('/json/parse', `{"json":${each},"paths":["value"]}`),
  '/json/reduce': (each) => post('/json/reduce', `{"json":${each},"paths":["$.value"]}`),
  '/json/map': (each) =>
    post('/json/map', `{"input":${each},"schema":{"value":"any"},"mappings":{"value":"value"}}`),
  '/json/flatten and /json/unflatten': async (each) =>
    post('/json/unflatten', await post('/json/flatten', `{"value":${each}}`)),
};

const TEMPLATES: Ways = {
  'an input': async (each, filler) => {
    const output = await post('/templates/moved', `{"d":${each},"filler":"${filler}"}`);
    return valueIn(JSON.parse(output));
  },
  'a definition': async (each) => {
    const id = `t-${randomUUID().slice(0, 8)}`;
    const request = query('select $1::json::text', `[{"Json":${each}}]`).slice(1);
    await post(
      '/templates',
      `{"id":"${id}","request":"Read","template":{"endpoint":"pg",${request}}`,
    );
    expect(await post(`/templates/${id}`, '', 'GET')).toContain(each);
    return valueIn(JSON.parse(await post(`/templates/${id}`, '{}')));
  },
};

const WAYS: Readonly<Record<string, Ways | string>> = {
  ...OF_KINDS,
  'JSON utilities': UTILITIES,
  templates: TEMPLATES,
  workflows: workflowWays({
    send: (path, sent) => post(path, sent, 'POST', 202),
    store: (sent) => post('/workflows', sent),
    get,
    arrives,
    hooks: () => `${gateway.url}/hooks/${organization.id}`,
  }),
};
const ROWS = Object.entries(WAYS).flatMap(([what, ways]) =>
  typeof ways === 'string' ? [] : Object.entries(ways).map(([name, way]) => ({ what, name, way })),
);

const RUNS = 6 * inject('runs');
const KNOWN = [
  '{"value":{"b":1,"10":2,"2":[{"3":1.0,"1":2}],"a":-0}}',
  '{"value":[1000000000000000000000,0.0000001,1E+2," 1.10,",19.90,1e400]}',
];
/** A definition takes it for a placeholder; JSON has it in strings alone. */
const BRACES = '{{';

describe.each(ROWS)('$what: $name', ({ way }) => {
  test('has each digit and each member in its place', async () => {
    const document = body.map(({ compact }) => compact).filter((each) => !each.includes(BRACES));
    await fc.assert(
      fc.asyncProperty(document, fc.constantFrom(10, 40_000), async (each, size) => {
        expect(await way(each, 'x'.repeat(size))).toBe(each);
      }),
      { numRuns: RUNS, examples: KNOWN.map((each): [string, number] => [each, 10]) },
    );
  });
});

test('a number is a word of a command of the facade', async () => {
  await fc.assert(
    fc.asyncProperty(number, async (each) => {
      const key = randomUUID();
      expect(await facade('', `["SET","${key}",${each}]`)).toBe('OK');
      expect(await facade(`/get/${key}`)).toBe(each);
    }),
    { numRuns: RUNS },
  );
});

test('a row of ClickHouse has its members in order and its digits, where a text is wanted', async () => {
  const table = `written_${randomUUID().replaceAll('-', '')}`;
  const create = `CREATE TABLE ${table} (s String, d Decimal(10, 2), i Int32) ENGINE = Memory`;
  await data('ch', 'write', JSON.stringify({ query: create }));
  const document = '{"2":1.10,"1":[19.90,{"10":1e-7,"9":"x"}]}';
  const rows = `[{"s":${document},"d":1.10,"i":2.0},{"s":19.90,"d":3,"i":1}]`;
  await data('ch', 'write', `{"type":"insert","table":"${table}","rows":${rows}}`);
  const query = `SELECT s, toString(d) AS d, i FROM ${table} ORDER BY i DESC`;
  expect(await data('ch', 'read', JSON.stringify({ query }))).toMatchObject({
    rows: [
      { s: document, d: '1.1', i: 2 },
      { s: '19.90', d: '3', i: 1 },
    ],
  });
});

test('a number keeps its text where it is one, and is whole where an integer is wanted', async () => {
  const text =
    'select $1::numeric::text || $2::text || ($3::int)::text || ($4::bigint[])::text || $5::float8::text || ($6::bigint)::text';
  const sent = '[19.90,1e21,1.0,[2.0,1e3],1.50,1e18]';
  const whole = '19.901e211{2,1000}1.51000000000000000000';
  expect(await read('pg', text, sent)).toBe(whole);
  expect(await read('neon', text, sent)).toBe(whole);
  const typed = `{"type":"query_typed_read_only","query":"select $1::text || $2::text","params":[[3.0,"int4"],[1.10,"numeric"]]}`;
  expect(valueIn(await data('pg', 'read', typed))).toBe('31.10');
  expect(await read('ch', 'select {n:String} || toString({i:Int32})', '{"n":1.10,"i":2.0}')).toBe(
    '1.102',
  );
  expect(await read('my', "select concat('', ?)", '[1.10]')).toBe('1.10');
  const key = randomUUID();
  await data('red', 'write', `{"type":"set","key":"${key}","value":1.10,"ex":1e2}`);
  expect(await data('red', 'read', `{"type":"get","key":"${key}"}`)).toEqual({ result: '1.10' });
  const expiring = `{"type":"expire","key":"${key}","seconds":60.0}`;
  expect(await data('red', 'write', expiring)).toEqual({ result: 1 });
});

test('vectors and metadata of a record reach an index as they were written', async () => {
  const record = '{"id":"a","values":[1.0,2.50],"metadata":{"price":19.90}}';
  for (const sent of [`{"vectors":[${record}]}`, JSON.stringify(`{"vectors":[${record}]}`)]) {
    await data('pine', 'write', `{"type":"upsert","body":${sent}}`);
    expect(arrived).toContain('[1.0,2.50]');
    expect(arrived).toContain('{"price":19.90}');
  }
});

test('a deadline is a number, however it is written', async () => {
  const sent = '{"query":"select $1::text","params":[1.0],"timeout_ms":1e4}';
  expect(valueIn(await data('pg', 'read', sent))).toBe('1.0');
});
