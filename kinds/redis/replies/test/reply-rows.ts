/** Replies of commands: as RESP2 and as RESP3 give them, and what both become. */
import { ReplyDouble, ReplyMap, ReplySet, type ReplyValue } from '../../reply-value.ts';

/** A map of RESP3. */
export const map = (...items: ReplyValue[]) => new ReplyMap(items);
/** A set of RESP3. */
export const set = (...items: ReplyValue[]) => new ReplySet(items);
/** A double of RESP3. */
export const d = (value: number) => new ReplyDouble(value);

/** The command; its reply in RESP2 and RESP3; what both become, but where a test of its own says. */
export const REPLIES: readonly (readonly [string, ReplyValue, ReplyValue, unknown])[] = [
  [
    'HGETALL h',
    ['a', '1', '__proto__', '2'],
    map('a', '1', '__proto__', '2'),
    JSON.parse('{"a":"1","__proto__":"2"}'),
  ],
  ['HGETALL h', [], map(), {}],
  ['CONFIG GET x', ['x', '1'], map('x', '1'), { x: '1' }],
  [
    'HSCAN h 0',
    ['0', ['a', '1', 'a', '2']],
    ['0', ['a', '1', 'a', '2']],
    [
      '0',
      [
        { field: 'a', value: '1' },
        { field: 'a', value: '2' },
      ],
    ],
  ],
  ['HSCAN h 0 NOVALUES', ['0', ['a']], ['0', ['a']], ['0', ['a']]],
  ['HRANDFIELD h 2 WITHVALUES', ['a', '1'], [['a', '1']], [{ field: 'a', value: '1' }]],
  [
    'LCS a b IDX',
    [
      'matches',
      [
        [
          [4, 7],
          [5, 8],
        ],
      ],
      'len',
      6,
    ],
    map(
      'matches',
      [
        [
          [4, 7],
          [5, 8],
        ],
      ],
      'len',
      6,
    ),
    {
      matches: [
        [
          [4, 7],
          [5, 8],
        ],
      ],
      len: 6,
    },
  ],
  ['SMEMBERS s', ['a', 'b'], set('a', 'b'), ['a', 'b']],
  ['ZSCORE z a', '2.5', d(2.5), 2.5],
  ['ZSCORE z a', 'inf', d(Infinity), 'Infinity'],
  ['ZMSCORE z a b', ['3', null], [d(3), null], [3, null]],
  ['ZADD z INCR 1 a', '3', d(3), 3],
  ['ZADD z 1 a', 1, 1, 1],
  ['ZRANK z a WITHSCORE', [2, '3'], [2, d(3)], { rank: 2, score: 3 }],
  ['ZRANK z a', 2, 2, 2],
  [
    'ZRANGE z 0 -1 WITHSCORES',
    ['a', '1.5', 'b', '-inf'],
    [
      ['a', d(1.5)],
      ['b', d(-Infinity)],
    ],
    [
      { member: 'a', score: 1.5 },
      { member: 'b', score: '-Infinity' },
    ],
  ],
  ['ZRANGE withscores 0 -1', ['a', 'b'], ['a', 'b'], ['a', 'b']],
  ['ZINTER 2 withscores y', ['a', 'b'], ['a', 'b'], ['a', 'b']],
  ['ZINTER 2 x y WITHSCORES', ['a', '20'], [['a', d(20)]], [{ member: 'a', score: 20 }]],
  ['ZPOPMIN z', ['a', '1'], ['a', d(1)], [{ member: 'a', score: 1 }]],
  ['ZPOPMIN z', [], [], []],
  [
    'ZPOPMAX z 2',
    ['a', '1', 'b', '0'],
    [
      ['a', d(1)],
      ['b', d(0)],
    ],
    [
      { member: 'a', score: 1 },
      { member: 'b', score: 0 },
    ],
  ],
  ['BZPOPMIN z 1', ['z', 'a', '1'], ['z', 'a', d(1)], { key: 'z', member: 'a', score: 1 }],
  ['ZMPOP 1 z MIN', ['z', [['a', '1']]], ['z', [['a', d(1)]]], ['z', [{ member: 'a', score: 1 }]]],
  ['ZSCAN z 0', ['0', ['a', '1']], ['0', ['a', '1']], ['0', [{ member: 'a', score: 1 }]]],
  [
    'GEOPOS g a b',
    [['13.5', '38.25'], null],
    [[d(13.5), d(38.25)], null],
    [{ longitude: 13.5, latitude: 38.25 }, null],
  ],
  [
    'GEOSEARCH g FROMMEMBER withhash BYRADIUS 1 km WITHDIST WITHCOORD',
    [['a', '0.1000', ['1', '2']]],
    [['a', '0.1000', [d(1), d(2)]]],
    [{ member: 'a', distance: '0.1000', coordinates: { longitude: 1, latitude: 2 } }],
  ],
  [
    'XRANGE x - +',
    [['1-1', ['a', '1', 'a', '2']]],
    [['1-1', ['a', '1', 'a', '2']]],
    [
      {
        id: '1-1',
        fields: [
          ['a', '1'],
          ['a', '2'],
        ],
      },
    ],
  ],
  [
    'XREAD STREAMS x 0',
    [['x', [['1-1', ['a', '1']]]]],
    map('x', [['1-1', ['a', '1']]]),
    [{ key: 'x', entries: [{ id: '1-1', fields: [['a', '1']] }] }],
  ],
  ['XREAD STREAMS x 0', null, null, null],
  [
    'XREADGROUP GROUP g c STREAMS x 0',
    [['x', [['2-1', null]]]],
    map('x', [['2-1', null]]),
    [{ key: 'x', entries: [{ id: '2-1', fields: null }] }],
  ],
  ['XCLAIM x g c 0 1-1 JUSTID', ['1-1'], ['1-1'], ['1-1']],
  [
    'XAUTOCLAIM x g c 0 0',
    ['0-0', [['1-1', ['a', '1']]], ['2-1']],
    ['0-0', [['1-1', ['a', '1']]], ['2-1']],
    { cursor: '0-0', entries: [{ id: '1-1', fields: [['a', '1']] }], deleted_ids: ['2-1'] },
  ],
  [
    'XPENDING x g',
    [2, '1-1', '3-1', [['me', '2']]],
    [2, '1-1', '3-1', [['me', '2']]],
    { count: 2, min_id: '1-1', max_id: '3-1', consumers: [{ name: 'me', count: 2 }] },
  ],
  [
    'XPENDING x g',
    [0, null, null, null],
    [0, null, null, null],
    { count: 0, min_id: null, max_id: null, consumers: null },
  ],
  [
    'XPENDING x g - + 10',
    [['1-1', 'me', 99, 2]],
    [['1-1', 'me', 99, 2]],
    [{ id: '1-1', consumer: 'me', idle_time: 99, delivery_count: 2 }],
  ],
  [
    'XINFO STREAM x',
    ['length', 1, 'groups', 1, 'first-entry', ['1-1', ['c', '5']]],
    map('length', 1, 'groups', 1, 'first-entry', ['1-1', ['c', '5']]),
    { length: 1, groups: 1, 'first-entry': { id: '1-1', fields: [['c', '5']] } },
  ],
  [
    'XINFO GROUPS x',
    [['name', 'g', 'consumers', 4]],
    [map('name', 'g', 'consumers', 4)],
    [{ name: 'g', consumers: 4 }],
  ],
  ['JSON.GET j', '{"a":9007199254740993}', '{"a":1}', undefined],
  ['JSON.NUMINCRBY j $.a 1', '[3,null,2.5]', [3, null, d(2.5)], [3, null, 2.5]],
  ['JSON.NUMINCRBY j .a 1', '5.5', [d(5.5)], [5.5]],
  ['JSON.TYPE j $.a', ['number'], [['number']], [['number']]],
  ['JSON.TYPE j .a', 'number', ['number'], ['number']],
  ['BF.ADD b a', 1, true, true],
  ['BF.MADD b a c', [0, 1], [false, true], [false, true]],
  ['CF.INSERTNX b ITEMS a', [-1, 1], [-1, 1], [-1, 1]],
  ['BF.INFO b', ['Capacity', 100], map('Capacity', 100), { Capacity: 100 }],
  ['BF.INFO b CAPACITY', [100], map('Capacity', 100), { Capacity: 100 }],
  ['TOPK.LIST t WITHCOUNT', ['a', 9], ['a', 9], [{ item: 'a', count: 9 }]],
  ['TDIGEST.QUANTILE t 0.5', ['nan'], [d(Number.NaN)], ['NaN']],
  ['TS.GET t', [5000, '23.5'], [5000, d(23.5)], { timestamp: 5000, value: 23.5 }],
  ['TS.GET t', [], [], null],
  ['TS.RANGE t - +', [[1, '2']], [[1, d(2)]], [{ timestamp: 1, value: 2 }]],
  [
    'TS.MGET FILTER a=b',
    [['t', [['a', 'b']], [1, '2']]],
    map('t', [map('a', 'b'), [1, d(2)]]),
    [{ key: 't', labels: { a: 'b' }, data_point: { timestamp: 1, value: 2 } }],
  ],
  [
    'TS.MRANGE - + FILTER a=b',
    [['t', [], [[1, '2']]]],
    map('t', [map(), map('aggregators', []), [[1, d(2)]]]),
    [{ key: 't', labels: {}, data_points: [{ timestamp: 1, value: 2 }] }],
  ],
  [
    'TS.INFO t',
    ['labels', [['a', 'b']], 'rules', [['u', 1000, 'AVG', 0]]],
    map('labels', map('a', 'b'), 'rules', map('u', [1000, 'AVG', 0])),
    { labels: { a: 'b' }, rules: { u: [1000, 'AVG', 0] } },
  ],
  [
    'VSIM v ELE x WITHSCORES',
    ['x', '1', 'y', '0.5'],
    map('x', d(1), 'y', d(0.5)),
    [
      { element: 'x', score: 1 },
      { element: 'y', score: 0.5 },
    ],
  ],
  [
    'VSIM v ELE x WITHSCORES WITHATTRIBS',
    ['x', '1', '{"y":1}', 'z', '0.5', null],
    map('x', [d(1), '{"y":1}'], 'z', [d(0.5), null]),
    [
      { element: 'x', score: 1, attributes: { y: 1 } },
      { element: 'z', score: 0.5, attributes: null },
    ],
  ],
  ['VLINKS v x WITHSCORES', [['y', '0.5']], [map('y', d(0.5))], [[{ element: 'y', score: 0.5 }]]],
  [
    'FT.SEARCH i q WITHSCORES',
    [1, 'doc', '1', ['a', 'b']],
    map('attributes', [], 'total_results', 1, 'results', [
      map('id', 'doc', 'score', d(1), 'extra_attributes', map('a', 'b'), 'values', []),
    ]),
    undefined,
  ],
  [
    'FT.SUGGET s h WITHSCORES WITHPAYLOADS',
    ['help', '1.5', 'x'],
    ['help', d(1.5), 'x'],
    [{ string: 'help', score: 1.5, payload: 'x' }],
  ],
  [
    'FT.SPELLCHECK i helo',
    [['TERM', 'helo', [['0.5', 'hello']]]],
    map('results', map('helo', [map('hello', d(0.5))])),
    [{ term: 'helo', suggestions: [{ suggestion: 'hello', score: 0.5 }] }],
  ],
  ['PUBSUB NUMSUB c', ['c', 0], ['c', 0], { c: 0 }],
  [
    'SLOWLOG GET',
    [[1, 2, 3, ['GET', 'a'], 'x', 'n']],
    [[1, 2, 3, ['GET', 'a'], 'x', 'n']],
    [
      {
        id: 1,
        timestamp: 2,
        duration_micros: 3,
        command: ['GET', 'a'],
        client_address: 'x',
        client_name: 'n',
      },
    ],
  ],
  [
    'ROLE',
    ['master', 3, [['h', '1', '2']]],
    ['master', 3, [['h', '1', '2']]],
    { role: 'master', offset: 3, replicas: [{ host: 'h', port: '1', offset: '2' }] },
  ],
  [
    'COMMAND DOCS get',
    ['get', ['group', 'string', 'arguments', [['name', 'key']]]],
    map('get', map('group', 'string', 'arguments', [map('name', 'key')])),
    { get: { group: 'string', arguments: [{ name: 'key' }] } },
  ],
  [
    'FUNCTION LIST',
    [['library_name', 'l', 'functions', [['name', 'f', 'flags', []]]]],
    [map('library_name', 'l', 'functions', [map('name', 'f', 'flags', set())])],
    [{ library_name: 'l', functions: [{ name: 'f', flags: [] }] }],
  ],
];
