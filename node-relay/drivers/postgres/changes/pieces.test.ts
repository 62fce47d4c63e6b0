/** What replication streams are cut into, and how positions are written: pure parts of changes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Unreadable } from '../../loss.ts';
import { MessageCutter, type Piece } from './message-cutter.ts';
import { readPluginMessage } from './messages.ts';
import { changeText, isAfter, positionOf, positionText } from './position.ts';

const MAX = 200;

/** A message as a server sends it. */
function messageOf(letter: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(letter, 0);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function cutAll(chunks: readonly Buffer[]): Piece[] {
  const cut = new MessageCutter(MAX);
  const pieces: Piece[] = [];
  for (const chunk of chunks) {
    cut.give(chunk);
    for (let piece = cut.next(); piece; piece = cut.next()) pieces.push(piece);
  }
  expect(cut.has).toBe(false);
  return pieces;
}

test('messages come out as they went in, wherever the stream is cut', () => {
  const message = fc.tuple(fc.integer({ min: 65, max: 122 }), fc.uint8Array({ maxLength: 400 }));
  const cuts = fc.array(fc.nat({ max: 500 }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), cuts, (messages, sizes) => {
      const bytes = Buffer.concat(messages.map(([letter, body]) => messageOf(letter, body)));
      const chunks: Buffer[] = [];
      let at = 0;
      for (const size of sizes) {
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      chunks.push(bytes.subarray(at));
      const expected = messages.map(([letter, body]) => ({
        letter,
        whole: body.length <= MAX,
        body: Buffer.from(body.length <= MAX ? body : body.subarray(0, 64)),
      }));
      expect(cutAll(chunks)).toEqual(expected);
    }),
  );
});

test('a length less than its own is no message', () => {
  const cut = new MessageCutter(MAX);
  cut.give(Buffer.from([0x64, 0, 0, 0, 3]));
  expect(() => cut.next()).toThrow(Unreadable);
});

const lsn = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const change = fc.record({ lsn, nth: fc.nat({ max: 99_999 }) });

test('positions are read as they were written', () => {
  const within = fc.option(fc.record({ commit: lsn, change }), { nil: undefined });
  fc.assert(
    fc.property(fc.record({ whole: lsn, within }), ({ whole, within: inside }) => {
      const position = inside === undefined ? { whole } : { whole, within: inside };
      expect(positionOf(positionText(position))).toEqual(position);
    }),
  );
});

test.each(['', '1', '0/1 0/2', '0/1 0/2 0/3 0/4', '0/G', '0/1 0/2 0/3.x', '123456789/1'])(
  '%j is no position',
  (text) => {
    expect(() => positionOf(text)).toThrow('position: is none that changes of this kind have');
  },
);

test('changes at one place of the log are told apart, and are in order', () => {
  const place = 0x16_b374d848n;
  expect([changeText({ lsn: place, nth: 0 }), changeText({ lsn: place, nth: 2 })]).toEqual([
    '16/B374D848',
    '16/B374D848.2',
  ]);
  expect(isAfter({ lsn: 1n, nth: 1 }, { lsn: 1n, nth: 0 })).toBe(true);
  expect(isAfter({ lsn: 1n, nth: 1 }, { lsn: 1n, nth: 1 })).toBe(false);
  expect(isAfter({ lsn: 2n, nth: 0 }, { lsn: 1n, nth: 9 })).toBe(true);
});

test('no bytes make a message that reads beyond them', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...'BCRIUDTXY'),
      fc.uint8Array({ maxLength: 60 }),
      (letter, rest) => {
        try {
          readPluginMessage(Buffer.concat([Buffer.from(letter), rest]));
        } catch (error) {
          expect(error).toBeInstanceOf(Unreadable);
        }
      },
    ),
  );
});
