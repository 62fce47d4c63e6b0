/** Whatever a caller keeps in a value, it is one word of the command, and the same one. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../proto/json.ts';
import type { RedisCommand, Word } from './command.ts';
import { RedisRequest } from './request.ts';
import { splitLine } from './split.ts';

const encoder = new TextEncoder();

function commandOf(request: object): RedisCommand {
  const parsed = RedisRequest.parse(request);
  return 'args' in parsed ? parsed : { type: '', args: [] };
}

function bytesOf(word: Word | undefined): number[] {
  if (typeof word === 'string') return [...encoder.encode(word)];
  return Array.from(atob(word?.$bytes ?? ''), (each) => each.charCodeAt(0));
}

function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** As redis-cli needs it written. */
function quoted(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`);
  return `"${hex.join('')}"`;
}

/** Texts with characters that split lines and end strings elsewhere. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom('\r', '\n', '\0', ' ', '"', "'", '\\', '$', '*', ':', 'é', '✓'),
  }),
);
const bytes = fc.uint8Array({ maxLength: 40 });

test('any text is one word, by members and by words', () => {
  void fc.assert(
    fc.property(text, text, (key, value) => {
      expect(commandOf({ type: 'set', key, value }).args).toEqual([key, value]);
      expect(commandOf({ type: 'set', args: [key, value] }).args).toEqual([key, value]);
      const members = [{ field: key, value }];
      expect(commandOf({ type: 'hset', key, fields: members }).args).toEqual([key, key, value]);
    }),
  );
});

test('any bytes are one word: as base64, as byte numbers of a key, and in a quoted line', () => {
  void fc.assert(
    fc.property(bytes, (given) => {
      const $bytes = base64Of(given);
      const [key, value] = commandOf({ type: 'set', key: [...given], value: { $bytes } }).args;
      expect([bytesOf(key), bytesOf(value)]).toEqual([[...given], [...given]]);
      const [word, ...others] = splitLine(quoted(given)) ?? [];
      expect([bytesOf(word), others]).toEqual([[...given], []]);
    }),
  );
});

test('any text that is quoted in a line is one word again', () => {
  void fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (words) => {
      const line = words.map((each) => quoted(encoder.encode(each))).join(' \t ');
      expect(splitLine(line)?.map(bytesOf)).toEqual(words.map((each) => [...encoder.encode(each)]));
    }),
  );
});

test('any JSON that is no text is its own JSON text', () => {
  const value = fc.jsonValue().filter((each) => typeof each === 'object' && each !== null);
  void fc.assert(
    fc.property(value, (given) => {
      const [, word] = commandOf({ type: 'set', key: 'k', value: given }).args;
      // Text would be its own JSON when it is an object of bytes alone.
      if (typeof word === 'string')
        expect(JSON.parse(word)).toEqual(JSON.parse(JSON.stringify(given)));
      const [, , document] = commandOf({
        type: 'json.set',
        key: 'k',
        path: '$',
        value: given,
      }).args;
      if (typeof document === 'string') expect(document).toBe(JSON.stringify(given));
    }),
  );
});

test('numbers keep their digits', () => {
  const digits = fc.stringMatching(/^-?[1-9][0-9]{0,30}$/);
  void fc.assert(
    fc.property(digits, (number) => {
      const body = parseJson(`{"type": "incrby", "key": "k", "increment": ${number}}`) as object;
      expect(commandOf(body).args).toEqual(['k', number]);
    }),
  );
});

test('what was read is read again as the same', () => {
  void fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          text,
          bytes.map(base64Of).map(($bytes) => ({ $bytes })),
        ),
      ),
      (args) => {
        const once = commandOf({ type: 'Not.Known', args });
        expect(RedisRequest.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
      },
    ),
  );
});

test('a quote may begin within a word', () => {
  const [first, second, third] = splitLine(String.raw`a"b c" d'e f' é"\xff"`) ?? [];
  expect([first, second, bytesOf(third)]).toEqual(['ab c', 'de f', [0xc3, 0xa9, 0xff]]);
});

test.each(['a "b', "a 'b", '"a"b', "'a'b", '"a\\', "'a\\'"])('%s is no line', (line) => {
  expect(splitLine(line)).toBe(undefined);
});
