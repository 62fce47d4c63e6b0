/** `/json/parse` and `/json/reduce`: what paths find, and what is left when only that is kept. */
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Json, type JsonObject, setMember } from '../../proto/json.ts';
import { whole } from '../../proto/work/pieces.ts';
import { Path } from '../language/paths/path.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';
import { parsePaths } from './parse.ts';
import { reduce } from './reduce.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway('Read');
});
const post = (operation: string, body: Json) => gateway.call('POST', `/json/${operation}`, body);

const DOCUMENT: Json = {
  users: [
    { name: 'Ada', age: 36 },
    { name: 'Bo', age: 17 },
    { name: 'Cy', age: 50 },
  ],
  meta: { 'a.b': 1, total: 3 },
};

describe('each path finds its values, and keeps them where they were', () => {
  test.each<[paths: string[], parsed: JsonObject, reduced: Json]>([
    [['meta.total'], { 'meta.total': 3 }, { meta: { total: 3 } }],
    [
      ['users[1].name', '/users/0/age'],
      { 'users[1].name': 'Bo', '/users/0/age': 36 },
      { users: [{ age: 36 }, { name: 'Bo' }] },
    ],
    [
      ['users/../name'],
      { 'users/0/name': 'Ada', 'users/1/name': 'Bo', 'users/2/name': 'Cy' },
      { users: [{ name: 'Ada' }, { name: 'Bo' }, { name: 'Cy' }] },
    ],
    [['users/1..2/age'], { 'users/1/age': 17 }, { users: [null, { age: 17 }] }],
    [
      ['users/1../age'],
      { 'users/1/age': 17, 'users/2/age': 50 },
      { users: [null, { age: 17 }, { age: 50 }] },
    ],
    [
      ['$.users[?@.age > 20].name'],
      { "$['users'][0]['name']": 'Ada', "$['users'][2]['name']": 'Cy' },
      { users: [{ name: 'Ada' }, null, { name: 'Cy' }] },
    ],
    [['$.meta.total'], { '$.meta.total': 3 }, { meta: { total: 3 } }],
    [['$..total'], { "$['meta']['total']": 3 }, { meta: { total: 3 } }],
    [['$.users[-3].name'], { '$.users[-3].name': 'Ada' }, { users: [{ name: 'Ada' }, null, null] }],
    [
      ['$.users[:-2].name'],
      { "$['users'][0]['name']": 'Ada' },
      { users: [{ name: 'Ada' }, null, null] },
    ],
    [['meta.a\\.b'], { 'meta.a\\.b': 1 }, { meta: { 'a.b': 1 } }],
    [
      ['meta', 'meta.total'],
      { meta: { 'a.b': 1, total: 3 }, 'meta.total': 3 },
      { meta: { 'a.b': 1, total: 3 } },
    ],
    [
      ['meta.total', 'meta', 'meta.total'],
      { 'meta.total': 3, meta: { 'a.b': 1, total: 3 } },
      { meta: { 'a.b': 1, total: 3 } },
    ],
    [['$.users[0,0].name'], { "$['users'][0]['name']": 'Ada' }, { users: [{ name: 'Ada' }] }],
    [[''], { '': DOCUMENT }, DOCUMENT],
    [['$'], { $: DOCUMENT }, DOCUMENT],
    [['none', 'users[7]', 'meta.total.x'], {}, {}],
    [[], {}, {}],
  ])('%j', async (paths, parsed, reduced) => {
    const body = { json: DOCUMENT, paths };
    expect(await post('parse', body)).toEqual({ status: 200, body: parsed });
    expect(await post('reduce', body)).toEqual({ status: 200, body: reduced });
  });

  test.each<[Json, string[], Json]>([
    [[1, 2, 3], ['[1]'], [null, 2]],
    [[1, 2, 3], [], []],
    [[1, 2, 3], ['$[-5]'], []],
    [5, [''], 5],
    [5, ['a'], null],
    [
      [[1, 2], { a: 3 }],
      ['[0][1]', '[1].a'],
      [[null, 2], { a: 3 }],
    ],
    [{ b: 1, a: 2, c: 3 }, ['a', 'b'], { b: 1, a: 2 }],
    [{ a: { b: {} } }, ['a.b'], { a: { b: {} } }],
  ])('%j reduced to %j', async (json, paths, reduced) => {
    const { status, body } = await post('reduce', { json, paths });
    expect([status, JSON.stringify(body)]).toEqual([200, JSON.stringify(reduced)]);
  });

  test.each(['json', 'value', 'input'])('of the document called %s', async (name) => {
    const body = { [name]: { a: 1, b: 2 }, paths: ['a'] };
    expect(await post('parse', body)).toEqual({ status: 200, body: { a: 1 } });
    expect(await post('reduce', body)).toEqual({ status: 200, body: { a: 1 } });
  });
});

describe.each(['parse', 'reduce'])('%s refuses', (operation) => {
  test.each<[Json, { path: string; message: string }[]]>([
    [{ paths: ['a'] }, [{ path: 'json', message: 'is required' }]],
    [{ json: 1 }, [{ path: 'paths', message: 'is required' }]],
    [
      { json: 1, value: 1, paths: [] },
      [{ path: 'value', message: 'is the same member as json: give one of them' }],
    ],
    [
      { json: 1, paths: [], path: 'a' },
      [{ path: 'body', message: '"path" is not known; did you mean "paths"?' }],
    ],
    [{ json: 1, paths: 'a' }, [{ path: 'paths', message: 'must be an array, not a string' }]],
    [
      { json: 1, paths: ['a', 5] },
      [{ path: 'paths.1', message: 'must be a string, not a number' }],
    ],
    [
      { json: 1, paths: Array.from({ length: 1001 }, () => 'a') },
      [{ path: 'paths', message: 'must have at most 1000 elements' }],
    ],
    [
      { json: 1, paths: ['a', '$.a[', 'b..c', '/a~', 'a/~2'] },
      [
        { path: 'paths.1', message: 'does not parse at its end: unclosed bracketed selection' },
        {
          path: 'paths.2',
          message: 'does not parse at character 3, ".c": a name is missing; the empty name is \\0',
        },
        {
          path: 'paths.3',
          message: 'does not parse at character 3, "~": a tilde of a name is written ~0',
        },
        {
          path: 'paths.4',
          message: 'does not parse at character 3, "~2": a tilde of a name is written ~0',
        },
      ],
    ],
    [
      { json: Array.from({ length: 5_000 }, (_, at) => at), paths: ['$[?$[?@ < 0]]'] },
      [
        {
          path: 'paths',
          message: 'take more than 20000000 steps in this document; ask for less at once',
        },
      ],
    ],
  ])('%#', async (body, details) => {
    const [first] = details;
    expect(await post(operation, body)).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', `${first?.path}: ${first?.message}`, details),
    });
  });
});

test('values that are asked for again and again make no result without an end', async () => {
  const small = await startGateway('Read', { bindings: { BODY_MAX_BYTES: 10_000 } });
  const json = Array.from({ length: 20 }).reduce<Json>(
    (inner) => ({ a: inner, b: 'x'.repeat(200) }),
    1,
  );
  expect(await small.call('POST', '/json/parse', { json, paths: ['$..*'] })).toEqual({
    status: 400,
    body: failure('RESULT_TOO_LARGE', 'The result is larger than 40000 bytes'),
  });
});

const name = fc.constantFrom('a', 'b', '', '__proto__', 'a.b', '0', '/', "'");
const { value: anyDocument } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<Json>(null, 1, 'x', {}, []),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((members) => {
      const made: JsonObject = {};
      for (const [each, value] of members) setMember(made, each, value);
      return made;
    }),
  ),
}));
/** Every sort of path but filters, which may ask for what they do not keep. */
const anyPath = fc
  .oneof(
    fc
      .string({
        unit: fc.constantFrom(
          '.a',
          '[0]',
          '[*]',
          '[-1]',
          '[-2:]',
          '[::-2]',
          '..b',
          "['__proto__']",
          '[1,0]',
          '..*',
        ),
        maxLength: 3,
      })
      .map((rest) => `$${rest}`),
    fc.string({ unit: fc.constantFrom('/a', '/0', '/b', '/__proto__', '/'), maxLength: 3 }),
    fc
      .string({ unit: fc.constantFrom('/a', '/..', '/1..', '/0..2', '/0'), maxLength: 3 })
      .map((rest) => `a${rest}`),
    fc.constantFrom('..', '../a', 'a', 'a.b', '[0].a', 'a[1]', '__proto__.a', 'a\\.b'),
  )
  .map((text) => new Path(text));

/** What `parse` hands over, as text: `__proto__` counts. */
function parsed(json: Json, paths: readonly Path[]): string {
  const entries: [string, Json][] = [];
  whole(
    parsePaths({ json, paths }, (path, value) => {
      entries.push([path, value]);
      return undefined;
    }),
  );
  return JSON.stringify(entries.toSorted());
}

test('what is kept is found again: to reduce twice is to reduce once', () => {
  void fc.assert(
    fc.property(anyDocument, fc.array(anyPath, { maxLength: 4 }), (json, paths) => {
      const once = whole(reduce({ json, paths }));
      expect(JSON.stringify(whole(reduce({ json: once, paths })))).toBe(JSON.stringify(once));
      expect(parsed(once, paths)).toBe(parsed(json, paths));
    }),
    { numRuns: 10_000 },
  );
});
