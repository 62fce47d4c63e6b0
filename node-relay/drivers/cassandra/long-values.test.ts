/** Long values are written in pieces, which together are the text that short ones have at once. */
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Call } from '../../../proto/driver.ts';
import { LongText } from '../../../proto/long-text.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { callOf, openClient, testHost } from '../test/host.ts';
import { Cells, encoderOf } from './composites.ts';
import { type CassandraClient, cassandra } from './index.ts';
import { anyEncoderOf, writeNext } from './long-values.ts';
import { type CqlType, fixedLength } from './marshal.ts';
import { vint } from './numbers.ts';
import { cql } from './test/database.ts';
import { cell, HostileServer, ints, message, rows } from './test/hostile.ts';
import { RowRoom } from './values.ts';

/** Notes what the text of a row takes. */
class NotedRoom extends RowRoom {
  taken = 0;

  override take(length: number): void {
    this.taken += length;
    super.take(length);
  }
}

const simple = fc.constantFrom('int', 'text', 'bigint', 'blob', 'boolean', 'double', 'duration');
const { type } = fc.letrec<{ type: CqlType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    simple.map((name): CqlType => ({ kind: 'simple', name })),
    fc
      .tuple(fc.constantFrom('list', 'set'), tie('type'))
      .map(([kind, of]): CqlType => ({ kind, of })),
    fc.record({ kind: fc.constant('map'), key: tie('type'), value: tie('type') }),
    fc.record({ kind: fc.constant('tuple'), of: fc.array(tie('type'), { maxLength: 3 }) }),
    fc.record({
      kind: fc.constant('udt'),
      name: fc.constant('u'),
      fields: fc.array(fc.record({ name: fc.string(), type: tie('type') }), { maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('vector'),
      of: tie('type'),
      size: fc.integer({ min: 1, max: 3 }),
    }),
  ),
}));

const bytesOf = (numbers: readonly number[]) => Buffer.from(numbers);
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const SIZES: Readonly<Record<string, number>> = { int: 4, bigint: 8, boolean: 1, double: 8 };

/** A value's bytes; at times of what is no value. */
function value(of: CqlType): fc.Arbitrary<Buffer> {
  switch (of.kind) {
    case 'simple': {
      const size = SIZES[of.name];
      const length = size === undefined ? { maxLength: 8 } : { minLength: size, maxLength: size };
      return fc.array(fc.nat(of.name === 'text' ? 127 : 255), length).map(bytesOf);
    }
    case 'list':
    case 'set':
      return fc.array(entry(of.of), { maxLength: 4 }).map(counted);
    case 'map':
      return fc
        .array(fc.tuple(entry(of.key), entry(of.value)), { maxLength: 3 })
        .map((pairs) => counted(pairs.map((pair) => Buffer.concat(pair))));
    case 'tuple':
      return members(of.of);
    case 'udt':
      return members(of.fields.map((field) => field.type));
    case 'vector': {
      const fixed = fixedLength(of.of);
      const parts = { minLength: of.size, maxLength: of.size };
      return fc
        .array(value(of.of), parts)
        .map((each) =>
          Buffer.concat(
            each.flatMap((part) =>
              fixed === undefined ? [vint(BigInt(part.length)), part] : [part],
            ),
          ),
        );
    }
  }
}

const entry = (of: CqlType) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(int32(-1)) },
    { weight: 6, arbitrary: value(of).map((bytes) => Buffer.concat([int32(bytes.length), bytes])) },
  );
const counted = (parts: readonly Buffer[]) => Buffer.concat([int32(parts.length), ...parts]);
const members = (types: readonly CqlType[]) =>
  fc
    .tuple(fc.nat(types.length), ...types.map(entry))
    .map(([missing, ...parts]) => Buffer.concat(parts.slice(0, types.length - missing)));

const typed = type.chain((of) => fc.tuple(fc.constant(of), value(of)));
const less = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat(9) },
);

/** The text and what it took, or what was wrong. */
function outcome(write: (room: NotedRoom) => string) {
  const room = new NotedRoom();
  try {
    return [write(room), room.taken];
  } catch (error) {
    return String(error);
  }
}

function inPieces(of: CqlType, bytes: Buffer, room: RowRoom, perPiece?: number) {
  const out = new LongText(perPiece);
  let pauses = 0;
  const pieces = writeNext(new Cells(cell(bytes), room), '', anyEncoderOf(of, false, room), out);
  while (!pieces.next().done) pauses += 1;
  return { text: out.pieces.join(''), pauses };
}

test('any value is written as at once', () => {
  fc.assert(
    fc.property(typed, less, fc.integer({ min: 1, max: 12 }), ([of, sound], missing, perPiece) => {
      const bytes = sound.subarray(0, Math.max(0, sound.length - missing));
      const atOnce = outcome((room) => encoderOf(of, false, room)(bytes));
      const pieces = outcome((room) => inPieces(of, bytes, room, perPiece).text);
      expect(pieces).toEqual(atOnce);
    }),
    { numRuns: 2_000 },
  );
});

const INT: CqlType = { kind: 'simple', name: 'int' };
const MANY = 100_000;
const many = (part: Buffer, count = MANY) => counted(Array<Buffer>(count).fill(part));
const one = cell(ints(1));

test.each<[string, CqlType, Buffer]>([
  ['a list', { kind: 'list', of: INT }, many(one)],
  ['a map', { kind: 'map', key: INT, value: INT }, many(Buffer.concat([one, one]))],
  [
    'a map without names',
    { kind: 'map', key: { kind: 'tuple', of: [INT] }, value: INT },
    many(Buffer.concat([cell(one), one])),
  ],
  ['a vector', { kind: 'vector', of: INT, size: MANY }, Buffer.alloc(4 * MANY)],
  [
    'a list in a member of a member',
    {
      kind: 'udt',
      name: 'u',
      fields: [{ name: 'a', type: { kind: 'tuple', of: [{ kind: 'set', of: INT }] } }],
    },
    cell(cell(many(one))),
  ],
])('%s gives way', (_, of, bytes) => {
  const { text, pauses } = inPieces(of, bytes, new RowRoom());
  expect(text).toBe(encoderOf(of, false, new RowRoom())(bytes));
  expect(pauses).toBeGreaterThan(8);
});

describe('a server with long rows', () => {
  const LIST = Buffer.from([0, 0x20, 0, 9]);
  const SELECT = cql('SELECT a FROM items');
  let server: HostileServer;
  let session: CassandraClient;

  beforeEach(async () => {
    const cells = [cell(counted([one])), cell(many(one)), cell(counted([one]))];
    server = await HostileServer.start(() => message(rows(LIST, cells)));
    const connection = { url: `cassandra://127.0.0.1:${server.port}` };
    session = await openClient(cassandra, { connection, mode: 'read', host: testHost(1) });
  });
  afterEach(async () => {
    await session.close();
    server.stop();
  });

  const run = (call: Call) => session.run(SELECT, call);
  const stream = async (call: Call) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of session.stream(SELECT, call)) pieces.push(piece);
    // Each piece is whole lines.
    expect(pieces.filter((piece) => piece.length > 0 && piece.at(-1) !== 10)).toEqual([]);
    return Buffer.concat(pieces);
  };

  test.each([
    ['is read in turns', run],
    ['is streamed in turns', stream],
  ])('%s', async (_, read) => {
    let pauses = 0;
    const inTurn = async <Result>(pieces: Pieces<Result>): Promise<Result> => {
      for (;;) {
        const piece = pieces.next();
        if (piece.done) return piece.value;
        pauses += 1;
        await setImmediate();
      }
    };
    const text = Buffer.from(await read(callOf('read', { inTurn }))).toString();
    expect(pauses).toBeGreaterThan(8);
    expect(text).toBe(Buffer.from(await read(callOf('read'))).toString());
    const long = `[${Array(MANY).fill(1).join(',')}]`;
    expect(text.match(/"a":\[[1,]*\]/g)).toEqual(['"a":[1]', `"a":${long}`, '"a":[1]']);
  });

  test.each([
    ['a result', run],
    ['a stream', stream],
  ])('%s ends at its deadline between two pieces', async (_, read) => {
    const ending = new AbortController();
    const inTurn = async <Result>(pieces: Pieces<Result>): Promise<Result> => {
      ending.abort(new Error('the deadline passed'));
      await setImmediate();
      return whole(pieces);
    };
    const ended = read(callOf('read', { inTurn, signal: ending.signal }));
    await expect(ended).rejects.toThrow('the deadline passed');
  });
});
