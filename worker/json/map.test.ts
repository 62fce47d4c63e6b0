/** `/json/map`: builds the output that the mappings ask for, and nothing that does not fit the schema. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway('Read');
});
const map = (input: Json, schema: Json, mappings: Json) =>
  gateway.call('POST', '/json/map', { input, schema, mappings });

const INPUT: Json = {
  user: { first: 'Ada', age: 36, 'e.mail': 'ada@example.com' },
  orders: [{ id: 1, total: 9.5 }, { id: 2 }, { id: 3, total: 1 }],
  none: null,
};

describe('mappings go from paths of the input to paths of the output', () => {
  test.each<[string, { [source: string]: string }, Json]>([
    [
      'dotted',
      { 'user.first': 'name', 'user.age': 'details.age' },
      { name: 'Ada', details: { age: 36 } },
    ],
    [
      'in any notation',
      { '/user/first': '/a/b', 'user/age': 'c/d', '$.none': "$['e']['f.g']" },
      { a: { b: 'Ada' }, c: { d: 36 }, e: { 'f.g': null } },
    ],
    ['to elements', { 'user.first': 'list[1]', 'user.age': '/list/0' }, { list: [36, 'Ada'] }],
    ['with gaps', { 'user.first': 'list[2]' }, { list: [null, null, 'Ada'] }],
    [
      'with names that are escaped',
      { 'user.e\\.mail': 'e\\.mail' },
      { 'e.mail': 'ada@example.com' },
    ],
    [
      'of whole parts',
      { user: 'person', '': 'all' },
      { person: (INPUT as { user: Json }).user, all: INPUT },
    ],
    ['to the whole output', { 'orders[0]': '' }, { id: 1, total: 9.5 }],
    [
      'what is not there is left out',
      { 'user.last': 'last', 'user.first': 'first' },
      { first: 'Ada' },
    ],
    [
      'a path of several values gives all of them',
      { 'orders/../total': 'totals', '$..id': 'ids' },
      { totals: [9.5, 1], ids: [1, 2, 3] },
    ],
    [
      'also one, or none',
      { 'orders/..1/id': 'one', '$.nothing[*]': 'none' },
      { one: [1], none: [] },
    ],
    ['from an end', { '$.orders[-1].id': 'last' }, { last: 3 }],
    ['nothing', {}, {}],
    ['nothing that is there', { x: 'y' }, {}],
    [
      'a name like __proto__',
      { 'user.first': '__proto__.name' },
      JSON.parse('{"__proto__":{"name":"Ada"}}'),
    ],
  ])('%s', async (_, mappings, output) => {
    const { status, body } = await map(INPUT, true, mappings);
    expect([status, JSON.stringify(body)]).toEqual([200, JSON.stringify(output)]);
  });

  test.each(['input', 'json', 'value'])('of what is called %s', async (name) => {
    const body = { [name]: INPUT, schema: { n: 'string' }, mappings: { 'user.first': 'n' } };
    expect(await gateway.call('POST', '/json/map', body)).toEqual({
      status: 200,
      body: { n: 'Ada' },
    });
  });
});

describe('mappings go the other way when their names are paths of the schema', () => {
  const expected = { status: 200, body: { name: 'Ada', first: 1 } };
  const reversed = { name: 'user.first', first: 'orders[0].id' };

  test.each<[string, Json]>([
    ['a skeleton', { name: 'string', first: 'number' }],
    ['a schema', { type: 'object', properties: { name: { type: 'string' }, first: true } }],
    [
      'a schema of parts',
      {
        $defs: { 'a/b': { properties: { name: {} } } },
        allOf: [{ $ref: '#/$defs/a~1b' }, { anyOf: [{ properties: { first: {} } }] }],
      },
    ],
  ])('%s', async (_, schema) => {
    expect(await map(INPUT, schema, reversed)).toEqual(expected);
  });

  test('a type stands for each of several values, and may be of none', async () => {
    const schema = { ids: { all: 'number' }, any: 'any', first: 'String', x: 'string' };
    const mappings = { 'ids/all': 'orders/../id', any: 'orders/../id', first: 'user/first' };
    expect(await map(INPUT, schema, { ...mappings, x: 'nope' })).toEqual({
      status: 200,
      body: { ids: { all: [1, 2, 3] }, any: [1, 2, 3], first: 'Ada' },
    });
  });

  test('also with elements and parts of parts', async () => {
    const schema = { list: [{ id: 'number' }], user: { name: 'string' } };
    const mappings = { 'list[0].id': 'orders[1].id', '/user/name': 'user.first' };
    expect(await map(INPUT, schema, mappings)).toEqual({
      status: 200,
      body: { list: [{ id: 2 }], user: { name: 'Ada' } },
    });
  });

  test('not when all values are paths of the schema too', async () => {
    const schema = { properties: { a: {}, b: {} } };
    expect(await map({ a: 1, b: 2 }, schema, { a: 'b' })).toEqual({ status: 200, body: { b: 1 } });
  });

  test('not when one name is none of its paths', async () => {
    const schema = { properties: { a: {} } };
    const mappings = { a: 'x', b: 'y' };
    expect(await map({ a: 1, b: 2 }, schema, mappings)).toEqual({
      status: 200,
      body: { x: 1, y: 2 },
    });
  });

  test('a schema that refers in a circle ends', async () => {
    const schema = {
      $defs: { node: { properties: { next: { $ref: '#/$defs/node' }, id: {} } } },
      $ref: '#/$defs/node',
    };
    const mappings = { 'next.next.id': 'user.age' };
    expect(await map(INPUT, schema, mappings)).toEqual({
      status: 200,
      body: { next: { next: { id: 36 } } },
    });
  });
});

describe('what does not fit is told with its path', () => {
  const refused = (details: { path: string; message: string }[], start = '') => ({
    status: 400,
    body: failure('BAD_REQUEST', `${start}${details[0]?.path}: ${details[0]?.message}`, details),
  });

  test('all of the output', async () => {
    const schema = { name: 'number', tags: ['string'], age: 'string' };
    const mappings = { 'user.first': 'name', 'orders/../id': 'tags', 'user.age': 'age' };
    const reply = await map(INPUT, schema, mappings);
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    const { details = [] } = reply.body as { details?: { path: string }[] }; // Its status says so.
    expect(details.map(({ path }) => path).toSorted()).toEqual([
      'age',
      'name',
      'tags[0]',
      'tags[1]',
      'tags[2]',
    ]);
  });

  test('an output that is none of its members', async () => {
    const reply = await map(INPUT, { type: 'array' }, { 'user.first': 'name' });
    expect(reply).toMatchObject({
      status: 400,
      body: {
        code: 'BAD_REQUEST',
        message: expect.stringMatching(/^The output does not fit the schema: /),
      },
    });
  });

  test.each<[{ [source: string]: string }, { path: string; message: string }[]]>([
    [
      { 'a..b': 'x', a: 'b[' },
      [
        {
          path: 'mappings.a\\.\\.b',
          message:
            '"a..b" does not parse at character 3, ".b": a name is missing; the empty name is \\0',
        },
        {
          path: 'mappings.a',
          message: '"b[" does not parse at character 2, "[": the bracket is not closed',
        },
      ],
    ],
    [
      { user: 'x/..' },
      [{ path: 'mappings.user', message: 'the path in the output does not name one place' }],
    ],
    [
      { user: '$.x[*]' },
      [{ path: 'mappings.user', message: 'the path in the output does not name one place' }],
    ],
    [
      { user: '$.x[-1]' },
      [{ path: 'mappings.user', message: 'the path in the output does not name one place' }],
    ],
    [
      { user: 'x', 'user.first': 'x.name' },
      [{ path: 'mappings.user\\.first', message: 'there is a value above it already' }],
    ],
    [
      { user: 'x', 'user.first': 'x' },
      [{ path: 'mappings.user\\.first', message: 'there is a value already' }],
    ],
    [
      { user: 'x[2000000]' },
      [{ path: 'mappings.user', message: 'it leaves more than 1000000 elements without a value' }],
    ],
  ])('mappings %j', async (mappings, details) => {
    expect(await map(INPUT, true, mappings)).toEqual(refused(details));
  });

  test.each<[Json, string, string]>([
    [{ schema: true, mappings: {} }, 'input', 'is required'],
    [
      { input: 1, json: 1, schema: true, mappings: {} },
      'input',
      'is the same member as json: give one of them',
    ],
    [{ input: 1, mappings: {} }, 'schema', 'is required'],
    [{ input: 1, schema: true }, 'mappings', 'is not an object of at most 1000 paths, each a text'],
    [
      { input: 1, schema: true, mappings: { a: 1 } },
      'mappings',
      'is not an object of at most 1000 paths, each a text',
    ],
    [
      { input: 1, schema: true, mappings: ['a'] },
      'mappings',
      'is not an object of at most 1000 paths, each a text',
    ],
    [
      {
        input: 1,
        schema: true,
        mappings: Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`a${at}`, 'b'])),
      },
      'mappings',
      'is not an object of at most 1000 paths, each a text',
    ],
    [
      { input: 1, schema: true, mappings: {}, strict: true },
      'body',
      '"strict" is not known; known are json, value, input, schema, mappings',
    ],
  ])('bodies: %#', async (body, path, message) => {
    expect(await gateway.call('POST', '/json/map', body)).toEqual(refused([{ path, message }]));
  });

  test.each<[string, Json]>([
    ['is none', { type: 'nonsense' }],
    ['refers to the network', { $ref: 'https://example.com/schema.json' }],
  ])('a schema that %s', async (_, schema) => {
    expect(await map(INPUT, schema, {})).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    });
  });
});

test('parts that are asked for again and again make no output without an end', async () => {
  const small = await startGateway('Read', { bindings: { BODY_MAX_BYTES: 5_000 } });
  const input = { text: 'x'.repeat(2_000) };
  const sources = [
    'text',
    '/text',
    '$.text',
    "$['text']",
    '$["text"]',
    '$..text',
    '$[*]',
    '$.*',
    '',
    '$',
    '$[?@]',
  ];
  const mappings = Object.fromEntries(sources.map((source, at) => [source, `t${at}`]));
  expect(await small.call('POST', '/json/map', { input, schema: true, mappings })).toEqual({
    status: 400,
    body: failure('RESULT_TOO_LARGE', 'The result is larger than 20000 bytes'),
  });
});
