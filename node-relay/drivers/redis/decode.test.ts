/** The decoder: whatever RESP says comes out as it was meant, however it is cut; whatever is not RESP ends it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ReplyDouble,
  ReplyError,
  ReplyMap,
  ReplySet,
  ReplyStatus,
  type ReplyValue,
} from '../../../kinds/redis/reply-value.ts';
import { DEPTH_READ_MAX, Decoder, LINE_MAX, PUSH_MAX } from './decode.ts';
import { TOO_LARGE } from './receiver.ts';
import { ProtocolError } from './scalars.ts';

const ROOM = 1_000_000;

/** All that a decoder reports some bytes. */
function decode(chunks: readonly Buffer[], room = ROOM): unknown[] {
  const told: unknown[] = [];
  const decoder = new Decoder({
    room: () => room,
    reply: (value) => told.push(value),
    push: (message) => told.push({ push: message }),
    dropped: () => {},
  });
  for (const chunk of chunks) decoder.write(chunk);
  return told;
}

const line = (text: string) => Buffer.from(`${text}\r\n`);

function bulk(type: string, bytes: Uint8Array): Buffer {
  return Buffer.concat([line(`${type}${bytes.length}`), bytes, line('')]);
}

function list(type: string, items: readonly ReplyValue[], resp: 2 | 3, members = 1): Buffer {
  const count = line(`${type}${items.length / members}`);
  return Buffer.concat([count, ...items.map((item) => encode(item, resp))]);
}

/** A value as a server writes it. */
function encode(value: ReplyValue, resp: 2 | 3): Buffer {
  switch (typeof value) {
    case 'boolean':
      return line(`#${value ? 't' : 'f'}`);
    case 'number':
      return line(`:${value}`);
    case 'bigint':
      return line(isLong(value) ? `:${value}` : `(${value}`);
    default:
      return encodeObject(value, resp);
  }
}

function encodeObject(value: Exclude<ReplyValue, boolean | number | bigint>, resp: 2 | 3): Buffer {
  if (value === null) return line(resp === 3 ? '_' : '$-1');
  if (value instanceof Uint8Array) return bulk('$', value);
  if (value instanceof ReplyStatus) return line(`+${value.text}`);
  if (value instanceof ReplyError) return line(`-${value.message}`);
  if (value instanceof ReplyDouble) return line(`,${doubleText(value.value)}`);
  if (value instanceof ReplyMap) return list('%', value.items, resp, 2);
  if (value instanceof ReplySet) return list('~', value.items, resp);
  return list('*', value as readonly ReplyValue[], resp); // All else has been told apart.
}

function isLong(value: bigint): boolean {
  return value >= -(2n ** 63n) && value < 2n ** 63n;
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf';
}

const text = fc
  .string({ unit: 'binary', maxLength: 20 })
  .map((each) => each.replace(/[\r\n]/g, ' '));
const beyond = fc.bigInt().filter((each) => each > 2n ** 53n || each < -(2n ** 53n));
const integer = fc.maxSafeInteger().map((each) => each + 0);
const bytes = fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each));

const scalar2 = [
  fc.constant(null),
  integer,
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) - 1n }),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  text.map((each) => new ReplyStatus(each)),
  bytes,
  text.map((each) => new ReplyError(`WRONGTYPE ${each}`)),
];
const scalar3 = [
  ...scalar2,
  fc.boolean(),
  beyond,
  fc.double().map((each) => new ReplyDouble(each + 0)),
];

const { reply2, reply3 } = fc.letrec<{
  reply2: ReplyValue;
  reply3: ReplyValue;
  items3: ReplyValue[];
}>((tie) => ({
  reply2: fc.oneof({ maxDepth: 4 }, ...scalar2, fc.array(tie('reply2'), { maxLength: 5 })),
  items3: fc.array(tie('reply3'), { maxLength: 4 }),
  reply3: fc.oneof(
    { maxDepth: 4 },
    ...scalar3,
    tie('items3'),
    tie('items3').map((items) => new ReplySet(items)),
    tie('items3').map((items) => new ReplyMap([...items, ...items])),
  ),
}));

/** Pieces between these places. */
function cut(whole: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (whole.length + 1)), whole.length];
  ends.sort((one, other) => one - other);
  return ends.map((end, index) => whole.subarray(ends[index - 1] ?? 0, end));
}

test.each([
  ['RESP2', 2, reply2],
  ['RESP3', 3, reply3],
] as const)('reads every value of %s as it was written, wherever it is cut', (_, resp, reply) => {
  const places = fc.array(fc.nat(10_000), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(reply, { maxLength: 5 }), places, (values, at) => {
      const whole = Buffer.concat(values.map((value) => encode(value, resp)));
      expect(decode(cut(whole, at))).toEqual(values);
      expect(decode(Array.from(whole, (byte) => Buffer.from([byte])))).toEqual(values);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['a null list', '*-1\r\n', null],
  ['a null string', '$-1\r\n', null],
  ['a verbatim string without its format', '=8\r\ntxt:some\r\n', Buffer.from('some')],
  ['an error of many lines', '!12\r\nERR one\r\ntwo\r\n', new ReplyError('ERR one\r\ntwo')],
  ['the smallest integer', ':-9223372036854775808\r\n', -(2n ** 63n)],
  ['an unsigned integer', ':18446744073709551615\r\n', 2n ** 64n - 1n],
  ['an integer with a plus', ':+5\r\n', 5],
  ['minus nothing', ':-0\r\n', 0],
  ['the last that a double holds', ':9007199254740991\r\n', 2 ** 53 - 1],
  ['the first that it does not', ':9007199254740993\r\n', 2n ** 53n + 1n],
  ['a double with an exponent', ',1.5e+300\r\n', new ReplyDouble(1.5e300)],
  ['minus infinity', ',-inf\r\n', new ReplyDouble(-Infinity)],
  ['no number, as C writes it', ',-nan\r\n', new ReplyDouble(Number.NaN)],
  ['a value with an annotation', '|1\r\n+ttl\r\n:3600\r\n$1\r\na\r\n', Buffer.from('a')],
  ['an annotation within a list', '*2\r\n|1\r\n+x\r\n+y\r\n:1\r\n:2\r\n', [1, 2]],
  ['an empty map', '%0\r\n', new ReplyMap([])],
])('reads %s', (_, said, value) => {
  expect(decode([Buffer.from(said)])).toEqual([value]);
});

test('tells messages from replies', () => {
  const said = '>2\r\n+message\r\n:1\r\n:2\r\n';
  expect(decode([Buffer.from(said)])).toEqual([{ push: [new ReplyStatus('message'), 1] }, 2]);
});

const long = 'x'.repeat(20);
test.each([
  ['a string', `$20\r\n${long}\r\n`],
  ['a list of strings', `*2\r\n$3\r\nabc\r\n$20\r\n${long}\r\n`],
  ['a list within a list', `*1\r\n*1\r\n$20\r\n${long}\r\n`],
  ['a list of many', `*30\r\n${':1\r\n'.repeat(30)}`],
  ['a line', `+${long}${long}\r\n`],
  ['a map', `%6\r\n${':1\r\n'.repeat(12)}`],
])('keeps nothing of %s beyond its room, and goes on after it', (_, said) => {
  const chunks = cut(Buffer.from(`+a\r\n${said}+b\r\n`), [3, 9, 11, 20, 31]);
  expect(decode(chunks, 22)).toEqual([new ReplyStatus('a'), TOO_LARGE, new ReplyStatus('b')]);
});

test('counts small values as what they take in memory', () => {
  const said = Buffer.from(`*5\r\n${'$1\r\na\r\n'.repeat(5)}`);
  expect(decode([said], 60)).toEqual([TOO_LARGE]);
  expect(decode([said], 100)).toEqual([Array(5).fill(Buffer.from('a'))]);
});

describe('what a hostile server says', () => {
  test.each([
    ['garbage', 'GET / HTTP/1.1\r\n\r\n'],
    ['garbage without an end', '\u0000\u0001\u0002'],
    ['a type that there is not', '?5\r\n'],
    ['a string of a negative length', '$-2\r\n'],
    ['a map of a negative length', '%-1\r\n'],
    ['a verbatim string of none', '=-1\r\n'],
    ['a length that is none', '$abc\r\n'],
    ['no length', '$\r\n'],
    ['a length of too many digits', '$999999999999999999999\r\n'],
    ['a string longer than any', '$99999999999999999\r\n'],
    ['a list longer than any', '*99999999999\r\n'],
    ['a streamed string', '$?\r\n'],
    ['a string that is longer than it says', '$1\r\nabc\r\n'],
    ['a line that ends in a carriage return alone', '+a\rb\r\n'],
    ['a line that ends in a line feed alone', ':5\n:6\r\n'],
    ['a truth that is neither', '#x\r\n'],
    ['a null that is something', '_x\r\n'],
    ['a double that is none', ',1.2.3\r\n'],
    ['a double in hexadecimal', ',0x10\r\n'],
    ['a big number that is none', '(12a\r\n'],
    ['a big number of very many digits', `(${'9'.repeat(200_000)}\r\n`],
    ['a verbatim string without a format', '=2\r\nab\r\n'],
    ['a message within a reply', '*1\r\n>1\r\n+a\r\n'],
    ['a message behind an annotation', '|1\r\n+a\r\n+b\r\n>1\r\n+a\r\n'],
    ['a line without end', `+${'x'.repeat(LINE_MAX + 1)}`],
    ['lists within lists', '*1\r\n'.repeat(DEPTH_READ_MAX + 1)],
    ['annotations within annotations', '|1\r\n'.repeat(DEPTH_READ_MAX + 1)],
    ['a message that is too large', `>1\r\n$${PUSH_MAX}\r\n`],
  ])('is not taken: %s', (_, said) => {
    expect(() => decode([Buffer.from(said)])).toThrow(ProtocolError);
    expect(() => decode(cut(Buffer.from(said), [1, 2, 3, 5]))).toThrow(ProtocolError);
  });

  test('ends the decoder and nothing else, whatever it is', () => {
    const said = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)),
      fc
        .array(
          fc.constantFrom('*', '$', ':', '%', '~', '>', '|', '-1', '5', '\r\n', '+', '_', ',', '('),
        )
        .map((each) => Buffer.from(each.join(''))),
    );
    fc.assert(
      fc.property(said, fc.nat(200), (whole, place) => {
        try {
          decode(cut(whole, [place]), 50);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('takes time that grows with its length only, one byte at a time too', () => {
    const start = performance.now();
    decode(
      Array.from({ length: 500_000 }, () => Buffer.from('x')).toSpliced(0, 1, Buffer.from('+')),
    );
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
