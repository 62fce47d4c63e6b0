/** `/json/flatten` and `/json/unflatten`: each undoes the other, whatever the names are. */
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Json, type JsonObject, setMember } from '../../proto/json.ts';
import { whole } from '../../proto/work/pieces.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';
import { flatten } from './flatten.ts';
import { unflatten } from './unflatten.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway('Read');
});
const post = (operation: string, body: Json) => gateway.call('POST', `/json/${operation}`, body);

describe('flatten', () => {
  test.each<[Json, JsonObject]>([
    [{ a: { b: [{ c: 1 }] } }, { 'a.b[0].c': 1 }],
    [[1, [2]], { '[0]': 1, '[1][0]': 2 }],
    [
      { a: {}, b: [], c: [{}] },
      { a: {}, b: [], 'c[0]': {} },
    ],
    [
      { 'a.b': 1, 'c[0]': 2, 'd\\e': 3, '': { '': 4 }, '/': 5, $: 6 },
      {
        'a\\.b': 1,
        'c\\[0\\]': 2,
        'd\\\\e': 3,
        '\\0.\\0': 4,
        '/': 5,
        $: 6,
      },
    ],
    [5, { '': 5 }],
    [null, { '': null }],
    [[], { '': [] }],
    [{}, {}],
  ])('%j', async (value, flat) => {
    expect(await post('flatten', { value })).toEqual({ status: 200, body: flat });
    expect(await post('unflatten', flat)).toEqual({ status: 200, body: value });
  });

  test.each<[Json, string, JsonObject]>([
    [{ a: 1 }, 'p', { 'p.a': 1 }],
    [{ '': 1 }, 'p.q', { 'p.q.\\0': 1 }],
    [[1, { a: 2 }], 'p', { 'p[0]': 1, 'p[1].a': 2 }],
    [5, 'p', { p: 5 }],
    [[], 'p', { p: [] }],
    [{}, 'p', { p: {} }],
    [{ a: 1 }, '', { a: 1 }],
  ])('%j under the prefix "%s"', async (value, prefix, flat) => {
    expect(await post('flatten', { value, prefix })).toEqual({ status: 200, body: flat });
  });

  test.each(['json', 'value', 'input'])('takes the value as %s', async (name) => {
    expect(await post('flatten', { [name]: { a: 1 } })).toEqual({ status: 200, body: { a: 1 } });
  });
});

describe('unflatten', () => {
  test.each<[JsonObject, Json]>([
    [{ 'a[2]': 1 }, { a: [null, null, 1] }],
    [{ '[1]': 'b', '[0]': 'a' }, ['a', 'b']],
    [{ 'a.0': 1 }, { a: { '0': 1 } }],
    [
      { a: { b: 1 }, c: [1, [2]] },
      { a: { b: 1 }, c: [1, [2]] },
    ],
    [{ '': { a: 1 } }, { a: 1 }],
  ])('%j', async (flat, value) => {
    expect(await post('unflatten', flat)).toEqual({ status: 200, body: value });
  });
});

describe('a name that is no path, or is in the way of another, is refused', () => {
  const long = 'a'.repeat(200);
  test.each<[JsonObject, string, string]>([
    [{ a: 1, 'a.b': 2 }, 'a.b', 'there is a value above it already'],
    [{ 'a.b': 1, a: 2 }, 'a', 'there are values below it already'],
    [{ a: [], 'a[0]': 1 }, 'a[0]', 'there is a value above it already'],
    [{ 'a[0]': 1, 'a.b': 2 }, 'a.b', 'an array is there already, which takes indexes alone'],
    [{ 'a.b': 1, 'a[0]': 2 }, 'a[0]', 'an object is there already, which takes names alone'],
    [{ '': 1, a: 2 }, 'a', 'there is a value above it already'],
    [
      { 'a[4294967295]': 1 },
      'a[4294967295]',
      'it leaves more than 1000000 elements without a value',
    ],
    [
      { 'a..b': 1 },
      'a..b',
      'does not parse at character 3, ".b": a name is missing; the empty name is \\0',
    ],
    [
      { 'a[x]': 1 },
      'a[x]',
      'does not parse at character 3, "x]": in brackets stands an index; a bracket of a name is written \\[',
    ],
    [
      { [`${long}[`]: 1 },
      `${'a'.repeat(100)}…`,
      'does not parse at character 201, "[": the bracket is not closed',
    ],
    [{ [`${'a.'.repeat(50_000)}a`]: 1 }, `${'a.'.repeat(50)}…`, 'has more than 1000 steps'],
  ])('%#: %s', async (flat, path, message) => {
    expect(await post('unflatten', flat)).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', `${path}: ${message}`, [{ path, message }]),
    });
  });
});

describe('bodies that are not as they should be', () => {
  test.each<[string, Json, string, string]>([
    ['flatten', {}, 'value', 'is required'],
    ['flatten', { value: 1, json: 2 }, 'value', 'is the same member as json: give one of them'],
    ['flatten', { value: 1, prefix: 5 }, 'prefix', 'must be a string, not a number'],
    [
      'flatten',
      { value: 1, prefixes: 'p' },
      'body',
      '"prefixes" is not known; did you mean "prefix"?',
    ],
    ['unflatten', [1], 'body', 'is not an object'],
    ['unflatten', 1, 'body', 'is not an object'],
  ])('%s %j', async (operation, body, path, message) => {
    expect(await post(operation, body)).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', `${path}: ${message}`, [{ path, message }]),
    });
  });
});

test('a result that is much larger than the body is refused', async () => {
  const small = await startGateway('Read', { bindings: { BODY_MAX_BYTES: 2_000 } });
  const value = { ['a'.repeat(500)]: Array.from({ length: 100 }, () => 1) };
  expect(await small.call('POST', '/json/flatten', { value })).toEqual({
    status: 400,
    body: failure('RESULT_TOO_LARGE', 'The result is larger than 8000 bytes'),
  });
});

const part = fc.constantFrom(
  '.',
  '[',
  ']',
  '[0]',
  '\\',
  '\\0',
  '__proto__',
  'constructor',
  '0',
  '12',
  '-1',
  '$',
  '/',
  '~1',
  'é',
  '漢',
  '\u{1F600}',
  '\ud800',
  '\udc00',
  '\u0000',
  ' ',
  'a',
);
const name = fc.string({ unit: part, maxLength: 4 });
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<Json>(null, true, false, {}, []),
    fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.constant(JSON.rawJSON('12345678901234567890')),
    fc.string({ unit: part }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map(objectOf),
  ),
}));

function objectOf(members: readonly (readonly [string, Json])[]): JsonObject {
  const made: JsonObject = {};
  for (const [each, value] of members) setMember(made, each, value);
  return made;
}

test('unflatten undoes flatten for 10,000 values with hostile names', () => {
  void fc.assert(
    fc.property(anyValue, (value) => {
      const flat: JsonObject = {};
      const put = (path: string, leaf: Json) => {
        expect(Object.hasOwn(flat, path)).toBe(false);
        setMember(flat, path, leaf);
      };
      whole(flatten(value, '', put));
      expect(JSON.stringify(whole(unflatten(flat)))).toBe(JSON.stringify(value));
    }),
    { numRuns: 10_000 },
  );
});
