/** Servers of kind `http` that write replies as no other does: both lines read them alike. Contract §6, "http kind". */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { type OddServer, startOddServer } from './http-kind/odd-server.ts';
import { startHttpServer } from './http-kind/server.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';

let gateway: OwnGateway;
let organization: Organization;
let server: OddServer;

beforeAll(async () => {
  [gateway, server] = await Promise.all([
    // The servers of these tests are on this machine.
    startGateway({ env: { HTTP_ALLOW_PRIVATE: 'true', RESULT_MAX_BYTES: '100000' } }),
    startOddServer(),
  ]);
  organization = await newOrganization(gateway);
});
afterAll(() => Promise.all([gateway?.stop(), server?.stop()]));

const LOST = refusal(
  'CONNECTION_FAILED',
  'Unable to connect to database: the connection to the backend failed',
);
const LATE = refusal('TIMED_OUT', 'The deadline passed before the backend answered');
const unknown = (what: string) =>
  refusal('OUTCOME_UNKNOWN', `${what} after the request was sent: it may have taken effect`);
const text = (body: string, headers: object = {}, status = 200) =>
  success({ status, headers, body, body_encoding: 'text' });
const empty = (headers: object, status = 200) =>
  success({ status, headers, body: null, body_encoding: 'none' });
const PLAIN = { 'content-type': 'text/plain' };

describe.each(['edge', 'relay'])('over the %s', (transport) => {
  const id = `odd-${transport}`;
  const ask = (method: string, path: string) =>
    organization.call('POST', `/endpoints/${id}/write`, {
      method,
      path,
      retry: false,
      timeout_ms: 1_000,
    });
  beforeAll(async () => {
    const config = { write_conn: { url: `${server.url}/v1` }, transport };
    const made = await organization.call('POST', '/endpoints', {
      endpoint: id,
      kind: 'http',
      config,
    });
    expect(made).toMatchObject({ status: 200 });
  });

  test.each([
    ['a coding in capitals', '/loud-gzip', text('packed', PLAIN)],
    ['a coding by its other name', '/x-gzip', text('packed', PLAIN)],
    ['what came before the reply', '/hints', text('ok', { 'content-length': '2' })],
    ['a header in UTF-8', '/utf-8', empty({ 'content-length': '0', 'x-name': 'grüße' })],
    ['a body that the end of the connection ends', '/until-closed', text('hello')],
    ['a reply of HTTP/1.0', '/old', text('hello')],
    ['nothing', '/no-content', empty({}, 204)],
    [
      'a reply that tells of a body it has not',
      '/not-modified',
      empty({ etag: '"a"', 'content-length': '5' }, 304),
    ],
    [
      'cookies with commas',
      '/cookies',
      empty({
        'content-length': '0',
        'set-cookie': ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'],
      }),
    ],
  ])('%s is read', async (_what, path, reply) => {
    expect(await ask('GET', path)).toEqual(reply);
    expect(await ask('POST', path)).toEqual(reply);
  });

  test.each(['/deflate', '/twice'])('a coding that is not undone is told: %s', async (path) => {
    const headers = { 'content-encoding': expect.any(String) };
    expect(await ask('GET', path)).toMatchObject(success({ headers, body_encoding: 'base64' }));
  });

  test.each([
    ['ends within its coding', '/cut-gzip'],
    ['is not of its coding', '/no-gzip'],
    ['goes on behind its coding', '/gzip-and-more'],
    ['is cut within a chunk', '/half-chunk'],
    ['ends without its last chunk', '/no-last-chunk'],
    ['has two lengths', '/two-lengths'],
    ['is of another protocol', '/no-http'],
    ['turns to a protocol that nobody asked for', '/upgrade'],
  ])('a reply that %s is none', async (_what, path) => {
    expect(await ask('GET', path)).toEqual(LOST);
    expect(await ask('POST', path)).toEqual(unknown('The connection was lost'));
  });

  test.each(['/slow', '/slow-head'])('the deadline ends what drips: %s', async (path) => {
    expect(await ask('GET', path)).toEqual(LATE);
    expect(await ask('POST', path)).toEqual(unknown('The deadline passed'));
  });

  test('a body of many zeros is too large, however small it came', async () => {
    const message = 'The reply is larger than 100000 bytes';
    expect(await ask('GET', '/bomb')).toEqual(refusal('RESULT_TOO_LARGE', message));
    expect(await ask('POST', '/bomb')).toEqual(
      refusal('RESULT_TOO_LARGE', message, [
        { source: 'http', code: '200', message, applied: true },
      ]),
    );
  });

  test('a write to a server that is not there did not take effect', async () => {
    const gone = await startHttpServer();
    const config = { write_conn: { url: gone.url }, transport };
    const endpoint = `gone-${transport}`;
    const made = await organization.call('POST', '/endpoints', { endpoint, kind: 'http', config });
    expect(made).toMatchObject({ status: 200 });
    await gone.stop();
    const write = { method: 'POST', body: 'x', retry: false };
    const path = `/endpoints/${endpoint}/write`;
    // What answered a moment ago is not looked at by the edge: then it does not know.
    await organization.call('POST', path, write);
    expect(await organization.call('POST', path, write)).toMatchObject({
      status: 502,
      body: { code: 'CONNECTION_FAILED' },
    });
  });
});
