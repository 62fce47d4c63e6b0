/** Rows that are taken apart are together what is written at once, in both forms in which servers send them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Column, TYPE } from '../../../kinds/mysql/dialect/types.ts';
import { LongText } from '../../../proto/long-text.ts';
import { lengthPrefix, Packet } from './packets.ts';
import { type RowOptions, shapeOf, writeParts } from './rows.ts';

const BINARY = 63;
const UTF8MB4 = 45;

const column = (name: string, type: number, charset: number, format = ''): Column => ({
  ...{ name, type, flags: 0, charset, length: 255, decimals: 0, extended: '', format },
});
/** Two have one name: of objects the last is kept. */
const COLUMNS = [
  column('n', TYPE.long, BINARY),
  column('a', TYPE.varstring, UTF8MB4),
  column('b', TYPE.blob, BINARY),
  column('a', TYPE.blob, UTF8MB4, 'json'),
];

/** Short ones, and such as are written in pieces. */
const times = fc.constantFrom(0, 1, 3, 9_000, 40_000);
const bytes = fc
  .tuple(fc.constantFrom('x', '"', '😀', '\u0001', '[1]', ' '), times)
  .map(([unit, count]) => Buffer.from(unit.repeat(count)));
const value = fc.option(bytes, { nil: null });
const row = fc.tuple(
  fc.option(fc.integer({ min: -9, max: 9 }), { nil: null }),
  value,
  value,
  value,
);
type Row = typeof row extends fc.Arbitrary<infer Of> ? Of : never;

const prefixed = (each: Buffer) => Buffer.concat([lengthPrefix(each.length), each]);

function textPacket([number, ...others]: Row): Buffer {
  const texts = [number === null ? null : Buffer.from(String(number)), ...others];
  return Buffer.concat(texts.map((each) => (each ? prefixed(each) : Buffer.from([0xfb]))));
}

function binaryPacket([number, ...others]: Row): Buffer {
  let nulls = 0;
  for (const [at, each] of [number, ...others].entries()) if (each === null) nulls |= 1 << (at + 2);
  const int = Buffer.alloc(4);
  int.writeInt32LE(number ?? 0);
  const values = others.flatMap((each) => (each ? [prefixed(each)] : []));
  return Buffer.concat([Buffer.from([0, nulls]), ...(number === null ? [] : [int]), ...values]);
}

test.each<[RowOptions['form'], RowOptions['rowFormat'], (row: Row) => Buffer]>([
  ['text', 'object', textPacket],
  ['text', 'array', textPacket],
  ['binary', 'object', binaryPacket],
  ['binary', 'array', binaryPacket],
])('in the %s form as %s', (form, rowFormat, packetOf) => {
  const shape = shapeOf(COLUMNS, { form, rowFormat, numbersAsStrings: false });
  fc.assert(
    fc.property(row, (given) => {
      const packet = packetOf(given);
      const out = new LongText();
      const pieces = writeParts(shape.parts(new Packet(packet)), out);
      while (!pieces.next().done);
      expect(out.pieces.join('') === shape.write(new Packet(packet))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('a long row that is cut is no row', () => {
  const shape = shapeOf(COLUMNS, { form: 'text', rowFormat: 'object', numbersAsStrings: false });
  const packet = textPacket([1, Buffer.alloc(100_000, 'x'), null, null]);
  for (const length of [packet.length - 1, 50_000, 3]) {
    expect(() => shape.parts(new Packet(packet.subarray(0, length)))).toThrow(
      'longer than its packet',
    );
  }
});
