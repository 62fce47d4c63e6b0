/** When requests of kind `http` are sent again, and where redirects lead, over the edge and over a relay. Contract §6, "http kind". */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, sharedGateway } from './gateway.ts';
import { addHttp, dataOf, type HttpCalls } from './http-kind/calls.ts';
import { type HttpServer, startHttpServer } from './http-kind/server.ts';
import { newOrganization, type Organization, refusal } from './organization.ts';

let gateway: Gateway;
let organization: Organization;
let server: HttpServer;
let elsewhere: HttpServer;

beforeAll(async () => {
  [gateway, server, elsewhere] = await Promise.all([
    // The servers of these tests are on this machine.
    sharedGateway('private'),
    startHttpServer(),
    startHttpServer(),
  ]);
  organization = await newOrganization(gateway);
});
afterAll(() => Promise.all([server?.stop(), elsewhere?.stop()]));

describe.each(['edge', 'relay'])('over the %s', (transport) => {
  let http: HttpCalls;
  beforeAll(async () => {
    http = await addHttp(organization, server, transport);
  });

  test.each([
    ['503', { status: 503 }],
    ['502', { status: 502 }],
    ['504', { status: 504 }],
    ['503 with a time to wait', { status: 503, retry_after: 1 }],
  ])('GET is sent again after %s', async (_after, query) => {
    const path = '/flaky';
    const reply = await http.read({ path, query: { ...query, run: randomUUID() } });
    expect(dataOf(reply)).toMatchObject({ status: 200, body: { times: 3 } });
  });

  test('GET is not sent again when that is not wanted, or would be too late', async () => {
    const query = { run: randomUUID() };
    expect(dataOf(await http.read({ path: '/flaky', query, retry: false }))).toMatchObject({
      status: 503,
    });
    const late = { path: '/flaky', query: { run: randomUUID(), retry_after: 3600 } };
    expect(dataOf(await http.read(late))).toMatchObject({
      status: 503,
      headers: { 'retry-after': '3600' },
    });
  });

  test('POST is not sent again: neither after a status nor after a loss', async () => {
    const query = { run: randomUUID() };
    expect(dataOf(await http.write({ method: 'POST', path: '/flaky', query }))).toMatchObject({
      status: 503,
    });
    server.seen();
    expect(await http.write({ method: 'POST', path: '/cut', query })).toEqual(
      refusal(
        'OUTCOME_UNKNOWN',
        'The connection was lost after the request was sent: it may have taken effect',
      ),
    );
    expect(server.seen()).toHaveLength(1);
  });

  test('GET is sent again after a loss', async () => {
    const query = { run: randomUUID() };
    expect(dataOf(await http.read({ path: '/cut-once', query }))).toMatchObject({
      body: { times: 2 },
    });
    expect(await http.read({ path: '/cut', query })).toEqual(
      refusal(
        'CONNECTION_FAILED',
        'Unable to connect to database: the connection to the backend failed',
      ),
    );
    expect(await http.read({ path: '/half' })).toEqual(
      refusal(
        'CONNECTION_FAILED',
        'Unable to connect to database: the connection to the backend failed',
      ),
    );
  });

  test('the deadline ends a request', async () => {
    const late = { path: '/hang', timeout_ms: 1_500 };
    expect(await http.read(late)).toEqual(
      refusal('TIMED_OUT', 'The deadline passed before the backend answered'),
    );
    expect(await http.write({ ...late, method: 'POST' })).toMatchObject(
      refusal('OUTCOME_UNKNOWN', expect.any(String)),
    );
  });

  test('GET follows a redirect at home, with its own headers and nothing sealed', async () => {
    const query = { location: '/admin/../v1/echo?x=1' };
    const headers = { 'X-Own': 'mine', Cookie: 'a=b' };
    const seen = await http.echoed('read', { path: '/to', query, headers });
    expect(seen).toMatchObject({
      url: '/v1/echo?x=1',
      headers: { 'x-own': 'mine', cookie: 'a=b' },
    });
    expect(seen.headers).not.toHaveProperty('authorization');
    expect(seen.headers).not.toHaveProperty('x-sealed');
  });

  test('GET follows a redirect elsewhere, with nothing sealed, and not back home either', async () => {
    const away = `${elsewhere.url}/v1/echo`;
    const headers = { 'X-Own': 'mine', Cookie: 'a=b' };
    const seen = await http.echoed('read', { path: '/to', query: { location: away }, headers });
    expect(seen.headers).toMatchObject({ host: `127.0.0.1:${elsewhere.port}`, 'x-own': 'mine' });
    for (const name of ['authorization', 'x-sealed', 'cookie']) {
      expect(seen.headers).not.toHaveProperty(name);
    }
    const home = `${server.url}/v1/echo`;
    const back = `${elsewhere.url}/v1/to?location=${encodeURIComponent(home)}`;
    const again = await http.echoed('read', { path: '/to', query: { location: back } });
    expect(again.headers).toMatchObject({ host: `127.0.0.1:${server.port}` });
    expect(again.headers).not.toHaveProperty('x-sealed');
  });

  test('a redirect without an end is not followed to it', async () => {
    server.seen();
    expect(await http.read({ path: '/round' })).toEqual(
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
    expect(dataOf(await http.write(request))).toMatchObject({ status: 307, headers: { location } });
    expect(elsewhere.seen()).toEqual([]);
  });
});
