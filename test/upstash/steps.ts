/** Requests of the specification's table of Redis, for any way to a server: each way must answer alike. */

/** A request; what it is answered may depend on those before. */
type Step = readonly [path: 'read' | 'write', request: object];

const read = (request: object): Step => ['read', request];
const write = (request: object): Step => ['write', request];
const bytes = { $bytes: Buffer.from([0xff, 0x00, 0x80]).toString('base64') };

/** Strings, keys and what is no text. */
const STRINGS: readonly Step[] = [
  write({ type: 'SET', key: 'a', value: 'grüße' }),
  write({ type: 'SET', key: 'a', value: 'x', rule: 'NX' }),
  write({ type: 'SET', key: 'a', value: 'x', rule: 'XX', options: { EX: 1000 } }),
  write({ type: 'SET', key: 'json', value: { nested: [1, null] } }),
  write({ type: 'SET', key: 'bytes', value: bytes }),
  write({ type: 'SET', key: 'brief-bytes', value: bytes, options: { EX: 100 } }),
  write({ type: 'SET', key: 'ok', value: 'OK' }),
  write({ type: 'SET', key: 'n', value: '9223372036854775806' }),
  read({ type: 'GET', key: 'a' }),
  read({ type: 'GET', key: 'json' }),
  read({ type: 'GET', key: 'bytes' }),
  read({ type: 'GET', key: 'brief-bytes' }),
  read({ type: 'GET', key: 'ok' }),
  read({ type: 'GET', key: 'nothing' }),
  write({ type: 'INCR', key: 'n' }),
  write({ type: 'DECR', key: 'n' }),
  write({ type: 'INCR', key: 'count' }),
  write({ type: 'INCR', key: 'a' }),
  read({ type: 'STRLEN', key: 'a' }),
  read({ type: 'SUBSTR', key: 'a', start: 0, end: 0 }),
  write({ type: 'SETEX', key: 'soon', seconds: 1000, value: 'x' }),
  write({ type: 'SETNX', key: 'soon', value: 'y' }),
  read({ type: 'TTL', key: 'nothing' }),
  read({ type: 'TTL', key: 'n' }),
  read({ type: 'TYPE', key: 'n' }),
  write({ type: 'UNLINK', keys: ['soon', 'nothing'] }),
  read({ type: 'MGET', keys: ['a', 'nothing', 'bytes'] }),
  write({ type: 'PUBLISH', channel: 'nobody', message: 'x' }),
  read({ type: 'PING' }),
  read({ type: 'ECHO', message: 'x' }),
  read({ type: 'get', args: ['a'] }),
  write({ type: 'nosuch', args: ['a'] }),
  write({ type: 'EVAL', args: ['return {1, "two", false, {3}}', '0'] }),
  read({
    pipeline: [
      { type: 'GET', key: 'a' },
      { type: 'STRLEN', key: 'a' },
      { type: 'LRANGE', key: 'a', start: 0, stop: -1 },
    ],
  }),
];

/** Hashes, lists, sets and sorted sets. */
const COLLECTIONS: readonly Step[] = [
  write({
    type: 'HSET',
    key: 'h',
    fields: [
      { field: 'name', value: 'Ada' },
      { field: 'born', value: 1815 },
    ],
  }),
  read({ type: 'HGET', key: 'h', field: 'name' }),
  read({ type: 'HGETALL', key: 'h' }),
  read({ type: 'HGETALL', key: 'nothing' }),
  read({ type: 'HGETALL', key: 'a' }),
  write({ type: 'LPUSH', key: 'l', element: ['b', 'a'] }),
  write({ type: 'RPUSH', key: 'l', element: ['c'] }),
  read({ type: 'LRANGE', key: 'l', start: 0, stop: -1 }),
  write({ type: 'SADD', key: 's', members: ['x', 'y'] }),
  write({ type: 'SADD', key: 's2', members: ['y'] }),
  read({ type: 'SISMEMBER', key: 's', member: 'x' }),
  read({ type: 'SMISMEMBER', key: 's', member: ['x', 'z'] }),
  read({ type: 'SMEMBERS', key: 's2' }),
  read({ type: 'SINTER', keys: ['s', 's2'] }),
  read({ type: 'SUNION', keys: ['s2', 'nothing'] }),
  write({ type: 'SINTERSTORE', destination: 's3', keys: ['s', 's2'] }),
  write({ type: 'SUNIONSTORE', destination: 's4', keys: ['s', 's2'] }),
  read({ type: 'SRANDMEMBER', key: 's2' }),
  read({ type: 'SRANDMEMBER', key: 's2', count: 2 }),
  write({ type: 'SPOP', key: 's3', count: 1 }),
  write({
    type: 'ZADD',
    key: 'z',
    scores: [
      { score: 1.5, member: 'ada' },
      { score: 2, member: 'bob' },
    ],
  }),
  read({ type: 'ZRANGE', key: 'z', start: 0, stop: -1, with_scores: true }),
  read({ type: 'ZRANGE', key: 'z', start: 0, stop: -1, with_scores: false }),
  read({ type: 'ZRANK', key: 'z', member: 'bob', with_scores: true }),
  read({ type: 'ZREVRANK', key: 'z', member: 'bob', with_score: true }),
  read({ type: 'ZRANK', key: 'z', member: 'nobody' }),
  write({ type: 'ZINCRBY', key: 'z', increment: 0.5, member: 'ada' }),
  read({ type: 'ZSCORE', key: 'z', member: 'ada' }),
  read({ type: 'ZCARD', key: 'z' }),
  read({
    type: 'ZINTER',
    numkeys: 2,
    keys: ['z', 'z'],
    weights: [1, 2],
    aggregate: 'SUM',
    with_scores: true,
  }),
  write({ type: 'ZPOPMIN', key: 'z', count: 1 }),
];

/** Streams, places and what modules keep. */
const OTHERS: readonly Step[] = [
  write({ type: 'XADD', key: 'x', id: { ID: '1-1' }, entries: [{ field: 'f', value: 'v' }] }),
  write({ type: 'XADD', key: 'x', id: { ID: '2-1' }, entries: [{ field: 'f', value: 'w' }] }),
  write({ type: 'XADD', key: 'x', id: { ID: '1-1' }, entries: [{ field: 'f', value: 'w' }] }),
  read({ type: 'XRANGE', key: 'x', start: '-', end: '+', count: 1 }),
  read({ type: 'XREAD', keys: ['x'], ids: ['0'] }),
  read({ type: 'XREAD', keys: ['x'], ids: ['9'] }),
  write({ type: 'XGROUP CREATE', key: 'x', group: 'g', id: { ID: '0' }, mk_stream: true }),
  write({ type: 'XREADGROUP', group: 'g', consumer: 'c', count: 1, keys: ['x'], ids: ['>'] }),
  write({
    type: 'GEOADD',
    key: 'geo',
    position: [
      { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
      { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
    ],
  }),
  read({ type: 'GEODIST', key: 'geo', member1: 'Palermo', member2: 'Catania', unit: 'km' }),
  write({ type: 'TS.CREATE', key: 'ts', labels: [{ label: 'of', value: 'test' }] }),
  write({ type: 'TS.ADD', key: 'ts', timestamp: 1000, value: 1.5 }),
  write({ type: 'TS.ADD', key: 'ts', timestamp: 2000, value: 2 }),
  read({ type: 'TS.RANGE', key: 'ts', from_timestamp: '-', to_timestamp: '+' }),
  read({
    type: 'TS.MRANGE',
    from_timestamp: '-',
    to_timestamp: '+',
    filter: 'of=test',
    align: { aggregator: 'avg', bucket_duration: 1000 },
  }),
  write({ type: 'VADD', key: 'v', value: { VALUES: [1, 0] }, vector: 2, element: 'east' }),
  write({ type: 'VADD', key: 'v', value: { VALUES: [0, 1] }, vector: 2, element: 'north' }),
  read({
    type: 'VSIM',
    key: 'v',
    value: { VALUES: [1, 0] },
    element: { Vector: 2 },
    with_scores: true,
  }),
  write({
    type: 'TOPK.RESERVE',
    key: 'top',
    topk: 2,
    params: { width: 8, depth: 7, decay: 0.9 },
  }),
  write({ type: 'TOPK.ADD', key: 'top', items: ['a', 'b', 'a'] }),
  read({ type: 'TOPK.LIST', key: 'top', with_count: true }),
  write({ type: 'TDIGEST.CREATE', key: 'td', compression: 100 }),
  write({ type: 'TDIGEST.ADD', key: 'td', value: [1, 2, 3] }),
  read({ type: 'TDIGEST.QUANTILE', key: 'td', quantile: [0.5, 1] }),
  write({ type: 'JSON.SET', key: 'doc', path: '$', value: '{"n":1,"list":[1,"x"]}' }),
  read({ type: 'JSON.GET', key: 'doc', path: '$.list' }),
  write({ type: 'BF.ADD', key: 'bf', item: 'x' }),
  read({ type: 'BF.EXISTS', key: 'bf', item: 'x' }),
  write({
    type: 'FT.CREATE',
    index: 'idx',
    schema: { fields: [{ name: 'name', type: 'TEXT', weight: 2, sortable: true }] },
  }),
  read({ type: 'FT.SEARCH', index: 'idx', query: 'Ada', limit: { offset: 0, num: 10 } }),
];

/** All, in their order. */
export const STEPS: readonly Step[] = [...STRINGS, ...COLLECTIONS, ...OTHERS];
