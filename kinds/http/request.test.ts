/** What is in the texts of a request goes as it is, or is refused by name: it never becomes another request. */
import { expect, test } from 'vitest';
import { baseOf, urlOf } from './address.ts';
import { bodyOf } from './body.ts';
import { HttpRequest } from './request.ts';

const BASE = baseOf('https://api.test/v1');
const LONE = '\ud800';
const parse = (members: object) => HttpRequest.safeParse({ type: 'request', ...members });

test.each<[where: string, members: object, fault: string]>([
  ...['\r\nX-Injected: 1', '\n', '\0', LONE, 'ü', '\x7f'].map((text): [string, object, string] => [
    'the value of a header',
    { headers: { 'X-Own': text } },
    'headers.X-Own',
  ]),
  ...['a b', 'a:b', 'a\r\nb', 'a\0', '"', LONE, ''].map((text): [string, object, string] => [
    'the name of a header',
    { headers: { [text]: 'x' } },
    `headers.${text}`,
  ]),
  ...['GET /x HTTP/1.1\r\n', 'CONNECT', 'TRACE', 'GET\0'].map((text): [string, object, string] => [
    'the method',
    { method: text },
    'method',
  ]),
  ...['/a\r\nX: y', '/\0', `/${LONE}`].map((text): [string, object, string] => [
    'the path',
    { path: text },
    'path',
  ]),
  ['the query', { query: { a: LONE } }, 'query.a'],
  ['a list of the query', { query: { a: ['b', LONE] } }, 'query.a'],
  ['a name of the query', { query: { [LONE]: 'a' } }, 'query'],
  ['the body', { method: 'POST', body: LONE }, 'body'],
  ['the body as text', { method: 'POST', body: LONE, body_encoding: 'text' }, 'body'],
])('%s is refused where it holds what cannot be sent: %j', (_where, members, fault) => {
  const faults = parse(members).error?.issues.map(({ path }) => path.join('.'));
  expect(faults?.some((each) => each.startsWith(fault))).toBe(true);
});

const OF_QUERY = 'must be text, a number, a boolean, null, or a list of such';
test.each<[members: object, path: string, message: string]>([
  [{ query: ['a'] }, 'query', 'must be an object of names and values'],
  [{ query: { a: { $result: '[0]' } } }, 'query.a', OF_QUERY],
  [{ query: { a: [['b']] } }, 'query.a', OF_QUERY],
  [{ query: { a: LONE } }, 'query.a', 'must hold no half of a surrogate pair'],
  [{ headers: 'X: y' }, 'headers', 'must be an object of names and texts'],
  [{ headers: { 'X-N': 5 } }, 'headers.X-N', 'must be text'],
])('%j is told with what would be right', (members, path, message) => {
  const [issue] = parse(members).error?.issues ?? [];
  expect([issue?.path.join('.'), issue?.message]).toEqual([path, message]);
});

test.each(['"', "'", 'a\r\nb', '\0', '&x=1#y', '%0d%0a', '+'])(
  '%j in the query is the value that it is',
  (text) => {
    const { data } = parse({ query: { [text]: text, more: [text, text] } });
    const { searchParams } = urlOf(BASE, '', data?.query ?? {});
    expect([...searchParams]).toEqual([
      [text, text],
      ['more', text],
      ['more', text],
    ]);
  },
);

test('half of a surrogate pair in a body of JSON stays what it is', () => {
  const { data } = parse({ method: 'POST', body: { a: LONE } });
  const bytes = data && bodyOf(data)?.bytes;
  expect(new TextDecoder().decode(bytes)).toBe('{"a":"\\ud800"}');
});
