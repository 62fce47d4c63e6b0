/** What `/read` takes and what administrators alone may do, by type, words and lines. */
import { expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { parseRequest } from '../index.ts';
import { needs } from './effects.ts';
import { redis } from './index.ts';
import { RedisRequest } from './request.ts';

const modeOf = (body: Json) => parseRequest('redis', body).mode;
const needsOf = (body: object) => needs(RedisRequest.parse(body));

test.each([
  { type: 'GET', key: 'k' },
  { type: 'get', args: ['k'] },
  { type: 'raw_command_read_only', command: 'LRANGE k 0 -1' },
  { type: 'raw_command', command: ['LRANGE', 'k', 0, -1] },
  { type: 'xinfo', args: ['STREAM', 'k'] },
  { type: 'OBJECT|ENCODING', args: ['k'] },
  { type: 'sort_ro', key: 'k' },
  { type: 'wait', num_replicas: 0, timeout: 1 },
  { type: 'role' },
  { type: 'info' },
  { type: 'ft.search', index: 'i', query: '*' },
  { type: 'ft.config', args: ['GET', 'TIMEOUT'] },
  { type: 'subscribe', channels: ['c'] },
  { pipeline: [{ type: 'get', key: 'k' }, { type: 'time' }] },
])('%j reads', (body) => {
  expect(modeOf(body)).toBe('read');
  expect(needsOf('type' in body ? body : { ...body, type: 'pipeline' })).toBe(undefined);
});

test.each([
  { type: 'sort', key: 'k' },
  { type: 'georadius', args: ['k', 0, 0, 1, 'km'] },
  { type: 'bitfield', key: 'k' },
  { type: 'topk.count', key: 'k', items: ['a'] },
  { type: 'waitaof', num_local: 0, num_replicas: 0, timeout: 1 },
  { type: 'eval_ro', script: 'return 1' },
  { type: 'client', args: ['getname'] },
  { type: 'object', args: ['nothing', 'k'] },
  { type: 'not.known', args: [] },
  {
    pipeline: [
      { type: 'get', key: 'k' },
      { type: 'incr', key: 'k' },
    ],
  },
])('%j writes', (body) => {
  expect(modeOf(body)).toBe('write');
});

test.each([
  { type: 'config', args: ['GET', 'port'] },
  { type: 'config', args: ['whatever'] },
  { type: 'module', args: ['whatever'] },
  { type: 'sentinel', args: ['masters'] },
  { type: 'flushdb' },
  { type: 'swapdb', index1: 0, index2: 1 },
  { type: 'script', args: [{ $bytes: btoa('flush') }] },
  { type: 'function load', function_code: '' },
  { type: 'ft.config', args: ['set', 'a', 'b'] },
  { type: 'monitor' },
  { type: 'migrate', host: 'h', port: 1, key: 'k', destination_db: 0, timeout: 1 },
  { type: 'pipeline', pipeline: [{ type: 'get', key: 'k' }, { type: 'flushall' }] },
])('%j is for administrators', (body) => {
  expect(needsOf(body)).toBe('Admin');
});

test('neither a type nor a pipeline is a request without a type', () => {
  expect(() => parseRequest('redis', { key: 'k' })).toThrow(/^type: is required, such as get$/);
});

test('types of subscriptions are those that go on', () => {
  expect(redis.watches).toEqual(['subscribe', 'psubscribe', 'ssubscribe', 'monitor']);
});
