/** The placeholder language, and templates of each sort. Contract §8; backends.md, "Placeholder language". */
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { partsOf } from './placeholder.ts';
import { compiled, faultsOf, filled, reading, runOf, sentBy } from './test/trial.ts';

const body = (value: Json, input: JsonObject) =>
  filled('http', { method: 'POST', body: { b: value } }, input).then(({ body: sent }) => sent);

test.each<readonly [Json, JsonObject, Json]>([
  ['{{n: Number}}', { n: 5 }, 5],
  ['top {{n: Number}} of {{t}}', { n: 5, t: 'x' }, 'top 5 of x'],
  ['{{?mail: String}}', {}, null],
  ['{{?mail: String = a@b}}', {}, 'a@b'],
  ['{{?mail: String = a@b}}', { mail: null }, 'a@b'],
  ['Hi {{name}}{{?t: String}}', { name: 'Al' }, 'Hi Al'],
  [{ '{{k}}': 1 }, { k: 'z' }, { z: 1 }],
  ['{{?n: Number = 2}}', {}, 2],
  ['{{?o: Object = {"a":{"b":[1]}}}}', {}, { a: { b: [1] } }],
  ['{{?l: ARRAY=[]}}', {}, []],
  ['{{ größe }}', { größe: true }, true],
  ['{{{a}}}', { a: 'b' }, '{b}'],
  ['{{a}}', { a: '{{b}}', b: 'never' }, '{{b}}'],
  ['{{a}} {{b}}', { a: '{{b}}', b: '{{a}}' }, '{{b}} {{a}}'],
  ['a {{l: Array}} {{m: Array}}', { l: ['one'], m: [1, 2] }, 'a one [1,2]'],
  [
    '{{d}}',
    { d: JSON.rawJSON('12345678901234567890.123') },
    JSON.rawJSON('12345678901234567890.123'),
  ],
  ['{{__proto__}}', JSON.parse('{"__proto__": 1}'), 1],
])('%j with %j', async (value, input, expected) => {
  expect(await body(value, input)).toEqual({ b: expected });
});

test.each(['{{}} {{ }} {{', '}} x}}', '{{x', '{ {x} }', '{{{}}}', '{{ {a} }}'])(
  'what names nothing stays: %s',
  (text) => {
    expect(partsOf(text)).toEqual({ parts: [text] });
  },
);

test('all that is missing or of another type is told at once, and inherited names are missing', async () => {
  const request = {
    method: 'POST',
    body: ['{{a: Number}}', '{{b}}', '{{c: Boolean}}', '{{?d: Array}}', '{{e}}', '{{toString}}'],
  };
  const details = [
    { path: 'b', message: 'is required' },
    { path: 'a', message: 'must be of type number' },
    { path: 'c', message: 'must be of type boolean' },
    { path: 'd', message: 'must be of type array' },
    {
      path: 'e',
      message: 'must be a text, number, boolean or null: an array or object needs a declared type',
    },
    { path: 'toString', message: 'is required' },
  ];
  const input = { a: '5', c: 1, d: {}, e: [1] };
  const template = compiled('http', request);
  await expect(template.run(input, runOf())).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    details: expect.arrayContaining(details),
  });
  expect(template.render(input, runOf())).toMatchObject({
    success: false,
    inputValidation: { valid: false, errors: expect.arrayContaining(details) },
    transformationSteps: [],
  });
  await expect(template.run([], runOf())).rejects.toMatchObject({
    details: [{ path: 'body', message: 'must be an object of names and values' }],
  });
});

test('a render shows what would be sent, and sends nothing', () => {
  const template = compiled('postgres', { query: 'SELECT {{a}}' }, 'Read');
  expect(template.render({ a: 1 }, runOf())).toMatchObject({
    success: true,
    inputValidation: { valid: true },
    output: null,
    transformationSteps: [
      {
        rule: 'e',
        request: {
          endpoint: 'e',
          operation: 'read',
          request: { query: 'SELECT $1', params: [1] },
        },
      },
    ],
  });
});

describe('a level', () => {
  test.each([
    ['postgres', { query: 'SELECT {{a}}' }, 'Read', 'Read'],
    ['postgres', { query: 'SELECT {{a}}' }, 'Write', 'Write'],
    ['redis', { type: 'flushdb' }, 'Write', 'Admin'],
    ['mongo', { type: 'run_command', command: { shutdown: '{{n}}' } }, 'Write', 'Admin'],
  ] as const)('of %s %j as %s is %s', (kind, request, sort, level) => {
    const { references } = compiled(kind, request, sort);
    expect(references).toEqual([{ kind: 'endpoint', id: 'e', path: 'template.endpoint', level }]);
  });

  test('is told to an author who reads by what writes', () => {
    expect(faultsOf('redis', { type: 'set', key: '{{k}}', value: 'v' }, 'Read')).toEqual([
      'template.type writes: a template that writes has request Write',
    ]);
  });
});

describe('a transaction', () => {
  const one = { query: 'UPDATE t SET a = {{a}}' };

  test('is one request of all its operations, at the endpoint that it or they name', async () => {
    const request = { operations: [one, { ...one, endpoint: 'e' }], timeout_ms: 5 };
    const sent = { query: 'UPDATE t SET a = $1', params: [1] };
    expect(await sentBy(compiled('postgres', request, 'Transaction'), { a: 1 })).toEqual({
      operations: [sent, sent],
      timeout_ms: 5,
    });
  });

  test.each([
    ['postgres', { operations: [] }, 'template.operations must be a list of 1 to 1000 requests'],
    ['postgres', { operations: [one], more: 1 }, 'template.more is no member of a transaction'],
    ['postgres', { operations: [{ ...one, endpoint: 'f' }] }, 'is another one than e'],
    ['postgres', { operations: [1] }, 'template.operations.0 must be an object'],
    ['postgres', { operations: [one], timeout_ms: 0 }, 'template.timeout_ms'],
    ['clickhouse', { operations: [one] }, 'is of kind Clickhouse, which has no transactions'],
  ] as const)('of %s is refused: %j', (kind, request, message) => {
    const faults = faultsOf(kind, request as unknown as JsonObject, 'Transaction');
    expect(faults).toContainEqual(expect.stringContaining(message));
  });

  test('over several endpoints is shown, and sent as one', async () => {
    const operations = [
      { ...one, endpoint: 'a' },
      { ...one, endpoint: 'b' },
    ];
    const template = compiled(
      'postgres',
      { endpoint: undefined, operations } as never,
      'TwoPhaseTransaction',
    );
    expect(template.references.map(({ id }) => id)).toEqual(['a', 'b']);
    const request = { query: 'UPDATE t SET a = $1', params: [1] };
    const { transformationSteps } = await template.render({ a: 1 }, runOf());
    expect(transformationSteps).toMatchObject([
      { rule: 'a', request: { endpoint: 'a', operation: 'transaction', request } },
      { rule: 'b', request: { endpoint: 'b', operation: 'transaction', request } },
    ]);
    await expect(template.run({ a: 1 }, runOf())).resolves.toEqual({
      operations: [
        { ...request, endpoint: 'a' },
        { ...request, endpoint: 'b' },
      ],
    });
    const set = { type: 'set', key: 'k', value: 'v' };
    const both = ['a', 'b'].map((endpoint) => ({ ...set, endpoint }));
    const { faults } = reading(
      'redis',
      { endpoint: undefined, operations: both } as never,
      'TwoPhaseTransaction',
    );
    expect(faults).toEqual([
      {
        path: 'template.operations.0.endpoint',
        message:
          'is of kind Redis, which cannot prepare: one such endpoint may take part, and last',
      },
    ]);
  });
});

test('an endpoint that is not there is told where it is named', () => {
  expect(faultsOf('http', { endpoint: 'none' })).toEqual([
    'template.endpoint names no endpoint of the organization: none',
  ]);
});
