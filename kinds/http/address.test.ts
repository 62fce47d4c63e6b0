/** That a path stays under the URL of its endpoint, however it is written. Contract §6, "http kind". */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import { baseOf, faultOfBase, faultOfPath, urlOf } from './address.ts';

const BASE = baseOf('https://api.test/v1?key=s3cr3t');

describe('a path', () => {
  test.each([
    ['', 'https://api.test/v1?key=s3cr3t'],
    ['/', 'https://api.test/v1/?key=s3cr3t'],
    ['orders/7', 'https://api.test/v1/orders/7?key=s3cr3t'],
    ['/orders/7/', 'https://api.test/v1/orders/7/?key=s3cr3t'],
    ['/a%20b/%40me/%2Fx/%C3%BC', 'https://api.test/v1/a%20b/%40me/%2Fx/%C3%BC?key=s3cr3t'],
    ['/ü', 'https://api.test/v1/%C3%BC?key=s3cr3t'],
    ['/..a/b..c/...', 'https://api.test/v1/..a/b..c/...?key=s3cr3t'],
    ['/a;b=c/d:e', 'https://api.test/v1/a;b=c/d:e?key=s3cr3t'],
    ['/%e9', 'https://api.test/v1/%e9?key=s3cr3t'],
  ])('%j goes under the URL', (path, expected) => {
    expect(faultOfPath(path)).toBeUndefined();
    expect(urlOf(BASE, path, {}).href).toBe(expected);
  });

  test.each([
    ...['..', '/..', '/../admin', '/a/../../admin', '/a/..', '/./a', '/.'],
    ...['/%2e%2e/admin', '/%2E./admin', '/.%2e/admin', '/%252e%252e/admin', '/%25252e%25252e/'],
    ...['/a/%2e%2e%2f%2e%2e%2fadmin', '/..%2fadmin', '/..%5cadmin', '/a%5c..%5cb', '/%2e'],
    ...['/..;/admin', '/..;x=y/admin', '/%2e%2e%3b/admin', '/．．/admin', '/%EF%BC%8E%EF%BC%8E/x'],
    ...['/․․/x', '/..／x', '/%c0%ae%c0%ae/x', '/%c0%af'],
    ...[
      '/%e0%80%ae%e0%80%ae%e0%80%afx',
      '/%f0%80%80%ae%f0%80%80%ae/x',
      '/%f8%80%80%80%af',
      '/%fc%80%80%80%80%ae',
    ],
    ...['/..%20/x', '/%20../x', '/.%c2%a0/x', '/..%20;a=b/x'],
    ...['/a%00b', '/a%0d%0aX:y', '/a\r\nX: y'],
    ...[
      '//evil.test/x',
      '/a//b',
      '\\\\evil.test',
      '/a\\b',
      'https://evil.test/',
      'http://evil.test',
    ],
    ...[
      'HTTPS://evil.test',
      '@evil.test/',
      '/a@b',
      ':80@evil.test',
      '/a?b=c',
      '/a#b',
      '/a b',
      '/%',
    ],
    ...['/%zz', '/%1', '/a\tb', '/a\u0000b', '/\ud800', '/a\udc00b'],
  ])('%j is refused', (path) => {
    expect(faultOfPath(path)).toEqual(expect.any(String));
    expect(() => urlOf(BASE, path, {})).toThrow(GatewayError);
  });

  test('that is taken never leads elsewhere', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '/',
        '\\',
        '%2e',
        '%2f',
        '%5c',
        '%25',
        ';',
        ':',
        '@',
        '?',
        '#',
        '%',
        'a',
      ),
      fc.string({ maxLength: 3, unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = pieces.join('');
        if (faultOfPath(path) !== undefined) return;
        const url = urlOf(BASE, path, {});
        expect([url.origin, url.search, url.username]).toEqual([
          'https://api.test',
          '?key=s3cr3t',
          '',
        ]);
        expect(`${url.pathname}/`.startsWith('/v1/')).toBe(true);
        expect(
          decodeURIComponent(url.pathname.replaceAll(/%[89a-f]./gi, 'x')).split('/'),
        ).not.toContain('..');
      }),
      { numRuns: 2_000 },
    );
  });
});

test("a query's sealed members are not for the caller to give", () => {
  const query = { key: 'mine', 'a&b': ['1=2', null, 3, true], none: null };
  expect(urlOf(BASE, '', query).href).toBe(
    'https://api.test/v1?key=s3cr3t&a%26b=1%3D2&a%26b=3&a%26b=true',
  );
});

test('the query of the URL goes as it was written: it may be signed', () => {
  const base = baseOf("https://api.test/v1?sig=a%20b%2Fc~'&sp=r");
  expect(urlOf(base, 'x', {}).search).toBe('?sig=a%20b%2Fc~%27&sp=r');
  expect(urlOf(base, 'x', { sp: 'w', n: 'a b' }).search).toBe('?sig=a%20b%2Fc~%27&sp=r&n=a+b');
});

test('a user in the URL becomes a header, which another may replace', () => {
  expect(baseOf('https://u%40:p%C3%BC@api.test/')).toMatchObject({
    url: new URL('https://api.test/'),
    sealed: [['authorization', 'Basic dUA6cMO8']],
  });
  const { sealed } = baseOf('https://u:p@api.test/', { authorization: 'Bearer x' });
  expect(new Map(sealed).get('authorization')).toBe('Bearer x');
});

test.each([
  'ftp://a.test',
  'https:///a.test',
  'https:a.test',
  'https:\\\\a.test',
  'https://a.test\\@b.test',
  'https://a.test/#b',
  'https://a.test/../b//c',
  'https://a.test/a//b',
  'https://u:%zz@a.test/',
  'https://a.test:70000/',
  '',
])('%j is no URL of an endpoint', (url) => {
  expect(faultOfBase(url)).toEqual(expect.any(String));
});
