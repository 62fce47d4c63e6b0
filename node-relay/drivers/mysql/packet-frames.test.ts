/** Packets in pieces, in parts, too long and out of order. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Unreadable } from '../loss.ts';
import { tooLargeIn } from './large-row.ts';
import { PacketFrames } from './packet-frames.ts';
import { PAYLOAD_MAX, type Packet } from './packets.ts';

const MAX = 100;

/** What is taken of bytes that arrive in such pieces. */
function taken(bytes: Buffer, pieces: readonly number[], payloadMax = MAX) {
  const seen: (string | { left: string })[] = [];
  const frames = new PacketFrames({
    payloadMax,
    packet: (reader: Packet) => seen.push(reader.latin1(reader.left)),
    oversize: (begun) => seen.push({ left: Buffer.concat(begun).toString('latin1', 0, 3) }),
  });
  frames.expect(1);
  let at = 0;
  for (let index = 0; at < bytes.length; index += 1) {
    const end = at + (pieces[index % pieces.length] ?? bytes.length);
    frames.take(bytes.subarray(at, end));
    at = end;
  }
  return seen;
}

function packet(sequence: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntLE(payload.length, 0, 3);
  head[3] = sequence;
  return Buffer.concat([head, payload]);
}

const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\0'), maxLength: MAX }), {
  maxLength: 20,
});
const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe('packets', () => {
  test('are the same however they are cut', () => {
    fc.assert(
      fc.property(texts, pieces, (payloads, sizes) => {
        const bytes = payloads.map((text, at) => packet(at + 1, Buffer.from(text)));
        expect(taken(Buffer.concat(bytes), sizes)).toEqual(payloads);
      }),
    );
  });

  test('that are too long are left out, and those behind them are not', () => {
    fc.assert(
      fc.property(texts, fc.nat({ max: 20 }), pieces, (payloads, where, sizes) => {
        const long = 'x'.repeat(MAX + 300);
        const at = Math.min(where, payloads.length);
        const all = payloads.toSpliced(at, 0, long);
        const bytes = all.map((text, index) => packet(index + 1, Buffer.from(text)));
        const seen = taken(Buffer.concat(bytes), sizes);
        // Its head may come with nothing behind it.
        const [left] = seen.splice(at, 1);
        expect('xxx'.startsWith((left as { left: string }).left)).toBe(true);
        expect(seen).toEqual(payloads);
      }),
    );
  });

  test('of one payload are joined, or left out together', () => {
    const bytes = Buffer.concat([
      packet(1, Buffer.alloc(PAYLOAD_MAX, 'y')),
      packet(2, Buffer.alloc(PAYLOAD_MAX, 'y')),
      packet(3, Buffer.from('end')),
      packet(4, Buffer.from('next')),
    ]);
    const whole = taken(bytes, [65_536], 3 * PAYLOAD_MAX);
    expect(whole.map((each) => String(each).length)).toEqual([2 * PAYLOAD_MAX + 3, 4]);
    expect(taken(bytes, [65_536], PAYLOAD_MAX)).toEqual([{ left: 'yyy' }, 'next']);
    expect(taken(bytes, [65_536], MAX)).toEqual([{ left: 'yyy' }, 'next']);
  });

  test.each([
    ['twice', [1, 1]],
    ['missing', [1, 3]],
    ['from the beginning', [0]],
  ])('out of order are refused: %s', (_, sequences) => {
    const bytes = sequences.map((sequence) => packet(sequence, Buffer.from('a')));
    expect(() => taken(Buffer.concat(bytes), [7])).toThrow(Unreadable);
  });
});

describe('a row that is too large', () => {
  const column = (name: string, type: number) =>
    ({
      name,
      type,
      flags: 0,
      charset: 0,
      length: 0,
      decimals: 0,
      extended: '',
      format: '',
    }) as const;
  const columns = [column('id', 3), column('none', 253), column('big', 253)];
  const huge = Buffer.from([0xfe, 0, 0, 0, 0x10, 0, 0, 0, 0]);

  test('names its value, in either form', () => {
    // Marker, the bit of the NULL, an integer, the length.
    const binary = [Buffer.from([0, 0b1000, 1, 0, 0, 0]), huge];
    expect(tooLargeIn(binary, columns, 'binary')).toBe('big');
    expect(tooLargeIn([Buffer.from([1, 0x31, 0xfb]), huge], columns, 'text')).toBe('big');
  });

  test('names none where no value alone is', () => {
    const begun = [Buffer.from([1, 0x31, 5]), Buffer.from('ab')];
    expect(tooLargeIn(begun, columns, 'text')).toBeUndefined();
  });
});
