/** Requests without statements: values are in them as data, and nothing else of a caller does. Contract §8. */
import { expect, test } from 'vitest';
import type { Kind } from '../../../kinds/index.ts';
import type { JsonObject } from '../../../proto/json.ts';
import { filled } from './test/trial.ts';

type Row = readonly [Kind, JsonObject, JsonObject, JsonObject];
const find = { type: 'find', collection: 'c' };
const set = { type: 'json.set', key: 'k', path: '$' };

const FILLED: readonly Row[] = [
  [
    'mongo',
    { type: 'insert_one', collection: 'c', document: { update: ['{{x}}'], pipeline: '{{x}}' } },
    { x: '$5' },
    { type: 'insert_one', collection: 'c', document: { update: ['$5'], pipeline: '$5' } },
  ],
  [
    'mongo',
    {
      ...{ type: 'update_one', collection: 'c', filter: { from: '{{x}}' } },
      update: [{ $set: { from: '{{x}}', as: '{{x}}', document: '{{x}}' } }],
    },
    { x: '$5' },
    {
      ...{ type: 'update_one', collection: 'c', filter: { from: '$5' } },
      update: [
        {
          $set: { from: { $literal: '$5' }, as: { $literal: '$5' }, document: { $literal: '$5' } },
        },
      ],
    },
  ],
  [
    'mongo',
    {
      ...{ type: 'aggregate', collection: 'c' },
      pipeline: [
        {
          $lookup: {
            from: '{{c}}',
            pipeline: [{ $match: { a: '{{x}}' } }, { $set: { b: '{{x}}' } }],
          },
        },
        { $unionWith: { coll: '{{c}}', pipeline: [{ $set: { b: '{{x}}' } }] } },
      ],
    },
    { c: 'd', x: '$5' },
    {
      ...{ type: 'aggregate', collection: 'c' },
      pipeline: [
        {
          $lookup: {
            from: 'd',
            pipeline: [{ $match: { a: '$5' } }, { $set: { b: { $literal: '$5' } } }],
          },
        },
        { $unionWith: { coll: 'd', pipeline: [{ $set: { b: { $literal: '$5' } } }] } },
      ],
    },
  ],
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
