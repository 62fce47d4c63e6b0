/** Promises of requests.ts: a request is read as the worker read it. */
import { describe, expect, test, vi } from 'vitest';
import { pointIn, resolveReferences } from '../kinds/result-references.ts';
import type { Json } from '../proto/json.ts';
import { type Pieces, whole } from '../proto/work/pieces.ts';
import { writtenText } from '../proto/written-json.ts';
import { parse, parseInPieces, parseOperations, parseOperationsInPieces } from './requests.ts';
import type { CallTarget } from './target.ts';

// Only what reading looks at.
const target = (kind: string) => ({ kind, mode: 'read' }) as unknown as CallTarget;
const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['mongo', '"type": "find", "collection": "a"', '1e4', 10_000],
  ['mongo', '"type": "find", "collection": "a"', '250.0', 250],
  ['postgres', '"query": "SELECT 1"', '1e4', 10_000],
])('a deadline of %s may be written as any number', (kind, members, written, value) => {
  const request = parse(target(kind), bytes(`{${members}, "timeout_ms": ${written}}`));
  expect(request.timeout_ms).toBe(value);
});

test.each(['0', '1.5', '1e400', '"10"'])('a deadline of %s is refused', (written) => {
  const text = `{"type": "find", "collection": "a", "timeout_ms": ${written}}`;
  expect(() => parse(target('mongo'), bytes(text))).toThrow(/timeout_ms/);
});

/** What work answers, and how often others could work meanwhile. */
function pausing<Result>(pieces: Pieces<Result>): [Result, number] {
  let pauses = 0;
  let piece = pieces.next();
  for (; !piece.done; piece = pieces.next()) pauses += 1;
  return [piece.value, pauses];
}

describe('a request of 1 MiB', () => {
  const many = `[${'[1,"a"],'.repeat(130_000)}0]`;
  test.each([
    ['postgres', `{"query": "SELECT $1", "params": [${many}]}`],
    ['mongo', `{"type": "find", "collection": "a", "filter": {"a": ${many}}}`],
  ])('of kind %s is read in pieces: others work between', (kind, text) => {
    const [request, pauses] = pausing(parseInPieces(target(kind), bytes(text)));
    expect(pauses).toBeGreaterThan(25);
    expect(JSON.stringify(request) === JSON.stringify(parse(target(kind), bytes(text)))).toBe(true);
  });

  test('is as many operations as they are, each read by itself', () => {
    const operations = Array.from({ length: 500 }, (_, at) => ({ query: `SELECT ${at}` }));
    const sent = bytes(JSON.stringify(operations));
    const [read, pauses] = pausing(parseOperationsInPieces(target('postgres'), sent));
    expect(read).toEqual(parseOperations(target('postgres'), sent));
    expect(pauses).toBeGreaterThan(500);
  });
});

test.each([
  ['is no JSON', '{"query": "SELECT 1"', /^request: is not JSON$/],
  ['nests too deep', `{"params": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`, /^request: nests/],
  ['has a member too much', '{"query": "SELECT 1", "other": 1}', /other/],
])('what %s is refused in pieces, too', (_, text, message) => {
  const large = bytes(text.padEnd(40_000));
  expect(() => whole(parseInPieces(target('postgres'), large))).toThrow(message);
});

test.each([
  ['mysql', '{"query": "SELECT ?", "params": [VALUE]}', ['params', '0']],
  ['mysql', '{"query": "SELECT :a", "params": {"a": VALUE}}', ['params', 'a']],
  ['clickhouse', '{"query": "SELECT {a:JSON}", "params": {"a": VALUE}}', ['params', 'a']],
  ['http', '{"type": "request", "method": "POST", "path": "/", "body": VALUE}', ['body']],
])(
  'a large value that %s is sent as JSON is written before it is asked for: %s',
  (kind, text, path) => {
    const value = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ at })));
    const to = { kind, mode: 'write' } as unknown as CallTarget;
    const [request] = pausing(parseInPieces(to, bytes(text.replace('VALUE', value))));
    const read = path.reduce((at: unknown, name) => (at as Record<string, unknown>)[name], request);
    const stringify = vi.spyOn(JSON, 'stringify');
    try {
      expect(writtenText(read as Json) === value).toBe(true);
      expect(stringify).not.toHaveBeenCalled();
    } finally {
      stringify.mockRestore();
    }
  },
);

describe('operations of a large transaction', () => {
  const REFERENCE = { $result: '[0].rows' };
  const read = (text: string) => {
    const [request] = whole(parseOperationsInPieces(target('postgres'), bytes(text)));
    return (request as unknown as { params: Json[] }).params;
  };
  const resolved = (params: Json[]) =>
    resolveReferences(
      params,
      pointIn(() => ({ rows: 'found' })),
      'unwrapped',
    );

  test('are not looked through where their text has no reference', () => {
    const params = read(`[{"query": "SELECT $1", "params": ["a"]}]`);
    // One that comes later than the text stays, as nobody looks.
    params.push(REFERENCE);
    expect(resolved(params)).toEqual(['a', REFERENCE]);
  });

  test.each(['{"$result": "[0].rows"}', '{"\\u0024result": "[0].rows"}'])(
    'are looked through where it has %s',
    (reference) => {
      const params = read(`[{"query": "SELECT $1", "params": [${reference}]}]`);
      expect(resolved(params)).toEqual(['found']);
    },
  );

  test('are looked through where it has a literal', () => {
    const params = read(`[{"query": "SELECT $1", "params": [{"$literal": 1}]}]`);
    expect(resolved(params)).toEqual([1]);
  });
});
