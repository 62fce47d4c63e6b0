/** Requests by members, by words and by lines, and what is wrong with them. */
import { expect, test } from 'vitest';
import { parseJson } from '../../proto/json.ts';
import { PIPELINE_MAX, RedisRequest } from './request.ts';

/** The words of a request after its type. */
function wordsOf(request: object) {
  const parsed = RedisRequest.parse(request);
  return 'args' in parsed ? [parsed.type, ...parsed.args] : [];
}

/** Which members are wrong, and how. */
function faultsOf(request: object): string[] {
  const { error } = RedisRequest.safeParse(request);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const KEY = { key: 'k' };
const PAIR = { keys: ['a', 'b'] };

test.each([
  [{ type: 'set', ...KEY, value: 'v', options: { EX: { seconds: 5 } } }, 'set k v EX 5'],
  [{ type: 'set', ...KEY, value: 'v', EX: 5, NX: true }, 'set k v NX EX 5'],
  [{ type: 'set', ...KEY, value: 'v', options: 'KEEPTTL', get: true }, 'set k v GET KEEPTTL'],
  [
    { type: 'set', ...KEY, value: 'v', options: { PXAT: { unix_time_milliseconds: 9 } } },
    'set k v PXAT 9',
  ],
  [{ type: 'lpush', ...KEY, elements: 'a' }, 'lpush k a'],
  [{ type: 'zinter', ...PAIR, withscores: true }, 'zinter 2 a b WITHSCORES'],
  [{ type: 'zrank', ...KEY, member: 'm', withscore: true }, 'zrank k m WITHSCORE'],
  [{ type: 'xadd', ...KEY, id: 'Auto', entries: [['f', 'v']] }, 'xadd k * f v'],
  [{ type: 'xadd', ...KEY, id: { Explicit: '1-1' }, entries: [['f', 'v']] }, 'xadd k 1-1 f v'],
  [{ type: 'xgroup', args: ['CREATE'], ...KEY, group: 'g', id: 'New' }, 'xgroup create|k g $'],
  [{ type: 'replicaof', target: { HostPort: { host: 'h', port: 1 } } }, 'replicaof h 1'],
  [{ type: 'replicaof', target: 'NoOne' }, 'replicaof NO ONE'],
  [{ type: 'hrandfield', ...KEY, count: 2, with_values: true }, 'hrandfield k 2 WITHVALUES'],
  [{ type: 'srandmember', ...KEY, count: null }, 'srandmember k'],
  [{ type: 'vsim', ...KEY, value: 'ELE', element: { Element: 'e' } }, 'vsim k ELE e'],
  [{ type: 'vadd', ...KEY, value: [1, 2], element: 'e' }, 'vadd k VALUES 2 1 2 e'],
  [
    { type: 'migrate', host: 'h', port: 1, ...PAIR, destination_db: 0, timeout: 9 },
    'migrate h 1  0 9 KEYS a b',
  ],
  [
    { type: 'client kill', filter: { Addr: { ip: '192.0.2.7', port: 5 } } },
    'client kill|192.0.2.7:5',
  ],
  [
    { type: 'geosearch', ...KEY, from: 'm', radius: 3, unit: 'km' },
    'geosearch k FROMMEMBER m BYRADIUS 3 KM',
  ],
  [{ type: 'json.set', ...KEY, path: '$', value: { a: [1, null] } }, 'json.set k $ {"a":[1,null]}'],
  [{ type: 'xinfo stream', ...KEY, full: true }, 'xinfo stream|k FULL'],
  [{ type: 'ft.aggregate', index: 'i', query: '*', load: '*' }, 'ft.aggregate i * LOAD *'],
  [
    {
      type: 'ft.aggregate',
      index: 'i',
      query: '*',
      steps: [
        { load: { count: 1, field: ['@at'] } },
        { apply: { expression: 'year(@at)', name: 'y' } },
        {
          group_by: {
            nargs: 1,
            property: ['@y'],
            groups: [{ reduce: { function: 'COUNT' }, as: 'n' }],
          },
        },
        { filter: '@n>1' },
        { sort_by: { by: [{ property: '@n', order: 'DESC' }] } },
        { load: '*' },
        { limit: { offset: 0, num: 5 } },
      ],
      dialect: 2,
    },
    'ft.aggregate i * LOAD 1 @at APPLY year(@at) AS y GROUPBY 1 @y REDUCE COUNT 0 AS n FILTER @n>1 SORTBY 2 @n DESC LOAD * LIMIT 0 5 DIALECT 2',
  ],
])('other names and forms: %j', (request, line) => {
  const [name = '', rest] = line.split('|');
  const expected = rest === undefined ? line.split(' ') : [name, ...rest.split(' ')];
  expect(wordsOf(request)).toEqual(expected);
});

test.each([
  ['XGROUP CREATE', ['k', 'g', '$']],
  ['xgroup', ['CREATE', 'k', 'g', '$']],
  ['xgroup|create', ['k', 'g', '$']],
  ['xgroup', [{ $bytes: btoa('Create') }, 'k', 'g', '$']],
])('the subcommand belongs to the name however it was written: %s %j', (type, args) => {
  expect(RedisRequest.parse({ type, args })).toEqual({
    type: 'xgroup create',
    args: ['k', 'g', '$'],
  });
});

test('words of any command are text, numbers, bytes, or JSON', () => {
  const body =
    '{"type": "not.known", "args": ["a b", 1.50, 12345678901234567890, true, {"$bytes": "AP8="}, {"a": [1]}]}';
  expect(RedisRequest.parse(parseJson(body))).toEqual({
    type: 'not.known',
    args: ['a b', '1.5', '12345678901234567890', 'true', { $bytes: 'AP8=' }, '{"a":[1]}'],
  });
});

test('names that every object has are words like any other', () => {
  for (const id of ['constructor', '__proto__', 'toString']) {
    expect(wordsOf({ type: 'xadd', key: 'k', id, entries: [['f', 'v']] })).toEqual([
      'xadd',
      'k',
      id,
      'f',
      'v',
    ]);
    const rules = [{ [id]: 'x' }];
    expect(faultsOf({ type: 'acl setuser', username: 'u', rules })).toHaveLength(1);
    expect(faultsOf({ type: 'get', [id]: 'x' })).toContain('key: is required');
    expect(faultsOf({ type: id, args: [] })).toEqual([]);
  }
});

test('members win over words', () => {
  const request = { type: 'set', ...KEY, value: 'v', args: ['other', 'words'] };
  expect(wordsOf(request)).toEqual(['set', 'k', 'v']);
});

test('args of a script are its own next to its other members', () => {
  expect(wordsOf({ type: 'eval', script: 's', keys: ['k'], args: ['a'] })).toEqual([
    'eval',
    's',
    '1',
    'k',
    'a',
  ]);
  expect(wordsOf({ type: 'eval', args: ['s', 0, 'a'] })).toEqual(['eval', 's', '0', 'a']);
});

test('raw commands are lines as redis-cli takes them, or words', () => {
  const line = String.raw`SET "a b" 'it\'s' "\x00\xff\n"`;
  expect(wordsOf({ type: 'raw_command', command: line.slice(0, -12) })).toEqual([
    'set',
    'a b',
    "it's",
  ]);
  expect(wordsOf({ type: 'RAW_COMMAND', command: line })).toEqual([
    'set',
    'a b',
    "it's",
    { $bytes: 'AP8K' },
  ]);
  expect(wordsOf({ type: 'raw_command_read_only', command: ['GET', 'k'] })).toEqual(['get', 'k']);
});

test('a pipeline is many commands, each read as one alone', () => {
  const pipeline = [
    { type: 'GET', ...KEY },
    { type: 'xgroup', args: ['create', 'k', 'g', '$'] },
  ];
  expect(RedisRequest.parse({ type: 'pipeline', pipeline, timeout_ms: 5 })).toEqual({
    type: 'pipeline',
    timeout_ms: 5,
    pipeline: [
      { type: 'get', args: ['k'] },
      { type: 'xgroup create', args: ['k', 'g', '$'] },
    ],
  });
});

const HALF = 'must not hold half of a surrogate pair; {"$bytes": base64} is any bytes';
test.each([
  [{ type: 'get', key: 'k\ud800' }, [`key: ${HALF}`]],
  [
    { type: 'hset', ...KEY, fields: [{ field: 'f', value: '\udc00' }] },
    [`fields.0.value: ${HALF}`],
  ],
  [{ type: 'not.known', args: ['a', '\ud800'] }, [`args.1: ${HALF}`]],
  [{ type: 'raw_command', command: 'get \ud800' }, [`command.1: ${HALF}`]],
  [{ type: 'pipeline', pipeline: [{ type: 'get', key: '\ud800' }] }, [`pipeline.0.key: ${HALF}`]],
])('no other character is sent instead of half of a pair: %j', (request, faults) => {
  expect(faultsOf(request)).toEqual(faults);
});

test.each(["it's", 'a "b"', 'a\r\nSET b 1', 'a\0b', '*1\r\n$8\r\nFLUSHALL\r\n'])(
  '%j is one word, whatever it holds',
  (text) => {
    expect(wordsOf({ type: 'set', key: text, value: text })).toEqual(['set', text, text]);
    expect(wordsOf({ type: 'not.known', args: [text] })).toEqual(['not.known', text]);
    expect(faultsOf({ type: text, args: [] })).toHaveLength(/[\r\0]/.test(text) ? 1 : 0);
  },
);

const MANY = Array.from({ length: PIPELINE_MAX + 1 }, () => ({ type: 'time' }));
test.each([
  [{ type: 'get' }, ['key: is required']],
  [{ type: 'get', ...KEY, timeout_ms: 0 }, ['timeout_ms: must be an integer from 1 to 300000']],
  [
    { type: 'get', key: { a: 1 } },
    ['key: must be text, {"$bytes": base64} or a list of byte numbers'],
  ],
  [{ type: 'get', key: [256] }, ['key: must be a list of byte numbers']],
  [{ type: 'get', key: { $bytes: 'a' } }, ['key: must hold base64 in $bytes']],
  [{ type: 'get', Key: 'k', key: 'k' }, ['key: is given twice, under two names']],
  [
    { type: 'getrange', ...KEY, start: 'one', end: 1.5 },
    ['start: must be an integer', 'end: must be an integer'],
  ],
  [{ type: 'set', ...KEY, value: 'v', rule: 'ZZ' }, ['rule: must be one of NX, XX, IFEQ']],
  [{ type: 'set', ...KEY, value: 'v', options: { EX: 'x' } }, ['options.EX: must be an integer']],
  [
    { type: 'set', ...KEY, value: 'v', options: { EXX: 5 } },
    ['options: must be one of EX, PX, EXAT, PXAT, KEEPTTL'],
  ],
  [{ type: 'set', ...KEY, value: 'v', get: 'please' }, ['get: must be true or false']],
  [{ type: 'hset', ...KEY, fields: [{ field: 'f' }] }, ['fields.0.value: is required']],
  [{ type: 'hset', ...KEY, fields: ['f'] }, ['fields.0: must be an object of field, value']],
  [{ type: 'sadd', ...KEY, members: [] }, ['members: must have at least one element']],
  [
    { type: 'not.known', ...KEY },
    ['type: is not a command whose members are known: give its words in args, a list'],
  ],
  [{ type: 'get k' }, ['type: must be get alone: its words stand in members, or in args']],
  [{ type: 'xgroup nothing' }, ['type: is not known: xgroup has no subcommand nothing']],
  [{ type: 'memory', ...KEY }, [expect.stringMatching(/^type: needs one of .*usage.* behind it$/)]],
  [{ type: 'object' }, ['type: needs one of encoding, freq, help, idletime, refcount behind it']],
  [{ type: 'xgroup', args: [] }, []],
  [{ type: 'command' }, []],
  [{ type: 'get\r\nset' }, ['type: must be the name of a command, without its words']],
  [{ type: 'get', args: [null] }, ['args.0: must not be null']],
  [{ type: 'get', args: 'k' }, ['args: must be a list of words']],
  [
    { type: 'raw_command', command: 'get "k' },
    [expect.stringMatching(/^command: must be a command/)],
  ],
  [{ type: 'raw_command_read_only', command: 'del k' }, ['command: must only read: del may write']],
  [{ type: 'pipeline', pipeline: [] }, ['pipeline: must be a list of 1 to 20000 commands']],
  [{ type: 'pipeline', pipeline: MANY }, ['pipeline: must be a list of 1 to 20000 commands']],
  [
    { type: 'pipeline', pipeline: [{ type: 'time' }, { type: 'get' }, 5] },
    ['pipeline.1.key: is required', 'pipeline.2: must be an object with a type'],
  ],
  [
    { type: 'pipeline', pipeline: [{ type: 'pipeline', pipeline: [] }] },
    ['pipeline.0.type: must be a command: a pipeline has none within'],
  ],
  [
    {
      type: 'pipeline',
      pipeline: [
        { type: 'time', kind: 'Redis' },
        { type: 'time', kind: 'valkey' },
        { type: 'time', kind: 'postgres' },
      ],
    },
    ['pipeline.2.kind: must be Redis'],
  ],
  [
    { type: 'pipeline', pipeline: [{ type: 'get', ...KEY, timeout_ms: 5 }] },
    ['pipeline.0.timeout_ms: is not a member of this command; it has key'],
  ],
])('says what is wrong with %j', (request, faults) => {
  expect(faultsOf(request)).toEqual(faults);
});
