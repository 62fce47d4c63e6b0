/** Endpoints of kind `http` end to end: the same table over the edge, over a relay and through a node's tunnel. Contract §6, "http kind". */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { addHttp, dataOf, type HttpCalls } from './http-kind/calls.ts';
import { type HttpServer, startHttpServer } from './http-kind/server.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';
import { type RelayNode, startRelayNode } from './relay-node.ts';

let gateway: OwnGateway;
let organization: Organization;
let server: HttpServer;
/** It dials the gateway. */
let node: RelayNode;

beforeAll(async () => {
  [gateway, server] = await Promise.all([
    // The servers of these tests are on this machine.
    startGateway({ env: { HTTP_ALLOW_PRIVATE: 'true', RESULT_MAX_BYTES: '100000' } }),
    startHttpServer(),
  ]);
  organization = await newOrganization(gateway);
  const env = { HTTP_ALLOW_PRIVATE: 'true' };
  node = await startRelayNode({ call: organization.call, gateway: gateway.url, env });
});
afterAll(async () => {
  await node?.stop();
  await Promise.all([gateway?.stop(), server?.stop()]);
});

describe.each(['edge', 'relay', 'tunnel'])('over the %s', (way) => {
  const transport = way === 'edge' ? 'edge' : 'relay';
  const route = () => (way === 'tunnel' ? { vpn_route: node.uuid } : {});
  let http: HttpCalls;
  beforeAll(async () => {
    http = await addHttp(organization, server, transport, route());
  });

  test('a path goes under the URL, with query and headers', async () => {
    const body = {
      path: '/echo',
      query: { limit: 2, tag: ['a b', 'ü&'], none: null, on: true },
      headers: { 'X-Own': 'mine', Accept: 'application/json' },
    };
    const { url, method, headers } = await http.echoed('read', body);
    expect({ url, method }).toEqual({
      url: '/v1/echo?limit=2&tag=a+b&tag=%C3%BC%26&on=true',
      method: 'GET',
    });
    expect(headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      authorization: 'Bearer s3cr3t',
      'x-sealed': 'ours',
      'x-own': 'mine',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'causeway',
      ...(transport === 'relay' ? { connection: 'keep-alive' } : {}),
    });
  });

  test("sealed headers win over the caller's", async () => {
    const own = { authorization: 'Bearer mine', 'x-SEALED': 'mine' };
    const { headers } = await http.echoed('read', { path: 'echo', headers: own });
    expect(headers).toMatchObject({ authorization: 'Bearer s3cr3t', 'x-sealed': 'ours' });
  });

  test.each([
    ['JSON', { body: { b: [1, '2'] } }, '{"b":[1,"2"]}', 'application/json'],
    ['text', { body: 'plain' }, 'plain', 'text/plain; charset=utf-8'],
    ['text as JSON', { body: 'x', body_encoding: 'json' }, '"x"', 'application/json'],
    ['bytes', { body: { $bytes: 'aGk=' } }, 'hi', 'application/octet-stream'],
    ['base64', { body: 'aGk=', body_encoding: 'base64' }, 'hi', 'application/octet-stream'],
    ['its own type', { body: 'a,b', headers: { 'Content-Type': 'text/csv' } }, 'a,b', 'text/csv'],
    ['nothing', {}, '', undefined],
  ])('a body of %s arrives as that', async (_of, members, body, type) => {
    const request = { method: 'POST', path: '/echo', ...members };
    const seen = await http.echoed('write', request);
    const headers = seen.headers as Record<string, string>;
    expect([seen.method, seen.body, headers['content-type'], headers['content-length']]).toEqual([
      'POST',
      body,
      type,
      String(body.length),
    ]);
  });

  test('no digit is lost, either way', async () => {
    const text = '{"method":"PUT","path":"/echo","body":{"n":12345678901234567890}}';
    const sent = await organization.send('POST', `/endpoints/${http.id}/write`, text);
    expect(await sent.text()).toContain('{\\"n\\":12345678901234567890}');
    const asked =
      '{"path":"/echo","query":{"n":12345678901234567890,"d":[0.10000000000000000555]}}';
    const queried = await organization.send('POST', `/endpoints/${http.id}/read`, asked);
    expect(await queried.text()).toContain('?n=12345678901234567890&d=0.10000000000000000555"');
    const got = await organization.send('POST', `/endpoints/${http.id}/read`, { path: '/digits' });
    expect(await got.text()).toContain(
      '"body":{"n": 12345678901234567890, "d": 0.10000000000000000555, "e": 1.0},"body_encoding":"json"',
    );
  });

  test.each([
    ['/problem', 404, { a: 1 }, 'json'],
    ['/no-json', 200, '{no', 'text'],
    ['/text', 200, 'grüße', 'text'],
    ['/bytes', 200, 'iVD/AA==', 'base64'],
    ['/nothing', 204, null, 'none'],
    ['/gzip', 200, 'packed', 'text'],
    ['/brotli', 200, 'packed', 'text'],
    ['/missing', 404, { path: '/v1/missing' }, 'json'],
  ])('the reply of %s is a result', async (path, status, body, encoding) => {
    const reply = await http.read({ path });
    expect(reply).toEqual(
      success({ status, headers: expect.any(Object), body, body_encoding: encoding }),
    );
    expect(dataOf(reply).headers).not.toHaveProperty('content-encoding');
  });

  test('cookies are a list, other headers are joined', async () => {
    expect(await http.read({ path: '/cookies' })).toEqual(
      success({
        status: 200,
        headers: {
          'set-cookie': ['a=1; Path=/', 'b=2'],
          'x-two': '1, 2',
          date: expect.any(String),
        },
        body: null,
        body_encoding: 'none',
      }),
    );
  });

  test('HEAD has no body', async () => {
    const reply = await http.read({ method: 'head', path: '/text' });
    expect(reply).toMatchObject(success({ status: 200, body: null, body_encoding: 'none' }));
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is not read', async (method) => {
    server.seen();
    expect(await http.read({ method, path: '/echo' })).toEqual(
      refusal('BAD_REQUEST', `method ${method} writes: send it to /write`, [
        { path: 'method', message: `${method} writes` },
      ]),
    );
    expect(server.seen()).toEqual([]);
    expect(await http.echoed('write', { method, path: '/echo' })).toMatchObject({ method });
  });

  test.each([
    ...['X-HTTP-Method-Override', 'x-http-method', 'X_HTTP_METHOD_OVERRIDE', 'X.Method~Override'],
    ...["X'Http|Verb", '_method', 'X-HTTP_Method.Override'],
  ])('%s reaches the server from /write alone', async (name) => {
    server.seen();
    const path = `headers.${name}`;
    expect(await http.read({ path: '/echo', headers: { [name]: 'DELETE' } })).toEqual(
      refusal('BAD_REQUEST', `${path} may name another method: send it to /write`, [
        { path, message: 'may name another method' },
      ]),
    );
    expect(server.seen()).toEqual([]);
    const { headers } = await http.echoed('write', { path: '/echo', headers: { [name]: 'PUT' } });
    expect(headers).toHaveProperty([name.toLowerCase()], 'PUT');
  });

  test('what may be another method than GET is sent once, and led nowhere', async () => {
    const headers = { 'X-HTTP-Method': 'DELETE' };
    const flaky = { path: '/flaky', query: { by: way }, headers };
    expect(await http.write(flaky)).toMatchObject({ body: { data: { status: 503 } } });
    const led = { path: '/to', query: { location: '/v1/echo' }, headers };
    expect(await http.write(led)).toMatchObject({ body: { data: { status: 302 } } });
  });

  test.each(['/large?bytes=200000', '/bomb'])('%s is too large, and says so', async (path) => {
    const [pathname, bytes = ''] = path.split('?bytes=');
    const reply = await http.read({ path: pathname, query: bytes === '' ? {} : { bytes } });
    expect(reply).toEqual(
      refusal('RESULT_TOO_LARGE', 'The reply is larger than 100000 bytes', undefined),
    );
  });

  test('a large reply to a write says that it took effect', async () => {
    const request = { method: 'POST', path: '/large', query: { bytes: 200_000 } };
    expect(await http.write(request)).toMatchObject(
      refusal('RESULT_TOO_LARGE', 'The reply is larger than 100000 bytes', [
        { source: 'http', code: '200', applied: true },
      ]),
    );
  });

  test('a status can be made an error', async () => {
    const request = { path: '/status', query: { status: 404 }, fail_on_status: true };
    expect(await http.read(request)).toEqual(
      refusal('REQUEST_FAILED', 'The server answered 404', [
        { source: 'http', code: '404', message: '{"said":"no"}' },
      ]),
    );
  });

  test.each([
    ['/transaction', { operations: [{ method: 'POST' }] }, 'transactions'],
    ['/sessions', undefined, 'sessions'],
  ])('%s is not supported', async (path, body, what) => {
    expect(await organization.call('POST', `/endpoints/${http.id}${path}`, body)).toEqual(
      refusal('NOT_SUPPORTED', `Endpoints of this kind do not have ${what}`),
    );
  });

  test('neither streams nor a schema are supported', async () => {
    expect(await http.read({ path: '/echo' }, { Accept: 'application/x-ndjson' })).toEqual(
      refusal('NOT_SUPPORTED', 'Endpoints of this kind do not have streams'),
    );
    expect(await organization.call('GET', `/endpoints/${http.id}/schema`)).toEqual(
      refusal('NOT_SUPPORTED', 'Endpoints of this kind do not have a schema to tell of'),
    );
  });

  test('creating asks for HEAD of the URL, whatever that answers', async () => {
    server.seen();
    await organization.call('POST', '/endpoints', {
      endpoint: `http-${randomUUID().slice(0, 8)}`,
      kind: 'HTTP',
      config: {
        write_conn: { url: `http://u:p%40@127.0.0.1:${server.port}/v1/status?status=500` },
        transport,
        ...route(),
      },
    });
    expect(server.seen()).toMatchObject([
      {
        method: 'HEAD',
        url: '/v1/status?status=500',
        headers: { authorization: `Basic ${btoa('u:p@')}` },
      },
    ]);
  });

  test('a server that is not there is said to be so', async () => {
    const reply = await organization.call('POST', '/endpoints', {
      endpoint: 'nowhere',
      kind: 'http',
      config: { write_conn: { url: 'http://127.0.0.1:1/' }, transport, ...route() },
    });
    expect(reply).toMatchObject({ status: 502, body: { code: 'CONNECTION_FAILED' } });
  });

  test('its secrets do not come back', async () => {
    const shown = await organization.call('GET', `/endpoints/${http.id}`);
    expect(shown).toMatchObject({
      body: {
        data: {
          config: {
            write_conn: {
              url: `${server.url}/v1`,
              headers: { Authorization: '***', 'X-Sealed': '***' },
            },
          },
        },
      },
    });
  });
});

test('a call that belongs to a tunnel goes no other way', async () => {
  const http = await addHttp(organization, server, 'relay', { vpn_route: node.uuid });
  const turn = (verb: string) => organization.call('POST', `/nodes/${node.uuid}/${verb}`);
  expect(await http.read({ path: '/echo' })).toMatchObject({ status: 200 });
  server.seen();
  expect(await turn('drain')).toMatchObject({ status: 200 });
  expect(await http.read({ path: '/echo' })).toMatchObject({
    status: 503,
    body: { code: 'NODE_UNAVAILABLE' },
  });
  expect(server.seen()).toEqual([]);
  await turn('resume');
  await expect.poll(async () => (await http.read({ path: '/echo' })).status).toBe(200);
});
