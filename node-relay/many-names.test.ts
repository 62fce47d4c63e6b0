/**
 * A value of very many names is asked for them by nobody: to list them holds the thread for a second, and the supervisor takes the part
 * for blocked. Whoever reads a large request keeps them.
 */
import { expect, test } from 'vitest';
import { bodyOf } from '../kinds/http/body.ts';
import { paramsWith } from '../kinds/mysql/dialect/operation.ts';
import { parameterOf } from '../kinds/mysql/dialect/parameters.ts';
import { parametersInPieces } from '../kinds/postgres/dialect/parameters.ts';
import { pathsInPieces, resolveReferences } from '../kinds/result-references.ts';
import type { Json, JsonObject } from '../proto/json.ts';
import { withNames } from '../proto/ordered-json.ts';
import { whole } from '../proto/work/pieces.ts';
import { writeAhead } from '../proto/written-json.ts';
import { insertion } from './drivers/clickhouse/insert.ts';
import { parametersOf } from './drivers/clickhouse/parameters.ts';
import { convertAhead, documentToBson, toBson } from './drivers/mongo/to-bson.ts';
import { references } from './drivers/mongo/transact.ts';

const NAMES = Array.from({ length: 5_000 }, (_, at) => `k${at}`);
const MEMBERS = Object.fromEntries(NAMES.map((name) => [name, 1]));
const TEXT = JSON.stringify(MEMBERS);
const point = (): Json => null;

/** A value as large requests are read, and how often it was asked for its names. */
function watched() {
  let asked = 0;
  const ownKeys = (object: object) => {
    asked += 1;
    return Reflect.ownKeys(object);
  };
  const value = new Proxy<JsonObject>({ ...MEMBERS }, { ownKeys });
  withNames(value, NAMES);
  asked = 0;
  return { value, asked: () => asked };
}

/** A value that was written when it was read. */
function written(value: JsonObject): JsonObject {
  whole(writeAhead(value));
  return value;
}

const utf8 = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const http = { type: 'request', method: 'POST', path: '/' } as const;
const insert = { type: 'insert', table: 'a' } as const;

test.each<[string, (value: JsonObject) => unknown, unknown]>([
  ['postgres', (each) => whole(parametersInPieces({ values: [each] }, () => undefined)), [TEXT]],
  ['mysql', (each) => parameterOf(written(each), 0), { sort: 'text', text: TEXT }],
  ['http', (each) => utf8(bodyOf({ ...http, body: written(each) })?.bytes), TEXT],
  [
    'clickhouse, rows',
    (each) => utf8(whole(insertion({ ...insert, rows: [written(each)] })).body),
    `${TEXT}\n`,
  ],
  [
    'clickhouse, parameters',
    (each) => decodeURIComponent(parametersOf([{ name: 'a', type: 'JSON' }], { a: written(each) })),
    `&param_a=${TEXT}`,
  ],
  ['mongo', (each) => (toBson(each, 'document') as Map<string, unknown>).size, NAMES.length],
  ['mongo, in a transaction', (each) => references(point)(each), undefined],
  ['a transaction', (each) => resolveReferences(each, point, 'unwrapped') === each, true],
  ['what a transaction refers to', (each) => whole(pathsInPieces([each])).size, 0],
  ['mysql, in a transaction', (each) => paramsWith(each, point) === each, true],
])('%s', (_, send, expected) => {
  const { value, asked } = watched();
  expect(send(value)).toEqual(expected);
  expect(asked()).toBe(0);
});

test('a document of very many names is converted in pieces before it is asked for, with what is within', () => {
  const inner = withNames(
    Object.fromEntries(NAMES.map((name) => [name, { $date: 'no date' }])),
    NAMES,
  );
  const { value } = watched();
  const request = { documents: [{ a: value }], filter: { b: [inner] } };
  let pauses = 0;
  for (const pieces = convertAhead(request); !pieces.next().done; ) pauses += 1;
  expect(pauses).toBeGreaterThan(3);
  // The same document, also in a transaction.
  expect(toBson(value, 'a')).toBe(toBson(value, 'a'));
  expect(documentToBson(value, 'a', () => undefined)).toBe(toBson(value, 'a'));
  // What cannot be converted is refused with its place.
  expect(() => toBson(inner, 'filter.b.0')).toThrow('$date is ISO 8601 text');
  expect(() => toBson(inner, 'filter.b.0')).toThrow(
    expect.objectContaining({ details: [expect.objectContaining({ path: 'filter.b.0.k0' })] }),
  );
});

test('a document of very many names that refers to an earlier result is another one in each transaction', () => {
  const reference = { $result: '[0].id' };
  const own = { ...MEMBERS, k7: [{ a: reference }] };
  const value = withNames(own as JsonObject, NAMES);
  whole(convertAhead({ documents: [value] }));
  const resultIs = (id: number) => references(() => id);
  const at = (document: unknown) => (document as Map<string, [{ a: unknown }]>).get('k7')?.[0].a;
  expect(at(documentToBson(value, 'a', resultIs(1)))).toEqual(toBson(1, ''));
  expect(at(documentToBson(value, 'a', resultIs(2)))).toEqual(toBson(2, ''));
  expect(at(toBson(value, 'a'))).toEqual(toBson(reference, ''));
});
