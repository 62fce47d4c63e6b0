/** What the decoder holds on to while replies come, and of those that it reports. */
import { expect, test } from 'vitest';
import { heldBytes } from '../test/memory.ts';
import { DEPTH_MAX, Decoder } from './decode.ts';
import { TOO_DEEP } from './receiver.ts';

const MIB = 1_048_576;

/** The replies in some bytes, in chunks as a socket gives them. */
function decode(whole: Buffer): unknown[] {
  const told: unknown[] = [];
  const decoder = new Decoder({
    room: () => 40 * MIB,
    reply: (value) => told.push(value),
    push: () => {},
    dropped: () => {},
  });
  for (let at = 0; at < whole.length; at += 65_536) {
    decoder.write(Buffer.from(whole.subarray(at, at + 65_536)));
  }
  return told;
}

const listOf = (count: number, member: string) =>
  Buffer.from(`*${count}\r\n${member.repeat(count)}`);

test('no more memory than its room while it drops a reply', async () => {
  const decoder = new Decoder({
    room: () => 1_000,
    reply: () => {},
    push: () => {},
    dropped: () => {},
  });
  decoder.write(Buffer.from('$17179869184\r\n'));
  const before = await heldBytes();
  for (let at = 0; at < 2_000; at += 1) decoder.write(Buffer.alloc(65_536));
  expect((await heldBytes()) - before).toBeLessThan(64 * MIB);
});

test.each([
  ['the shortest strings', 2_600_000, '$1\r\na\r\n', 32],
  ['short strings', 800_000, '$9\r\nmember:42\r\n', 48],
  ['lists of one', 2_000_000, '*1\r\n:1\r\n', 160],
  ['lists of none', 2_600_000, '*0\r\n', 32],
  ['pairs', 400_000, '*2\r\n$8\r\nmember:4\r\n:1\r\n', 64],
])('of many %s little more than of their JSON', async (_, count, member, most) => {
  const whole = listOf(count, member);
  const before = await heldBytes();
  const [told] = decode(whole);
  expect((await heldBytes()) - before).toBeLessThan(most * MIB);
  expect(told).toHaveLength(count);
});

test('short strings of long lists are text, and all others bytes', () => {
  const short = 'a'.repeat(64);
  const members = [
    '$1\r\na\r\n',
    `$64\r\n${short}\r\n`,
    `$65\r\n${short}a\r\n`,
    '$2\r\n\u00e9\r\n',
  ];
  const list = (count: number) =>
    Buffer.from(`*${count}\r\n*4\r\n${members.join('')}${':1\r\n'.repeat(count - 1)}`);
  const [many, few] = [list(64), list(63)].map((each) => {
    const [[first]] = decode(each) as [[unknown]];
    return first;
  });
  const [long, letter] = [Buffer.from(`${short}a`), Buffer.from('\u00e9')];
  expect(many).toEqual(['a', short, long, letter]);
  expect(few).toEqual([Buffer.from('a'), Buffer.from(short), long, letter]);
});

test('a reply of lists within too many lists is read to its end, and none of it kept', () => {
  const nested = (depth: number) => Buffer.from(`${'*1\r\n'.repeat(depth)}:1\r\n:2\r\n`);
  expect(decode(nested(DEPTH_MAX + 1))).toEqual([TOO_DEEP, 2]);
  expect(decode(nested(50_000))).toEqual([TOO_DEEP, 2]);
  expect(decode(nested(DEPTH_MAX))).toEqual([expect.any(Array), 2]);
});
