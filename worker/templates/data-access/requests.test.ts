/** Requests without statements: values stand in them as data, and nothing else of a caller does. Contract §8. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import type { Kind } from '../../../proto/kinds/index.ts';
import { compiled, faultsOf, filled, runOf } from './test/trial.ts';

type Row = readonly [Kind, JsonObject, JsonObject, JsonObject];
const find = { type: 'find', collection: 'c' };
const set = { type: 'json.set', key: 'k', path: '$' };

const FILLED: readonly Row[] = [
  [
    'mongo',
    {
      ...find,
      filter: { 'a.{{k}}': '{{v}}', _id: { $oid: '{{id}}' }, n: { $numberLong: '{{n}}' } },
    },
    { k: 'b', v: '$where', id: '0'.repeat(24), n: 5 },
    {
      ...find,
      filter: { 'a.b': '$where', _id: { $oid: '0'.repeat(24) }, n: { $numberLong: '5' } },
    },
  ],
  [
    'mongo',
    { ...find, filter: '{{f: Object}}', options: { limit: '{{?n: Integer}}', sort: { a: 1 } } },
    { f: { at: { $date: '2026-01-01T00:00:00Z' } } },
    { ...find, filter: { at: { $date: '2026-01-01T00:00:00Z' } }, options: { sort: { a: 1 } } },
  ],
  [
    'mongo',
    { ...find, filter: { a: { $regex: '^{{x}}' }, b: { $regex: '{{x}}' } } },
    { x: '.*' },
    { ...find, filter: { a: { $regex: '^\\.\\*' }, b: { $regex: '.*' } } },
  ],
  [
    'mongo',
    {
      type: 'aggregate',
      collection: 'c',
      pipeline: [
        { $match: { a: '{{x}}', $expr: { $eq: ['$t', '{{x}}'] } } },
        { $set: { a: '{{x}}', b: 'n {{x}}', c: '{{x}}{{y}}', l: '{{l: Array}}' } },
        { $limit: '{{n}}' },
      ],
    },
    { x: '$secret', y: 'y', l: ['$$ROOT'], n: 5 },
    {
      type: 'aggregate',
      collection: 'c',
      pipeline: [
        { $match: { a: '$secret', $expr: { $eq: ['$t', { $literal: '$secret' }] } } },
        {
          $set: {
            a: { $literal: '$secret' },
            b: 'n $secret',
            c: { $literal: '$secrety' },
            l: { $literal: ['$$ROOT'] },
          },
        },
        { $limit: 5 },
      ],
    },
  ],
  [
    'mongo',
    { type: 'raw_command', command: '{"find": "c", "filter": {"a": "{{x}}"}, "limit": "{{n}}"}' },
    { x: '"}, "drop": "c', n: 2 },
    {
      type: 'raw_command',
      command: '{"find":"c","filter":{"a":"\\"}, \\"drop\\": \\"c"},"limit":2}',
    },
  ],
  [
    'redis',
    {
      type: 'set',
      key: 'user:{{id}}',
      value: '{{v: Object}}',
      options: { EX: '{{?ttl: Integer = 60}}' },
    },
    { id: '1\r\nFLUSHALL\r\n', v: { $bytes: 'AAAA' } },
    { type: 'set', key: 'user:1\r\nFLUSHALL\r\n', value: '{"$bytes":"AAAA"}', options: { EX: 60 } },
  ],
  [
    'redis',
    { type: 'rpush', key: 'l', element: '{{l: Array}}' },
    { l: [{ a: { $bytes: 'AAAA' } }, { $bytes: 'AAAA' }, 'b', 1] },
    {
      ...{ type: 'rpush', key: 'l' },
      element: ['{"a":{"$bytes":"AAAA"}}', '{"$bytes":"AAAA"}', 'b', 1],
    },
  ],
  [
    'clickhouse',
    {
      query: 'SELECT {a:JSON}, {b:Array(String)}',
      params: { a: '{{o: Object}}', b: '{{l: Array}}' },
    },
    { o: { a: { $bytes: 'AAAA' } }, l: [{ $bytes: 'AAAA' }, 'b'] },
    {
      query: 'SELECT {a:JSON}, {b:Array(String)}',
      params: { a: '{"a":{"$bytes":"AAAA"}}', b: ['{"$bytes":"AAAA"}', 'b'] },
    },
  ],
  [
    'clickhouse',
    { type: 'insert', table: 't', rows: '{{r: Array}}' },
    { r: [{ a: { $bytes: 'AAAA' } }] },
    { type: 'insert', table: 't', rows: [{ a: '{"$bytes":"AAAA"}' }] },
  ],
  [
    'redis',
    { ...set, value: '{{v}}' },
    { v: '{"admin":true}' },
    { ...set, value: '"{\\"admin\\":true}"' },
  ],
  [
    'redis',
    { ...set, value: '{"a": "{{v}}", "n": "{{n}}"}' },
    { v: '","admin":true,"b":"', n: 1 },
    { ...set, value: '{"a":"\\",\\"admin\\":true,\\"b\\":\\"","n":1}' },
  ],
  [
    'redis',
    { type: 'keys', pattern: 'u:{{x}}:*' },
    { x: '*' },
    { type: 'keys', pattern: 'u:\\*:*' },
  ],
  [
    'redis',
    { type: 'eval', args: ['return ARGV[1]', 0, '{{x}}'] },
    { x: "'] os.exit()" },
    { type: 'eval', args: ['return ARGV[1]', 0, "'] os.exit()"] },
  ],
  [
    'redis',
    { type: 'ft.search', args: ['i', '@a:$x', 'PARAMS', 2, 'x', '{{x}}', 'DIALECT', 2] },
    { x: '*|@admin:yes' },
    { type: 'ft.search', args: ['i', '@a:$x', 'PARAMS', 2, 'x', '*|@admin:yes', 'DIALECT', 2] },
  ],
  [
    'redis',
    {
      pipeline: [
        { type: 'get', key: '{{a}}' },
        { type: 'set', args: ['b', '{{a}}'] },
      ],
    },
    { a: 'A' },
    {
      pipeline: [
        { type: 'get', key: 'A' },
        { type: 'set', args: ['b', 'A'] },
      ],
    },
  ],
  [
    'pinecone',
    {
      type: 'query',
      body: '{"vector": "{{v: Array}}", "filter": {"t": "{{t}}"}, "topK": "{{k}}"}',
    },
    { v: [0.5], t: '"}, "x": {"$ne": "', k: 3 },
    {
      type: 'query',
      body: '{"vector":[0.5],"filter":{"t":"\\"}, \\"x\\": {\\"$ne\\": \\""},"topK":3}',
    },
  ],
  [
    'pinecone',
    { type: 'list', namespace: '{{?ns}}', prefix: 'p&{{x}}' },
    { x: '&limit=1' },
    { type: 'list', namespace: null, prefix: 'p&&limit=1' },
  ],
  [
    'http',
    {
      path: '/users/{{id}}/{{?n}}',
      query: { q: '{{q}}', '{{k}}': ['{{q}}'] },
      headers: { 'X-A': 'a {{h}}' },
    },
    { id: 'a/b?c#d%2e', q: 'x&admin=1', k: 'k', h: 'b' },
    {
      path: '/users/a%2Fb%3Fc%23d%252e/',
      query: { q: 'x&admin=1', k: ['x&admin=1'] },
      headers: { 'X-A': 'a b' },
    },
  ],
  ['http', { path: '{{p}}' }, { p: 'a b/c' }, { path: 'a%20b/c' }],
  [
    'http',
    { method: 'POST', body: { a: '{{a: Object}}', '{{k}}': 1 } },
    { a: { $bytes: 'AAAA' }, k: '__proto__' },
    { method: 'POST', body: JSON.parse('{"a":{"$bytes":"AAAA"},"__proto__":1}') },
  ],
  [
    'http',
    { method: 'POST', body: '{{b: Object}}' },
    { b: { $bytes: 'AAAA' } },
    { method: 'POST', body: { $bytes: 'AAAA' }, body_encoding: 'json' },
  ],
  [
    'http',
    { method: 'POST', body: { '{{k}}': '{{v}}' } },
    { k: '$bytes', v: 'AAAA' },
    { method: 'POST', body: { $bytes: 'AAAA' }, body_encoding: 'json' },
  ],
  [
    'http',
    { method: 'POST', body: { $bytes: '{{b}}' } },
    { b: 'AAAA' },
    { method: 'POST', body: { $bytes: 'AAAA' } },
  ],
  [
    'http',
    { method: 'POST', body: ' {"a": "{{a}}", "n": "{{n: Number}}"}' },
    { a: '","admin":true,"b":"', n: 1.5 },
    { method: 'POST', body: '{"a":"\\",\\"admin\\":true,\\"b\\":\\"","n":1.5}' },
  ],
  [
    'http',
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'name={{n}}&role=user',
    },
    { n: 'x&role=admin' },
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'name=x%26role%3Dadmin&role=user',
    },
  ],
  [
    'http',
    {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml; charset=utf-8' },
      body: '<n a="{{n}}"/>',
    },
    { n: '"/><admin/>' },
    {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml; charset=utf-8' },
      body: '<n a="&quot;/&gt;&lt;admin/&gt;"/>',
    },
  ],
  ['http', { method: 'PUT', body: 'Hi {{n}}' }, { n: 'Al' }, { method: 'PUT', body: 'Hi Al' }],
];
test.each(FILLED)('%s takes values: %o', async (kind, request, input, expected) => {
  expect(await filled(kind, request, input)).toEqual(expected);
});

const OPERATOR = "may hold no operator: names that begin with $ are the template's alone";
const REFUSED: readonly (readonly [Kind, JsonObject, JsonObject, string])[] = [
  ['mongo', { ...find, filter: { p: '{{p: Object}}' } }, { p: { $ne: '' } }, OPERATOR],
  ['mongo', { ...find, filter: { p: '{{p: Array}}' } }, { p: [{ a: { $gt: 1 } }] }, OPERATOR],
  ['mongo', { ...find, filter: { '{{p}}': 1 } }, { p: '$where' }, OPERATOR],
  ['mongo', { ...find, filter: { 'a{{p}}': 1 } }, { p: '.$[]' }, OPERATOR],
  ['mongo', { ...find, filter: '{{p: Object}}' }, { p: { a: { $code: 'x' } } }, OPERATOR],
  [
    'mongo',
    { ...find, filter: '{{p: Object}}' },
    { p: { a: { $regularExpression: { pattern: 'x', options: '' } } } },
    OPERATOR,
  ],
  ['mongo', { ...find, filter: '{{p: Object}}' }, { p: { $oid: 'x', $where: 'y' } }, OPERATOR],
  [
    'pinecone',
    { type: 'delete', body: '{{p: Object}}' },
    { p: { filter: { a: { $ne: 1 } } } },
    OPERATOR,
  ],
  [
    'http',
    { path: '/a/{{p}}' },
    { p: '' },
    'must be a text that is not empty: it is a part of a path',
  ],
  [
    'http',
    { path: '/a/{{p}}' },
    { p: '\ud800' },
    'must be a text that is not empty: it is a part of a path',
  ],
  [
    'http',
    { headers: { Cookie: 's={{p}}' } },
    { p: 'x; admin=1' },
    'has characters that no cookie can hold',
  ],
];
test.each(REFUSED)('%s takes no operators: %j %j', async (kind, request, input, message) => {
  const template = compiled(kind, request);
  const fault = { path: 'p', message };
  await expect(template.run(input, runOf())).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    details: [fault],
  });
  expect(template.render(input, runOf())).toMatchObject({
    success: false,
    inputValidation: { valid: false, errors: [fault] },
  });
});

test.each([
  ['..', 'must have no part that is . or ..'],
  ['a/../../b', 'must have no part that is . or ..'],
  ['%2e%2e', 'must have no part that is . or ..'],
  ['..\\x', 'must have no part that is . or ..'],
  ['a\r\nHost: x', 'must encode text in UTF-8, without control characters'],
])('a path never leaves its URL by %j, and a render says so', (value, message) => {
  const template = compiled('http', { path: '/a/{{p}}' });
  expect(template.render({ p: value }, runOf())).toMatchObject({
    success: false,
    inputValidation: { valid: false, errors: [{ path: 'template.path', message }] },
  });
});

describe('an author is told', () => {
  const BAD: readonly (readonly [Kind, JsonObject, string])[] = [
    ['mongo', { type: 'raw_command', command: '{{c: Object}}' }, 'the command its caller chooses'],
    ['mongo', { type: 'run_command', command: { '{{c}}': 1 } }, 'it would choose the command'],
    ['mongo', { type: 'raw_command', command: '{"{{c}}": 1}' }, 'it would choose the command'],
    ['mongo', { type: 'raw_command', command: '{"find": {{c}}}' }, 'put quotes around'],
    ['mongo', { ...find, filter: { $where: 'this.a == {{x}}' } }, 'is fixed'],
    ['mongo', { ...find, filter: { a$: 1, '${{op}}': 1 } }, 'operators are fixed'],
    ['mongo', { ...find, filter: { $expr: { $eq: ['$a.{{x}}', 1] } } }, 'reads as code'],
    ['redis', { type: 'raw_command', command: 'GET {{k}}' }, 'is fixed'],
    ['redis', { type: 'eval', script: '{{s}}', keys: [], args: [] }, 'is fixed'],
    ['redis', { type: 'eval', args: ['{{s}}', 0] }, 'is fixed'],
    ['redis', { type: 'config', args: ['set', 'dir', '{{d}}'] }, 'is fixed'],
    ['redis', { type: 'set', args: '{{a: Array}}' }, 'is fixed'],
    ['redis', { type: 'object', args: ['{{s}}', 'k'] }, 'is fixed'],
    ['redis', { type: 'ft.search', index: 'i', query: '@a:{{x}}' }, 'reads as code'],
    ['redis', { ...set, path: '$.{{x}}', value: 1 }, 'reads as code'],
    ['redis', { ...set, value: '{"a": {{x}}}' }, 'put quotes around'],
    ['redis', { type: 'subscribe', channels: ['{{c}}'] }, 'answers events'],
    ['pinecone', { type: 'query', body: '{{b}}' }, 'write {{b: Object}}'],
    ['http', { method: '{{m}}' }, 'is fixed'],
    ['http', { headers: { '{{h}}': 'x' } }, 'headers are fixed'],
    ['http', { method: 'POST', body: '{"a": {{x}}}' }, 'a form that is not known'],
    [
      'http',
      { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a,{{x}}' },
      'a form that is not known',
    ],
    ['http', { '{{m}}': 1 }, 'members of a request are fixed'],
  ];
  test.each(BAD)('%s %j', (kind, request, message) => {
    expect(faultsOf(kind, request)).toContainEqual(expect.stringContaining(message));
  });
});
