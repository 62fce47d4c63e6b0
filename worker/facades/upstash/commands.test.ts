/** Requests of Upstash's protocol as commands. */
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../outcome.ts';
import { type Commands, commandsIn, replyFormOf } from './commands.ts';

const URL_OF = 'http://gateway.test/upstash/cache';
const asked = (path: string, body?: string | Uint8Array): Commands => {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return commandsIn(new Request(URL_OF + path), bytes);
};
const command = (type: string, ...args: Commands['commands'][number]['args']) => ({
  way: 'command',
  commands: [{ type, args }],
});

describe('a command', () => {
  test.each([
    ['["SET","k","v"]', command('set', 'k', 'v')],
    ['["Set","k",1.5,true]', command('set', 'k', '1.5', 'true')],
    ['["INCRBY","k",9223372036854775807]', command('incrby', 'k', '9223372036854775807')],
    ['["XGROUP","CREATE","k"]', command('xgroup', 'CREATE', 'k')],
  ])('in the body: %s', (body, expected) => {
    expect(asked('', body)).toEqual(expected);
    expect(asked('/', body)).toEqual(expected);
  });

  test.each<[string, string | Uint8Array | undefined, unknown]>([
    ['/GET/k', undefined, command('get', 'k')],
    ['/get/k/', undefined, command('get', 'k')],
    ['/get/a%2Fb%20c', undefined, command('get', 'a/b c')],
    ['/get/caf%C3%A9', undefined, command('get', 'café')],
    ['/get/a%0D%0Ab%E2%80%A8c', undefined, command('get', 'a\r\nb\u2028c')],
    ['/get/%FF%00', undefined, command('get', { $bytes: '/wA=' })],
    ['/get/50%25', undefined, command('get', '50%')],
    ['/set/k/v/EX/100', undefined, command('set', 'k', 'v', 'EX', '100')],
    ['/set/k?EX=100&NX', 'v', command('set', 'k', 'v', 'EX', '100', 'NX')],
    ['/set/k', '{"json": true}', command('set', 'k', '{"json": true}')],
    ['/set/k', '["a"]', command('set', 'k', '["a"]')],
    ['/set/k', new Uint8Array([0xff]), command('set', 'k', { $bytes: '/w==' })],
    ['/echo', 'pipeline', command('echo', 'pipeline')],
  ])('in the path: %s', (path, body, expected) => expect(asked(path, body)).toEqual(expected));
});

test('many commands, and subscriptions, are known by the first word of the path', () => {
  const rows = '[["SET","k",1],["GET","k"]]';
  const commands = [
    { type: 'set', args: ['k', '1'] },
    { type: 'get', args: ['k'] },
  ];
  expect(asked('/pipeline', rows)).toEqual({ way: 'pipeline', commands });
  expect(asked('/multi-exec', rows)).toEqual({ way: 'transaction', commands });
  const one = (type: string, ...args: string[]) => ({ way: 'events', commands: [{ type, args }] });
  expect(asked('/subscribe/chat', '[]')).toEqual(one('subscribe', 'chat'));
  expect(asked('/psubscribe/news.*', '[]')).toEqual(one('psubscribe', 'news.*'));
  expect(asked('/monitor')).toEqual(one('monitor'));
});

describe('what is none', () => {
  test.each<[string, string | undefined, unknown]>([
    ['', undefined, 'body: must be a JSON array: ["SET", "key", "value"]'],
    ['', '{"a":1}', 'body: must be a JSON array: ["SET", "key", "value"]'],
    ['', 'text', expect.stringMatching(/^The body is not JSON: at line 1/)],
    ['', '[]', 'body: begins with the name of a command'],
    ['', '["SET","k",null]', '2: is text, a number, or true or false'],
    ['', '["SET","k",{"a":1}]', '2: is text, a number, or true or false'],
    ['', '["SET","k","\\ud800"]', '2: holds half of a surrogate pair, which has no UTF-8'],
    [
      '/pipeline',
      '[["GET","k"],["\\udfff"]]',
      '1.0: holds half of a surrogate pair, which has no UTF-8',
    ],
    ['/pipeline', '["SET"]', '0: must be a JSON array: ["SET", "key", "value"]'],
    [
      '/pipeline',
      '[]',
      'body: must be a JSON array of commands: [["SET", "key", "value"], ["GET", "key"]]',
    ],
    ['/multi-exec', '[["GET","k"],["SET","k",[1]]]', '1.2: is text, a number, or true or false'],
    ['/pipeline/x', '[["GET","k"]]', 'path: ends with pipeline'],
  ])('%s with %s is refused, saying what would be right', (path, body, message) => {
    let thrown: unknown;
    try {
      asked(path, body);
    } catch (failure) {
      thrown = failure;
    }
    expect(failureOf(thrown)).toMatchObject({ code: 'BAD_REQUEST', message });
  });
});

describe('the form of replies', () => {
  const form = (headers: Record<string, string>, way: Commands['way'] = 'command') =>
    replyFormOf(new Request(URL_OF, { headers }), way);

  test('is JSON, with base64 or RESP2 when the headers say so', () => {
    expect(form({})).toBe('json');
    expect(form({ 'upstash-encoding': 'base64' })).toBe('base64');
    expect(form({ 'upstash-encoding': 'base64' }, 'transaction')).toBe('base64');
    expect(form({ 'upstash-response-format': 'resp2' })).toBe('resp2');
    expect(form({ 'upstash-response-format': 'resp2' }, 'pipeline')).toBe('resp2');
    expect(form({ 'upstash-response-format': 'resp2' }, 'transaction')).toBe('json');
  });

  test('is refused where there is none such', () => {
    expect(() => form({ 'upstash-response-format': 'resp3' })).toThrow('is json or resp2');
    const both = { 'upstash-response-format': 'resp2', 'upstash-encoding': 'base64' };
    expect(() => form(both)).toThrow('base64 is not for resp2');
  });
});
