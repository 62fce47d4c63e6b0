/** Replies as JSON: each as RESP2 and as RESP3 give it, and what both become. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReplyError, ReplyMap, ReplySet, type ReplyValue } from '../reply-value.ts';
import { naturalJson, replyJson } from './index.ts';
import { d, map, REPLIES, set } from './test/reply-rows.ts';

const encoder = new TextEncoder();
const bytes = (text: string) => encoder.encode(text);
/** Text as the server sends it: in bytes. */
const sent = (value: ReplyValue): ReplyValue => {
  if (typeof value === 'string') return bytes(value);
  if (value instanceof ReplyMap) return new ReplyMap(value.items.map(sent));
  if (value instanceof ReplySet) return new ReplySet(value.items.map(sent));
  return Array.isArray(value) ? value.map(sent) : value;
};
function reply(line: string, value: ReplyValue): unknown {
  return JSON.parse(replyJson(commandOf(line.split(' ')), sent(value)));
}

const WITH_SUBCOMMAND = /^(xinfo|config|acl|command|function|memory|pubsub|latency|slowlog)$/;

function commandOf([name = '', ...rest]: readonly string[]) {
  const type = name.toLowerCase();
  const [sub = '', ...args] = rest;
  if (WITH_SUBCOMMAND.test(type)) return { type: `${type} ${sub.toLowerCase()}`, args };
  return { type, args: rest };
}

describe('a reply', () => {
  const decoded = REPLIES.filter(([, , , json]) => json !== undefined);
  test.each(decoded)('to %s is decoded by its type', (line, two, three, json) => {
    expect([reply(line, two), reply(line, three)]).toEqual([json, json]);
  });

  test('of a search tells documents', () => {
    const [, two, three] = REPLIES.find(([line]) => line.startsWith('FT.SEARCH')) ?? [];
    const results = [{ id: 'doc', score: 1, fields: { a: 'b' } }];
    expect(reply('FT.SEARCH i q WITHSCORES', two ?? null)).toEqual({ total_results: 1, results });
    expect(reply('FT.SEARCH i q WITHSCORES', three ?? null)).toMatchObject({
      total_results: 1,
      results,
    });
  });

  test('of a document keeps its digits, and its text in a layout', () => {
    const text = '{"a":9007199254740993,"b":1.0}';
    expect(replyJson({ type: 'json.get', args: ['j'] }, bytes(text))).toBe(text);
    const laidOut = { type: 'json.get', args: ['j', 'INDENT', ' ', '$'] };
    expect(replyJson(laidOut, bytes(text))).toBe(JSON.stringify(text));
    expect(replyJson({ type: 'json.get', args: ['j'] }, bytes('no JSON'))).toBe('"no JSON"');
  });

  test.each<[line: string, value: ReplyValue, json: unknown]>([
    ['DUMP k', 'abc', { $bytes: 'YWJj' }],
    ['DUMP k', null, null],
    ['FUNCTION DUMP', 'abc', { $bytes: 'YWJj' }],
    ['BF.SCANDUMP b 0', [1, 'abc'], [1, { $bytes: 'YWJj' }]],
    ['CF.SCANDUMP b 0', [0, null], [0, null]],
    ['VEMB v e RAW', ['int8', '*U', d(1), d(2)], ['int8', { $bytes: 'KlU=' }, 1, 2]],
  ])('to %s is bytes, whatever they are', (line, value, json) => {
    expect(reply(line, value)).toEqual(json);
  });

  test('of a command that nobody knows is natural', () => {
    const value = [
      1,
      null,
      true,
      map('a', d(1)),
      set('b'),
      new ReplyError('MYERR at 10.0.0.1:6379'),
    ];
    expect(reply('NOSUCH', value)).toEqual([
      ...[1, null, true, { a: 1 }, ['b']],
      { error: 'Request failed', message: 'MYERR at (address)', code: 'MYERR' },
    ]);
  });
});

describe('a value', () => {
  const form = { numbersAsStrings: false };
  test.each([
    [bytes('\ufeffgrün'), JSON.stringify('\ufeffgrün')],
    [new Uint8Array([0xff, 0]), '{"$bytes":"/wA="}'],
    [9007199254740991, '9007199254740991'],
    [9223372036854775807n, '"9223372036854775807"'],
    [d(0.1), '0.1'],
    [d(1e300), '1e+300'],
    [d(-0), '-0'],
    [d(Number.NaN), '"NaN"'],
    [map(1, 'a'), '[[1,"a"]]'],
    [map(bytes('a'), 1, 'a', 2), '[["a",1],["a",2]]'],
    [map(new Uint8Array([0xff]), 1), '[[{"$bytes":"/w=="},1]]'],
  ] satisfies [ReplyValue, string][])('of sort %# has its own text', (value, json) => {
    expect(naturalJson(value, form)).toBe(json);
  });

  test('that is an integer is text when that is asked for, and a double is not', () => {
    expect(naturalJson([1, 2n, d(3), map('a', 4)], { numbersAsStrings: true })).toBe(
      '["1","2",3,{"a":"4"}]',
    );
  });

  test('of any bytes comes back', () => {
    const isBack = (value: Uint8Array) => {
      const json: unknown = JSON.parse(naturalJson(value, form));
      const back =
        typeof json === 'string'
          ? encoder.encode(json)
          : Uint8Array.from(atob((json as { $bytes: string }).$bytes), (c) => c.charCodeAt(0));
      expect(back).toEqual(value);
    };
    void fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), isBack));
    isBack(new Uint8Array(100_000).fill(0xfe));
  });

  test('that no shape expects comes through all the same', () => {
    const leaf = fc.nat({ max: 99 }).map((number): ReplyValue => `leaf${number};`);
    const any = fc.letrec<{ value: ReplyValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc.array(tie('value'), { maxLength: 5 }),
        fc.array(tie('value'), { maxLength: 2 }).map((items) => set(...items)),
        fc
          .array(fc.tuple(leaf, tie('value')), { maxLength: 3 })
          .map((items) => map(...items.flat())),
      ),
    })).value;
    const lines = [...new Set(REPLIES.map(([line]) => line))];
    const run = fc.property(fc.constantFrom(...lines), any, (line, value) => {
      const json = JSON.stringify(reply(line, value));
      for (const each of leavesOf(value)) expect(json).toContain(each);
    });
    void fc.assert(run, { numRuns: 2_000 });
  });
});

function leavesOf(value: ReplyValue): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof ReplyMap || value instanceof ReplySet) return value.items.flatMap(leavesOf);
  return Array.isArray(value) ? value.flatMap(leavesOf) : [];
}
