/** Long documents are written in pieces, which together are the text that short ones have at once. */
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { BSON, Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { callOf, openClient, testHost } from '../test/host.ts';
import { documentInPieces, documentText, memberTexts } from './from-bson.ts';
import { type MongoBackend, mongo } from './index.ts';
import { entries, request, TestDatabase } from './test/database.ts';

const scalar = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.double().map((value) => new Double(value)),
  fc.integer().map((value) => new Int32(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ maxLength: 9 }),
  fc.constantFrom(Decimal128.fromString('1.50'), new ObjectId('0123456789abcdef01234567'), /a/i),
);
const { document } = fc.letrec<{ document: object; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    tie('document'),
    fc.array(tie('value'), { maxLength: 6 }),
  ),
  document: fc.dictionary(fc.string(), tie('value'), { maxKeys: 6 }),
}));
/** Bytes of a document, at times with one byte that is another. */
const bytes = fc.tuple(document, fc.option(fc.tuple(fc.nat(), fc.nat(255)), { nil: undefined }));

function bytesOf([value, other]: readonly [object, readonly [number, number] | undefined]): Buffer {
  const made = Buffer.from(BSON.serialize(value));
  if (other) made[other[0] % made.length] = other[1];
  return made;
}

function outcome(write: () => unknown): unknown {
  try {
    return write();
  } catch (error) {
    return String(error);
  }
}

test('any document is written as at once', () => {
  const form = fc.constantFrom('relaxed' as const, 'canonical' as const);
  fc.assert(
    fc.property(bytes, form, fc.integer({ min: 1, max: 20 }), (given, as, perPiece) => {
      const made = bytesOf(given);
      const atOnce = outcome(() => documentText(made, as));
      expect(outcome(() => whole(documentInPieces(made, as, perPiece)))).toBe(atOnce);
      const members = outcome(() =>
        [...memberTexts(made, as)].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(),
      );
      // Of members of one name the last is kept.
      if (given[1] === undefined) expect(`{${members}}`).toBe(atOnce);
    }),
    { numRuns: 2_000 },
  );
});

const MANY = 100_000;
const NAMES = Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`k${at}`, 1]));

test.each<[string, object]>([
  ['an array', { a: Array(MANY).fill(1) }],
  ['names', NAMES],
  ['documents within', { a: { b: Array(MANY).fill({ c: 1 }) } }],
])('%s give way', (_, given) => {
  let pauses = 0;
  for (const pieces = documentInPieces(BSON.serialize(given), 'relaxed'); !pieces.next().done; ) {
    pauses += 1;
  }
  expect(pauses).toBeGreaterThan(10);
});

describe('a server with long documents', () => {
  let database: TestDatabase;
  let session: MongoBackend;
  beforeAll(async () => {
    database = await TestDatabase.create();
    await database.db
      .collection<{ _id: number; v?: number[] }>('entries')
      .insertMany([
        { _id: 1 },
        { _id: 2, v: Array.from({ length: MANY }, (_, at) => at) },
        { _id: 3 },
      ]);
    const opening = {
      connection: { url: database.url },
      mode: 'write',
      host: testHost(1),
    } as const;
    session = await openClient(mongo, opening);
  });
  afterAll(async () => {
    await session.close();
    await database.drop();
  });

  const run = (request: MongoRequest) => (call: Call) => session.run(request, call);
  const stream = (request: MongoRequest) => async (call: Call) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of session.stream(request, call)) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  const command = { find: 'entries', filter: { _id: { $gt: 0 } }, batchSize: 1 };

  const ways: [string, (call: Call) => Promise<Uint8Array>][] = [
    ['find', run(entries('find'))],
    ['find_one', run(entries('find_one', { filter: { _id: 2 } }))],
    ['distinct', run(entries('distinct', { field: 'v' }))],
    [
      'find_one_and_update',
      run(entries('find_one_and_update', { filter: { _id: 2 }, update: { $set: { w: 1 } } })),
    ],
    ['a command', run(request({ type: 'run_command', command: { ...command, batchSize: 9 } }))],
    ['a command with a cursor', run(request({ type: 'run_command', command }))],
    ['a stream', stream(entries('find'))],
  ];

  test.each(ways)('%s is answered in turns', async (_, ask) => {
    await ask(callOf('write'));
    let pauses = 0;
    const inTurn = async <Result>(pieces: Pieces<Result>): Promise<Result> => {
      for (;;) {
        const piece = pieces.next();
        if (piece.done) return piece.value;
        pauses += 1;
        await setImmediate();
      }
    };
    const text = Buffer.from(await ask(callOf('write', { inTurn }))).toString();
    expect(text).toBe(Buffer.from(await ask(callOf('write'))).toString());
    expect(pauses).toBeGreaterThan(10);
    expect(text).toContain(`[${Array.from({ length: MANY }, (_, at) => at).join(',')}]`);
  });

  test.each(ways)('%s ends at its deadline between two pieces', async (_, ask) => {
    const ending = new AbortController();
    const inTurn = async <Result>(pieces: Pieces<Result>): Promise<Result> => {
      ending.abort(new GatewayError('TIMED_OUT', 'late'));
      await setImmediate();
      return whole(pieces);
    };
    await expect(ask(callOf('write', { inTurn, signal: ending.signal }))).rejects.toMatchObject({
      code: expect.stringMatching(/^(TIMED_OUT|OUTCOME_UNKNOWN)$/),
    });
  });
});
