/** Each command of the specification's table, with its members as written there. */
import { expect, test } from 'vitest';
import { RedisRequest } from './request.ts';

/** The words of a request after its type. */
function wordsOf(request: object) {
  const parsed = RedisRequest.parse(request);
  return 'args' in parsed ? [parsed.type, ...parsed.args] : [];
}

const KEY = { key: 'k' };
const PAIR = { keys: ['a', 'b'] };
/** Spec: "Key-value store requests". */
const SPECIFIED: readonly (readonly [object, string])[] = [
  [{ type: 'SET', ...KEY, value: 'v', rule: 'NX', options: { EX: 60 } }, 'set k v NX EX 60'],
  [{ type: 'SET', ...KEY, value: 'v', rule: 'XX' }, 'set k v XX'],
  ...['GET', 'INCR', 'DECR', 'STRLEN', 'HGETALL', 'SMEMBERS', 'ZCARD', 'TTL', 'TYPE'].map(
    (type) => [{ type, ...KEY }, `${type.toLowerCase()} k`] as const,
  ),
  [{ type: 'SETEX', ...KEY, seconds: 60, value: 'v' }, 'setex k 60 v'],
  [{ type: 'SETNX', ...KEY, value: 'v' }, 'setnx k v'],
  [{ type: 'SUBSTR', ...KEY, start: 0, end: 3 }, 'substr k 0 3'],
  [{ type: 'HSET', ...KEY, fields: [{ field: 'f', value: 1 }] }, 'hset k f 1'],
  [{ type: 'HGET', ...KEY, field: 'f' }, 'hget k f'],
  [{ type: 'LPUSH', ...KEY, element: ['a', 'b'] }, 'lpush k a b'],
  [{ type: 'RPUSH', ...KEY, element: ['a', 'b'] }, 'rpush k a b'],
  [{ type: 'LRANGE', ...KEY, start: 0, stop: -1 }, 'lrange k 0 -1'],
  [{ type: 'SADD', ...KEY, members: ['a'] }, 'sadd k a'],
  [{ type: 'SISMEMBER', ...KEY, member: 'a' }, 'sismember k a'],
  [{ type: 'SMISMEMBER', ...KEY, member: ['a', 'b'] }, 'smismember k a b'],
  [{ type: 'SINTER', ...PAIR }, 'sinter a b'],
  [{ type: 'SUNION', ...PAIR }, 'sunion a b'],
  [{ type: 'SINTERSTORE', destination: 'd', ...PAIR }, 'sinterstore d a b'],
  [{ type: 'SUNIONSTORE', destination: 'd', ...PAIR }, 'sunionstore d a b'],
  [{ type: 'SPOP', ...KEY, count: 2 }, 'spop k 2'],
  [{ type: 'SRANDMEMBER', ...KEY }, 'srandmember k'],
  [{ type: 'ZADD', ...KEY, scores: [{ score: 1.5, member: 'm' }] }, 'zadd k 1.5 m'],
  [{ type: 'ZRANGE', ...KEY, start: 0, stop: -1, with_scores: true }, 'zrange k 0 -1 WITHSCORES'],
  [{ type: 'ZRANGE', ...KEY, start: 0, stop: -1, with_scores: false }, 'zrange k 0 -1'],
  [{ type: 'ZRANK', ...KEY, member: 'm', with_scores: true }, 'zrank k m WITHSCORE'],
  [{ type: 'ZREVRANK', ...KEY, member: 'm', with_score: true }, 'zrevrank k m WITHSCORE'],
  [{ type: 'ZINCRBY', ...KEY, increment: 1.5, member: 'm' }, 'zincrby k 1.5 m'],
  [{ type: 'ZSCORE', ...KEY, member: 'm' }, 'zscore k m'],
  [
    { type: 'ZINTER', numkeys: 2, ...PAIR, weights: [1, 2], aggregate: 'SUM', with_scores: true },
    'zinter 2 a b WEIGHTS 1 2 AGGREGATE SUM WITHSCORES',
  ],
  [
    { type: 'XADD', ...KEY, id: { ID: '*' }, entries: [{ field: 'f', value: 'v' }] },
    'xadd k * f v',
  ],
  [
    { type: 'XREAD', count: 1, block: 5, keys: ['k'], ids: ['$'] },
    'xread COUNT 1 BLOCK 5 STREAMS k $',
  ],
  [{ type: 'XRANGE', ...KEY, start: '-', end: '+', count: 2 }, 'xrange k - + COUNT 2'],
  [
    { type: 'XGROUP CREATE', ...KEY, group: 'g', id: { ID: '$' }, mk_stream: true },
    'xgroup create|k g $ MKSTREAM',
  ],
  [
    { type: 'XREADGROUP', group: 'g', consumer: 'c', no_ack: true, keys: ['k'], ids: ['>'] },
    'xreadgroup GROUP g c NOACK STREAMS k >',
  ],
  [{ type: 'PUBLISH', channel: 'c', message: 'm' }, 'publish c m'],
  [{ type: 'SUBSCRIBE', channels: ['c', 'd'] }, 'subscribe c d'],
  [{ type: 'UNSUBSCRIBE', channel: ['c'] }, 'unsubscribe c'],
  [
    { type: 'GEOADD', ...KEY, position: [{ longitude: -9.1, latitude: 38.7, member: 'm' }] },
    'geoadd k -9.1 38.7 m',
  ],
  [{ type: 'GEODIST', ...KEY, member1: 'a', member2: 'b', unit: 'km' }, 'geodist k a b KM'],
  [
    { type: 'TS.CREATE', ...KEY, retention: 60, labels: [{ label: 'l', value: 'v' }] },
    'ts.create k RETENTION 60000 LABELS l v',
  ],
  [{ type: 'TS.ADD', ...KEY, timestamp: '*', value: 1.5 }, 'ts.add k * 1.5'],
  [
    { type: 'TS.RANGE', ...KEY, from_timestamp: '-', to_timestamp: '+', count: 2 },
    'ts.range k - + COUNT 2',
  ],
  [
    {
      type: 'TS.MRANGE',
      from_timestamp: 0,
      to_timestamp: '+',
      filter: 'l=v',
      align: { aggregator: 'avg', bucket_duration: 10 },
    },
    'ts.mrange 0 + AGGREGATION avg 10 FILTER l=v',
  ],
  [
    { type: 'VADD', ...KEY, value: { VALUES: [1, 2] }, vector: 2, element: 'e' },
    'vadd k VALUES 2 1 2 e',
  ],
  [
    { type: 'VSIM', ...KEY, value: { VALUES: [1, 2] }, element: { Vector: 3 }, with_scores: true },
    'vsim k VALUES 2 1 2 WITHSCORES COUNT 3',
  ],
  [
    { type: 'TOPK.RESERVE', ...KEY, topk: 3, params: { width: 8, depth: 7, decay: 0.9 } },
    'topk.reserve k 3 8 7 0.9',
  ],
  [{ type: 'TOPK.ADD', ...KEY, items: ['a', 'b'] }, 'topk.add k a b'],
  [{ type: 'TOPK.LIST', ...KEY, with_count: true }, 'topk.list k WITHCOUNT'],
  [{ type: 'TDIGEST.CREATE', ...KEY, compression: 100 }, 'tdigest.create k COMPRESSION 100'],
  [{ type: 'TDIGEST.ADD', ...KEY, value: [1, 2.5] }, 'tdigest.add k 1 2.5'],
  [{ type: 'TDIGEST.QUANTILE', ...KEY, quantile: [0.5] }, 'tdigest.quantile k 0.5'],
  [{ type: 'JSON.SET', ...KEY, path: '$', value: '{"a":1}' }, 'json.set k $ {"a":1}'],
  [{ type: 'JSON.GET', ...KEY, path: '$' }, 'json.get k $'],
  [
    {
      type: 'FT.CREATE',
      index: 'i',
      schema: {
        fields: [
          { name: 'a', type: 'TEXT', weight: 2, sortable: true },
          { name: 'n', type: 'NUMERIC' },
        ],
      },
    },
    'ft.create i SCHEMA a TEXT WEIGHT 2 SORTABLE n NUMERIC',
  ],
  [
    { type: 'FT.SEARCH', index: 'i', query: '*', limit: { offset: 0, num: 2 } },
    'ft.search i * LIMIT 0 2',
  ],
  [{ type: 'BF.ADD', ...KEY, item: 'a' }, 'bf.add k a'],
  [{ type: 'BF.EXISTS', ...KEY, item: 'a' }, 'bf.exists k a'],
  ...['MULTI', 'EXEC', 'UNWATCH', 'TIME'].map((type) => [{ type }, type.toLowerCase()] as const),
  [{ type: 'ACL LIST' }, 'acl list|'],
  [{ type: 'WATCH', ...PAIR }, 'watch a b'],
  [{ type: 'UNLINK', ...PAIR }, 'unlink a b'],
  [{ type: 'SELECT', index: 1 }, 'select 1'],
  [{ type: 'INFO', section: ['server'] }, 'info server'],
  [{ type: 'SLOWLOG GET', count: 2 }, 'slowlog get|2'],
  [{ type: 'SLAVEOF', set: { HP: { host: 'h', port: 1 } } }, 'slaveof h 1'],
  [{ type: 'SLAVEOF', set: 'NOONE' }, 'slaveof NO ONE'],
  [{ type: 'WAIT', num_replicas: 1, timeout: 5 }, 'wait 1 5'],
  [
    {
      type: 'ACL SETUSER',
      username: 'u',
      rules: ['On', 'AllCommands', 'AllKeys', { AddPass: 'p' }],
    },
    'acl setuser|u on allcommands allkeys >p',
  ],
];

test.each(SPECIFIED)('%j', (request, line) => {
  const [name = '', rest] = line.split('|');
  const expected =
    rest === undefined ? line.split(' ') : [name, ...rest.split(' ').filter(Boolean)];
  expect(wordsOf(request)).toEqual(expected);
});
