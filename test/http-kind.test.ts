/** Endpoints of kind `http` end to end: the same table over the edge and over a relay. Contract §6, "http kind". */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { type HttpServer, startHttpServer } from './http-kind/server.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';

let gateway: OwnGateway;
let organization: Organization;
let server: HttpServer;
let elsewhere: HttpServer;

beforeAll(async () => {
  [gateway, server, elsewhere] = await Promise.all([
    // The servers of these tests are on this machine.
    startGateway({ env: { HTTP_ALLOW_PRIVATE: 'true', RESULT_MAX_BYTES: '100000' } }),
    startHttpServer(),
    startHttpServer(),
  ]);
  organization = await newOrganization(gateway);
});
afterAll(() => Promise.all([gateway?.stop(), server?.stop(), elsewhere?.stop()]));

const SEALED = { Authorization: 'Bearer s3cr3t', 'X-Sealed': 'ours' };

/** An endpoint; answers its id. */
async function addHttp(
  transport: string,
  connection: object = { url: `${server.url}/v1`, headers: SEALED },
): Promise<string> {
  const endpoint = `http-${randomUUID().slice(0, 8)}`;
  const made = await organization.call('POST', '/endpoints', {
    endpoint,
    kind: 'http',
    config: { write_conn: connection, transport },
  });
  expect(made).toMatchObject({ status: 200, body: { data: { kind: 'Http' } } });
  server.seen();
  return endpoint;
}

const isHeader = expect.any(String);
const data = (reply: { body: unknown }) => (reply.body as { data: Record<string, unknown> }).data;

describe.each(['edge', 'relay'])('over the %s', (transport) => {
  let id: string;
  const read = (body: object, headers?: Record<string, string>) =>
    organization.call('POST', `/endpoints/${id}/read`, body, headers);
  const write = (body: object) => organization.call('POST', `/endpoints/${id}/write`, body);
  /** What the server sees of a request. */
  async function echoed(path: 'read' | 'write', body: object): Promise<Record<string, unknown>> {
    const reply = await organization.call('POST', `/endpoints/${id}/${path}`, body);
    expect(reply).toMatchObject({ status: 200, body: { data: { status: 200 } } });
    return (data(reply) as { body: Record<string, unknown> }).body;
  }
  beforeAll(async () => {
    id = await addHttp(transport);
  });

  test('a path goes under the URL, with query and headers', async () => {
    const body = {
      path: '/echo',
      query: { limit: 2, tag: ['a b', 'ü&'], none: null, on: true },
      headers: { 'X-Own': 'mine', Accept: 'application/json' },
    };
    const { url, method, headers } = await echoed('read', body);
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
    const { headers } = await echoed('read', { path: 'echo', headers: own });
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
    const seen = await echoed('write', request);
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
    const sent = await organization.send('POST', `/endpoints/${id}/write`, text);
    expect(await sent.text()).toContain('{\\"n\\":12345678901234567890}');
    const asked =
      '{"path":"/echo","query":{"n":12345678901234567890,"d":[0.10000000000000000555]}}';
    const queried = await organization.send('POST', `/endpoints/${id}/read`, asked);
    expect(await queried.text()).toContain('?n=12345678901234567890&d=0.10000000000000000555"');
    const got = await organization.send('POST', `/endpoints/${id}/read`, { path: '/digits' });
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
    const reply = await read({ path });
    expect(reply).toEqual(
      success({ status, headers: expect.any(Object), body, body_encoding: encoding }),
    );
    expect(data(reply).headers).not.toHaveProperty('content-encoding');
  });

  test('cookies are a list, other headers are joined', async () => {
    expect(await read({ path: '/cookies' })).toEqual(
      success({
        status: 200,
        headers: {
          'set-cookie': ['a=1; Path=/', 'b=2'],
          'x-two': '1, 2',
          date: isHeader,
        },
        body: null,
        body_encoding: 'none',
      }),
    );
  });

  test('HEAD has no body', async () => {
    const reply = await read({ method: 'head', path: '/text' });
    expect(reply).toMatchObject(success({ status: 200, body: null, body_encoding: 'none' }));
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is not read', async (method) => {
    server.seen();
    expect(await read({ method, path: '/echo' })).toEqual(
      refusal('BAD_REQUEST', 'This request writes: send it to /write', [
        { path: 'type', message: 'writes' },
      ]),
    );
    expect(server.seen()).toEqual([]);
    expect(await echoed('write', { method, path: '/echo' })).toMatchObject({ method });
  });

  test.each(['/large?bytes=200000', '/bomb'])('%s is too large, and says so', async (path) => {
    const [pathname, bytes = ''] = path.split('?bytes=');
    const reply = await read({ path: pathname, query: bytes === '' ? {} : { bytes } });
    expect(reply).toEqual(
      refusal('RESULT_TOO_LARGE', 'The reply is larger than 100000 bytes', undefined),
    );
  });

  test('a large reply to a write says that it took effect', async () => {
    const request = { method: 'POST', path: '/large', query: { bytes: 200_000 } };
    expect(await write(request)).toMatchObject(
      refusal('RESULT_TOO_LARGE', 'The reply is larger than 100000 bytes', [
        { source: 'http', code: '200', applied: true },
      ]),
    );
  });

  test('a status can be made an error', async () => {
    const request = { path: '/status', query: { status: 404 }, fail_on_status: true };
    expect(await read(request)).toEqual(
      refusal('REQUEST_FAILED', 'The server answered 404', [
        { source: 'http', code: '404', message: '{"said":"no"}' },
      ]),
    );
  });

  test.each([
    ['503', { status: 503 }],
    ['502', { status: 502 }],
    ['504', { status: 504 }],
    ['503 with a time to wait', { status: 503, retry_after: 1 }],
  ])('GET is sent again after %s', async (_after, query) => {
    const path = '/flaky';
    const reply = await read({ path, query: { ...query, run: randomUUID() } });
    expect(data(reply)).toMatchObject({ status: 200, body: { times: 3 } });
  });

  test('GET is not sent again when that is not wanted, or would be too late', async () => {
    const query = { run: randomUUID() };
    expect(data(await read({ path: '/flaky', query, retry: false }))).toMatchObject({
      status: 503,
    });
    const late = { path: '/flaky', query: { run: randomUUID(), retry_after: 3600 } };
    expect(data(await read(late))).toMatchObject({
      status: 503,
      headers: { 'retry-after': '3600' },
    });
  });

  test('POST is not sent again: neither after a status nor after a loss', async () => {
    const query = { run: randomUUID() };
    expect(data(await write({ method: 'POST', path: '/flaky', query }))).toMatchObject({
      status: 503,
    });
    server.seen();
    expect(await write({ method: 'POST', path: '/cut', query })).toEqual(
      refusal(
        'OUTCOME_UNKNOWN',
        'The connection was lost after the request was sent: it may have taken effect',
      ),
    );
    expect(server.seen()).toHaveLength(1);
  });

  test('GET is sent again after a loss', async () => {
    const query = { run: randomUUID() };
    expect(data(await read({ path: '/cut-once', query }))).toMatchObject({ body: { times: 2 } });
    expect(await read({ path: '/cut', query })).toEqual(
      refusal('CONNECTION_FAILED', 'The connection to the backend failed'),
    );
    expect(await read({ path: '/half' })).toEqual(
      refusal('CONNECTION_FAILED', 'The connection to the backend failed'),
    );
  });

  test('the deadline ends a request', async () => {
    const late = { path: '/hang', timeout_ms: 200 };
    expect(await read(late)).toEqual(
      refusal('TIMED_OUT', 'The deadline passed before the backend answered'),
    );
    expect(await write({ ...late, method: 'POST' })).toMatchObject(
      refusal('OUTCOME_UNKNOWN', expect.any(String)),
    );
  });

  test('GET follows a redirect at home, with the sealed headers', async () => {
    const query = { location: '/v1/echo?x=1' };
    const seen = await echoed('read', { path: '/to', query });
    expect(seen).toMatchObject({ url: '/v1/echo?x=1', headers: { 'x-sealed': 'ours' } });
  });

  test('GET follows a redirect elsewhere, with nothing sealed, and not back home either', async () => {
    const away = `${elsewhere.url}/v1/echo`;
    const headers = { 'X-Own': 'mine', Cookie: 'a=b' };
    const seen = await echoed('read', { path: '/to', query: { location: away }, headers });
    expect(seen.headers).toMatchObject({ host: `127.0.0.1:${elsewhere.port}`, 'x-own': 'mine' });
    for (const name of ['authorization', 'x-sealed', 'cookie']) {
      expect(seen.headers).not.toHaveProperty(name);
    }
    const home = `${server.url}/v1/echo`;
    const back = `${elsewhere.url}/v1/to?location=${encodeURIComponent(home)}`;
    const again = await echoed('read', { path: '/to', query: { location: back } });
    expect(again.headers).toMatchObject({ host: `127.0.0.1:${server.port}` });
    expect(again.headers).not.toHaveProperty('x-sealed');
  });

  test('a redirect without an end is not followed to it', async () => {
    server.seen();
    expect(await read({ path: '/round' })).toEqual(
      refusal('ADDRESS_REFUSED', 'A redirect after 5 others is not followed', [
        { rule: 'redirect' },
      ]),
    );
    expect(server.seen()).toHaveLength(6);
  });

  test('of POST a redirect is the result', async () => {
    elsewhere.seen();
    const location = `${elsewhere.url}/v1/echo`;
    const request = { method: 'POST', path: '/to', query: { location, status: 307 } };
    expect(data(await write(request))).toMatchObject({ status: 307, headers: { location } });
    expect(elsewhere.seen()).toEqual([]);
  });

  test.each([
    ['/transaction', { operations: [{ method: 'POST' }] }, 'transactions'],
    ['/sessions', undefined, 'sessions'],
  ])('%s is not supported', async (path, body, what) => {
    expect(await organization.call('POST', `/endpoints/${id}${path}`, body)).toEqual(
      refusal('NOT_SUPPORTED', `Endpoints of this kind do not have ${what}`),
    );
  });

  test('neither streams nor a schema are supported', async () => {
    expect(await read({ path: '/echo' }, { Accept: 'application/x-ndjson' })).toEqual(
      refusal('NOT_SUPPORTED', 'Endpoints of this kind do not have streams'),
    );
    expect(await organization.call('GET', `/endpoints/${id}/schema`)).toEqual(
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
      config: { write_conn: { url: 'http://127.0.0.1:1/' }, transport },
    });
    expect(reply).toMatchObject({ status: 502, body: { code: 'CONNECTION_FAILED' } });
  });

  test('its secrets do not come back', async () => {
    const shown = await organization.call('GET', `/endpoints/${id}`);
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
