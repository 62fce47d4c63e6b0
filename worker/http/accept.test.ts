/** Forms of replies, as clients name them. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { startGateway } from '../test/gateway.ts';
import { demandAcceptable, formsOf, takesJson } from './accept.ts';

const formsFor = (accept: string | undefined) =>
  formsOf(new Request('http://x/', accept === undefined ? {} : { headers: { accept } }));

test.each([
  'application/x-ndjson',
  'Application/X-NDJSON',
  'application/x-ndjson;charset=utf-8',
  'application/x-ndjson ; q=0.5',
  'application/x-ndjson;q=0.001',
  'application/json, application/x-ndjson',
  'application/json;q=0.9,application/x-ndjson',
  'text/html;title="a, b; q=0", application/x-ndjson;q="1"',
  'application/x-ndjson;note="application/json", */*;q=0.1',
  'text/plain,,application/x-ndjson',
])('%j asks for NDJSON', (accept) => {
  expect(formsFor(accept)).toEqual(['lines']);
});

test.each([
  undefined,
  '',
  '*/*',
  'application/*',
  'application/json',
  'application/x-ndjson;q=0',
  'application/x-ndjson; Q=0.000',
  'application/x-ndjson2',
  'xapplication/x-ndjson',
  'text/html;note="application/x-ndjson"',
  'text/html;note="a,application/x-ndjson,b"',
  'application/json, application/x-ndjson;q=0.9',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
])('%j does not', (accept) => {
  expect(formsFor(accept)).toEqual([]);
});

test.each([
  ['text/event-stream', ['events']],
  ['text/event-stream;q=0', []],
  ['application/x-ndjson, text/event-stream;q=0', ['lines']],
  ['text/event-stream, application/x-ndjson', ['lines', 'events']],
  ['application/x-ndjson;header=columns', ['told-lines']],
  ['application/x-ndjson; header="columns"; q=0.4', ['told-lines']],
  ['application/x-ndjson;header=none', ['lines']],
  ['text/csv', ['csv']],
  ['Text/CSV; charset=utf-8', ['csv']],
  ['text/csv;q=0', []],
  ['text/csv;q=0.5, application/x-ndjson', ['lines', 'csv']],
  ['application/x-ndjson;q=0.5, text/csv', ['csv', 'lines']],
  ['text/csv;q=0.8, application/json', []],
  ['text/*', ['csv', 'events']],
  ['text/*, text/csv;q=0', ['events']],
  ['text/*, application/json;q=0.1', []],
  ['application/json;q=0, */*', ['lines', 'csv', 'events']],
  ['application/*;q=0.2, application/json;q=0, text/*', ['csv', 'events', 'lines']],
] as const)('%j asks for %j, what is wanted most first', (accept, forms) => {
  expect(formsFor(accept)).toEqual(forms);
});

test('of another product’s protocol, ranges with wildcards ask for nothing', () => {
  const request = new Request('http://x/', { headers: { accept: 'text/*' } });
  expect(formsOf(request, false)).toEqual([]);
});

test.each<[string | undefined, boolean]>([
  [undefined, true],
  ['', true],
  ['application/*', true],
  ['text/event-stream, application/json', true],
  ['text/event-stream', false],
  ['*/*, application/json;q=0', false],
])('%j takes JSON: %s', (accept, takes) => {
  expect(takesJson(accept)).toBe(takes);
});

const EVENTS = { 'text/event-stream': z.string() };
const demandOf = (accept: string | undefined, streams?: object) => () =>
  demandAcceptable(new Request('http://x/', accept === undefined ? {} : { headers: { accept } }), {
    ...(streams ? { streams } : {}),
  });

test.each([
  undefined,
  '',
  ',',
  '*/*',
  '*/*;q=0.1',
  'application/*',
  'application/json',
  'Application/JSON; charset=utf-8',
  'application/json;q=0.001, text/html',
  'text/html, */*;q=0.8',
  // Chrome, Firefox and Safari, opening a page.
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  // axios, got, requests and Go's and Java's clients.
  'application/json, text/plain, */*',
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
])('%j takes JSON', (accept) => {
  expect(demandOf(accept)).not.toThrow();
});

test.each([
  'text/html',
  'application/xml',
  'application/json;q=0',
  'application/json;q=0, */*',
  'application/*;q=0, */*',
  '*/*;q=0',
  'text/*',
  'application/vnd.api+json',
  'application/x-ndjson',
  'text/event-stream',
])('%j does not, and is told what there is', (accept) => {
  const message = 'Accept takes none of the forms of this reply: application/json';
  expect(demandOf(accept)).toThrow(
    expect.objectContaining({
      code: 'NOT_ACCEPTABLE',
      message,
      details: [{ path: 'Accept', message }],
    }),
  );
});

test.each(['text/event-stream', 'text/*', 'application/json;q=0, text/event-stream'])(
  '%j takes a reply that comes as events, too',
  (accept) => {
    expect(demandOf(accept, EVENTS)).not.toThrow();
  },
);

test('a caller who may not call an operation is told that, whatever they accept', async () => {
  const gateway = await startGateway('Read');
  const ask = async (path: string, bearer: string) => {
    const headers = { Accept: 'text/html', Authorization: `Bearer ${bearer}` };
    const response = await gateway.send(path, { headers });
    return [
      response.status,
      response.headers.get('Content-Type'),
      (await response.json<{ code: string }>()).code,
    ];
  };
  const json = 'application/json; charset=utf-8';
  expect(await ask('/nodes', 'none')).toEqual([401, json, 'TOKEN_INVALID']);
  expect(await ask('/audit', await gateway.token())).toEqual([403, json, 'FORBIDDEN']);
  expect(await ask('/nodes', await gateway.token())).toEqual([406, json, 'NOT_ACCEPTABLE']);
});
