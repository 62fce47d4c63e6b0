/** Bodies that are taken, and what is told of those that are not. */
import { describe, expect, test } from 'vitest';
import { DEPTH_MAX } from '../../proto/json.ts';
import { checkBodyHeaders, parseBody } from './body.ts';
import { readBody } from './body-bytes.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const post = (headers: Record<string, string>, body: BodyInit = '{}') =>
  new Request('http://gateway.test/', { method: 'POST', headers, body });

describe('a body by its headers', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; charset=utf8',
    'application/problem+json; profile="x"',
  ])('of type %s is taken', (type) => {
    expect(() => checkBodyHeaders(post({ 'Content-Type': type }), 100)).not.toThrow();
  });

  const JSON_WANTED = 'Send the body as Content-Type: application/json';
  const UTF_8_WANTED = 'Send the body in UTF-8';
  test.each([
    ['text/plain', JSON_WANTED],
    ['application/x-www-form-urlencoded', JSON_WANTED],
    ['', JSON_WANTED],
    ['application/jsonx', JSON_WANTED],
    ['application/json, application/json', JSON_WANTED],
    ['text/plain, application/json', JSON_WANTED],
    ['application/json; charset=latin1', UTF_8_WANTED],
    ['application/json; charset="utf-16"', UTF_8_WANTED],
    ['application/json; x=y; Charset = ISO-8859-1', UTF_8_WANTED],
    ['application/json; charset=', UTF_8_WANTED],
  ])('of type %j is refused', (type, message) => {
    expect(() => checkBodyHeaders(post({ 'Content-Type': type }), 100)).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_MEDIA_TYPE', message }),
    );
  });

  test.each(['gzip', 'br', 'identity, gzip', 'nonsense'])(
    'encoded as %s is refused, with what is taken',
    (encoding) => {
      expect(() => checkBodyHeaders(post({ 'Content-Encoding': encoding }), 100)).toThrow(
        expect.objectContaining({
          code: 'UNSUPPORTED_MEDIA_TYPE',
          message: 'Content-Encoding is not taken: send the body as it is',
          headers: { 'Accept-Encoding': 'identity' },
        }),
      );
    },
  );
});

describe('the bytes of a body', () => {
  test.each<[what: string, text: string, value: unknown]>([
    ['none', '', undefined],
    ['a byte order mark before JSON', '\ufeff{"a":1}', { a: 1 }],
    ['white space around it', ' \r\n[1]\t', [1]],
    ['two members of one name', '{"a":1,"a":2}', { a: 2 }],
    ['a name of the language', '{"__proto__":1}', JSON.parse('{"__proto__":1}')],
    ['a replacement character', '"\ufffd"', '\ufffd'],
    ['half a surrogate pair, escaped', '"\\ud800"', '\ud800'],
  ])('with %s are taken', (_what, text, value) => {
    expect(parseBody(bytes(text))).toEqual(value);
  });

  test.each<[what: string, sent: Uint8Array, message: string]>([
    [
      'text that breaks off',
      bytes('{"a":'),
      'The body is not JSON: it ends at line 1, column 6, where a value is expected',
    ],
    [
      'a fault in a later line',
      bytes('{\n  "a": 1,\n}'),
      'The body is not JSON: at line 3, column 1, where a name in double quotes is expected',
    ],
    [
      'a fault next to a long number',
      bytes('[12345678901234567890, x]'),
      'The body is not JSON: at line 1, column 24, where a value is expected',
    ],
    [
      'white space alone',
      bytes(' '),
      'The body is not JSON: it ends at line 1, column 2, where a value is expected',
    ],
    [
      'Latin-1',
      Uint8Array.of(0x22, 0xe9, 0x22),
      'The body is not UTF-8: at byte 1, counted from 0',
    ],
    [
      'a broken byte after characters of all lengths',
      Uint8Array.of(...bytes('\ufeff"a\u00e9\ufffd€🚀'), 0xff),
      'The body is not UTF-8: at byte 17, counted from 0',
    ],
    [
      'a character cut off',
      bytes('"€').subarray(0, 3),
      'The body is not UTF-8: at byte 1, counted from 0',
    ],
    [
      'UTF-16',
      Uint8Array.of(0xff, 0xfe, 0x31, 0),
      'The body is not UTF-8: at byte 0, counted from 0',
    ],
    [
      'what nests too deep',
      bytes(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
      'The body nests too deep: at line 1, column 1001 it nests deeper than 1000',
    ],
  ])('that are %s are refused, with the place', (_what, sent, message) => {
    const where = message.slice(message.indexOf(': ') + 2);
    expect(() => parseBody(sent)).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message,
        details: [{ path: 'body', message: where }],
      }),
    );
  });

  test('that nest as deep as is allowed are taken', () => {
    const text = `${'{"a":['.repeat(DEPTH_MAX / 2)}${']}'.repeat(DEPTH_MAX / 2)}`;
    expect(JSON.stringify(parseBody(bytes(text)))).toBe(text);
  });
});

describe('a body that comes piece by piece', () => {
  const ANYBODY = { address: 'somewhere' };
  const TEN = { maxBytes: 10, takenInBytes: 20, idleMs: 60_000, totalMs: 60_000 };
  const request = (sizes: readonly number[], ends: 'closes' | 'breaks') => {
    const left = [...sizes];
    const body = new ReadableStream({
      type: 'bytes',
      pull(controller) {
        const size = left.shift();
        if (size !== undefined) controller.enqueue(new Uint8Array(size).fill(0x31));
        else if (ends === 'closes') controller.close();
        else controller.error(new Error('gone'));
      },
    });
    return { request: post({}, body), left };
  };

  test('is put together', async () => {
    const sent = request([3, 1, 6], 'closes');
    expect(await readBody(ANYBODY, sent.request, TEN)).toEqual({
      bytes: bytes('1'.repeat(10)),
    });
  });

  test('over the limit is refused when it has ended, so that its sender reads why', async () => {
    const sent = request([6, 6, 6], 'closes');
    await expect(readBody(ANYBODY, sent.request, TEN)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect(sent.left).toEqual([]);
  });

  test('over twice the limit is refused before its end', async () => {
    const sent = request(
      Array.from({ length: 100 }, () => 6),
      'closes',
    );
    await expect(readBody(ANYBODY, sent.request, TEN)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect(sent.left.length).toBeGreaterThan(90);
  });

  test('and breaks off is refused as such', async () => {
    const sent = request([3], 'breaks');
    await expect(readBody(ANYBODY, sent.request, TEN)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'The body broke off before its end',
    });
  });
});
