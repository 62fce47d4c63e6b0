/** Forms of replies, as clients name them. */
import { expect, test } from 'vitest';
import { asksFor } from './accept.ts';

const NDJSON = 'application/x-ndjson';
const asks = (accept: string | undefined, type = NDJSON) =>
  asksFor(new Request('http://x/', accept === undefined ? {} : { headers: { accept } }), type);

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
  expect(asks(accept)).toBe(true);
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
  expect(asks(accept)).toBe(false);
});

test('events are asked for alike', () => {
  expect(asks('text/event-stream', 'text/event-stream')).toBe(true);
  expect(asks('text/event-stream;q=0', 'text/event-stream')).toBe(false);
  expect(asks(`${NDJSON}, text/event-stream;q=0`, 'text/event-stream')).toBe(false);
});
