/** The frames of a tunnel: what is written is read again, and what is no frame is refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  assemble,
  CALL_MAX,
  DATA_MAX_BYTES,
  decode,
  encode,
  FRAME_HEAD_BYTES,
  type Frame,
  HEAD_MAX_BYTES,
  MESSAGE_MAX_BYTES,
  prepare,
  RESET_CODES,
  sizeOf,
  TunnelFault,
} from './frame.ts';

const call = fc.integer({ min: 1, max: CALL_MAX });
const number = fc.integer({ min: 0, max: CALL_MAX });
const credit = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const headers = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ type: fc.constant('start' as const), epoch: number }),
  fc.record({
    type: fc.constant('open' as const),
    call,
    credit,
    head: fc.record({ method: fc.string(), path: fc.string({ unit: 'grapheme' }), headers }),
  }),
  fc.record({
    type: fc.constant('head' as const),
    call,
    head: fc.record({ status: fc.integer({ min: 200, max: 599 }), headers }),
  }),
  fc.record({
    type: fc.constant('data' as const),
    call,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
  }),
  fc.record({ type: fc.constant('end' as const), call }),
  fc.record({ type: fc.constant('reset' as const), call, code: fc.constantFrom(...RESET_CODES) }),
  fc.record({ type: fc.constant('window' as const), call: number, credit }),
  fc.record({ type: fc.constant('ping' as const), nonce: number }),
  fc.record({ type: fc.constant('pong' as const), nonce: number }),
  fc.record({ type: fc.constant('goaway' as const) }),
);

describe('a message', () => {
  test('says what was written, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 12 }), (frames) => {
        const plain = (each: Frame[]) => JSON.parse(JSON.stringify(each)) as unknown;
        const prepared = frames.map(prepare);
        const message = assemble(prepared);
        expect(message.byteLength).toBe(prepared.reduce((sum, each) => sum + sizeOf(each), 0));
        // Amid other bytes, as a socket hands it over.
        const amid = new Uint8Array(message.byteLength + 7);
        amid.set(message, 3);
        expect(plain(decode(amid.subarray(3, 3 + message.byteLength)))).toEqual(plain(frames));
      }),
    );
  });

  test('is read or refused, whatever its bytes are', () => {
    const changed = fc
      .tuple(
        fc.array(frame, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(255))),
      )
      .map(([frames, changes]) => {
        const message = encode(frames);
        for (const [at, byte] of changes) message[at % message.byteLength] = byte;
        return message;
      });
    let refused = 0;
    fc.assert(
      fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 400 })), (bytes) => {
        try {
          for (const each of decode(bytes)) prepare(each);
        } catch (thrown) {
          if (!(thrown instanceof TunnelFault)) throw thrown;
          refused += 1;
        }
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  test.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(), 'A message has no frame'],
    ['half a head', new Uint8Array([10, 0, 0]), 'A frame is cut off'],
    ['less than it says', new Uint8Array([4, 0, 0, 9, 0, 0, 0, 0, 0, 1, 5]), 'A frame is cut off'],
    ['a type that there is not', raw(11, 1), '11 is no type of frame'],
    ['a type 0', raw(0, 1), '0 is no type of frame'],
    ['a body of no call', raw(4, 0, 1), 'A frame of type data is malformed'],
    ['an empty part of a body', raw(4, 1), 'A frame of type data is malformed'],
    ['an end with something in it', raw(5, 1, 1), 'A frame of type end is malformed'],
    ['a code that there is not', raw(6, 1, 0, 0, 0, 9), 'A frame of type reset is malformed'],
    ['half a credit', raw(7, 1, 0, 0), 'A frame of type window is malformed'],
    ['a head that is no JSON', raw(3, 1, 123), 'A frame of type head is malformed'],
    ['a farewell to a call', raw(10, 1), 'A frame of type goaway is malformed'],
  ])('of %s is refused', (_, message, reason) => {
    expect(() => decode(message)).toThrow(new TunnelFault(reason));
  });

  test.each<[string, object]>([
    ['no status', { headers: {} }],
    ['a status that has no body', { status: 101, headers: {} }],
    ['a status that is none', { status: 600, headers: {} }],
    ['half a status', { status: 200.5, headers: {} }],
    ['a header that is no text', { status: 200, headers: { a: 1 } }],
    ['headers in a list', { status: 200, headers: ['a'] }],
  ])('with a reply of %s is refused', (_, head) => {
    const message = raw(3, 1, ...new TextEncoder().encode(JSON.stringify(head)));
    expect(() => decode(message)).toThrow('A frame of type head is malformed');
  });

  test('is bounded, as are its parts', () => {
    expect(() => decode(new Uint8Array(MESSAGE_MAX_BYTES + 1))).toThrow(/more than 131072$/);
    const part = { type: 'data', call: 1, bytes: new Uint8Array(DATA_MAX_BYTES + 1) } as const;
    expect(() => decode(encode([part]))).toThrow('A frame of type data is malformed');
    const head = { status: 200, headers: { a: 'x'.repeat(HEAD_MAX_BYTES) } };
    expect(() => encode([{ type: 'head', call: 1, head }])).toThrow(/^A head has 65\d{3} bytes/);
  });
});

/** A frame with these bytes after its head. */
function raw(type: number, call: number, ...payload: number[]): Uint8Array {
  const frame = new Uint8Array(FRAME_HEAD_BYTES + payload.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, type * 2 ** 24 + payload.length);
  view.setUint32(6, call);
  frame.set(payload, FRAME_HEAD_BYTES);
  return frame;
}
