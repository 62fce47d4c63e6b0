/** Calls between both sides of a tunnel over a wire in memory. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Budget, WINDOW_MIN_BYTES } from './budget.ts';
import type { Call } from './call.ts';
import { CALLS_MAX, REQUEST_CREDIT_BYTES } from './end.ts';
import { MESSAGE_MAX_BYTES } from './frame.ts';
import { TUNNEL_WINDOW_BYTES } from './outbox.ts';
import { byHand, echo, Heard, headOf, pairOf } from './test/pair.ts';

const MIB = 1024 * 1024;

/** What may happen to a call. */
const STEPS = ['gateway', 'relay', 'leave', 'fail', 'head', 'part', 'end'] as const;

/** Bytes that tell where they are. */
function bytesOf(length: number, seed = 1): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + seed * 17 + (at >> 8)) % 251);
}

/** Sends a whole body, as fast as it is taken. */
async function sendAll(call: Call, body: Uint8Array, part = 100_000): Promise<void> {
  for (let at = 0; at < body.byteLength; at += part) {
    await call.write(body.subarray(at, at + part));
  }
  call.end();
}

/** Lets what waits for room go on, until nothing moves. */
async function deliverAll({ deliver }: { deliver(): void }, done: Promise<unknown>): Promise<void> {
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  for (let turn = 0; !isDone && turn < 100_000; turn += 1) {
    deliver();
    await Promise.resolve();
  }
  deliver();
}

describe('calls in a tunnel', () => {
  test('carry heads and bodies both ways, whole and in order, however many there are', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 400_000 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1_000, max: 90_000 }), async (lengths, part) => {
        const pair = pairOf(echo);
        const calls = lengths.map((length, at) => {
          const heard = new Heard();
          const call = pair.gateway.call(headOf(`/${at}`), heard);
          heard.data = (bytes) => {
            heard.parts.push(bytes.slice());
            call.consumed(bytes.byteLength);
          };
          return { heard, body: bytesOf(length, at), call };
        });
        const sent = Promise.all(calls.map(({ call, body }) => sendAll(call, body, part)));
        await deliverAll(pair, sent);
        for (const { heard, body } of calls) {
          expect([heard.status, heard.hasEnded, heard.how]).toEqual([200, true, undefined]);
          expect(Buffer.compare(heard.body, body)).toBe(0);
        }
        expect([pair.gateway.size, pair.relay.size]).toEqual([0, 0]);
        const { gateway, relay } = pair.wires;
        expect(Math.max(...gateway.sizes, ...relay.sizes)).toBeLessThanOrEqual(MESSAGE_MAX_BYTES);
      }),
      { numRuns: 30 },
    );
  });

  test('are answered in one message where the reply is small', () => {
    const { calls, serve } = byHand();
    const pair = pairOf(serve);
    const call = pair.gateway.call(headOf('/one'), new Heard());
    void call.write(bytesOf(10));
    call.end();
    pair.step('gateway');
    const [served] = calls;
    served?.call.head({ status: 201, headers: { a: 'b' } });
    void served?.call.write(bytesOf(5));
    served?.call.end();
    pair.step('relay');
    expect([pair.wires.gateway.sizes.length, pair.wires.relay.sizes.length]).toEqual([1, 1]);
    expect([served?.heard.bytes, served?.heard.hasEnded]).toEqual([10, true]);
  });

  test('do not wait for a large reply that is on its way', () => {
    const { calls, serve } = byHand();
    const pair = pairOf(serve);
    const large = new Heard();
    const small = new Heard();
    const reading = pair.gateway.call(headOf('/large'), large);
    large.data = (bytes) => {
      large.parts.push(bytes);
      reading.consumed(bytes.byteLength);
    };
    pair.deliver();
    calls[0]?.call.head({ status: 200, headers: {} });
    void calls[0]?.call.write(new Uint8Array(20 * MIB));
    for (let message = 0; message < 50; message += 1) {
      pair.step('relay');
      pair.step('gateway');
    }
    pair.gateway.call(headOf('/small'), small).end();
    const before = large.bytes;
    for (let turn = 0; !small.hasEnded && turn < 1_000; turn += 1) {
      pair.step('gateway');
      const asked = calls[1];
      if (asked !== undefined && !asked.heard.hasEnded) throw new Error('It came in halves');
      if (asked !== undefined && turn === 0) {
        asked.call.head({ status: 200, headers: {} });
        void asked.call.write(bytesOf(100));
        asked.call.end();
      }
      pair.step('relay');
    }
    expect(small.body).toEqual(Buffer.from(bytesOf(100)));
    // What was on its way, and one turn.
    expect(large.bytes - before).toBeLessThanOrEqual(TUNNEL_WINDOW_BYTES + MESSAGE_MAX_BYTES);
  });

  test('take no more of a body than is read, at either side', async () => {
    const { calls, serve } = byHand();
    const pair = pairOf(serve);
    const heard = new Heard();
    const call = pair.gateway.call(headOf(), heard);
    void sendAll(call, new Uint8Array(5 * MIB));
    pair.deliver();
    expect(calls[0]?.heard.bytes).toBe(REQUEST_CREDIT_BYTES);
    calls[0]?.call.head({ status: 200, headers: {} });
    void sendAll(calls[0]?.call as Call, new Uint8Array(5 * MIB));
    for (let turn = 0; turn < 100; turn += 1) {
      pair.deliver();
      await Promise.resolve();
    }
    expect(heard.bytes).toBe(MIB);
    call.consumed(MIB);
    for (let turn = 0; turn < 100; turn += 1) {
      pair.deliver();
      await Promise.resolve();
    }
    expect(heard.bytes).toBe(2 * MIB);
  });

  test('share the memory that there is: the more there are, the less of each may wait', () => {
    const budget = new Budget(32 * MIB);
    const windows = Array.from({ length: CALLS_MAX }, () => budget.take());
    expect([windows[0], windows.at(-1)]).toEqual([MIB, WINDOW_MIN_BYTES]);
    expect(windows.reduce((sum, each) => sum + each, 0)).toBeLessThan(48 * MIB);
    for (const window of windows) budget.giveBack(window);
    expect(budget.take()).toBe(MIB);
  });

  test('end at both sides when the gateway leaves, whatever is still on its way', () => {
    const { calls, serve } = byHand();
    const pair = pairOf(serve);
    const heard = new Heard();
    const call = pair.gateway.call(headOf(), heard);
    pair.deliver();
    calls[0]?.call.head({ status: 200, headers: {} });
    void calls[0]?.call.write(bytesOf(1_000));
    call.reset('cancelled');
    pair.deliver();
    expect(calls[0]?.heard.how).toBe('cancelled');
    expect([heard.status, heard.bytes, heard.how]).toEqual([undefined, 0, undefined]);
    expect([pair.gateway.size, pair.relay.size]).toEqual([0, 0]);
    expect(pair.wires.gateway.closed ?? pair.wires.relay.closed).toBeUndefined();
  });

  test('end at both sides whenever either of them ends them', async () => {
    const step = fc.constantFrom(...STEPS);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { calls, serve } = byHand();
        const pair = pairOf(serve);
        const heard = new Heard();
        const call = pair.gateway.call(headOf(), heard);
        void sendAll(call, new Uint8Array(200_000));
        let hasHead = false;
        const served = () => calls[0]?.call;
        const acts: Record<(typeof STEPS)[number], () => void> = {
          gateway: () => pair.step('gateway'),
          relay: () => pair.step('relay'),
          leave: () => call.reset('cancelled'),
          fail: () => served()?.reset('failed'),
          head() {
            if (hasHead) return;
            served()?.head({ status: 200, headers: {} });
            hasHead = served() !== undefined;
          },
          part: () => hasHead && void served()?.write(bytesOf(3_000)),
          end: () => hasHead && served()?.end(),
        };
        for (const each of steps) {
          acts[each]();
          await Promise.resolve();
        }
        pair.deliver();
        call.reset('cancelled');
        pair.deliver();
        expect([pair.gateway.size, pair.relay.size]).toEqual([0, 0]);
        expect([pair.wires.gateway.closed, pair.wires.relay.closed]).toEqual([
          undefined,
          undefined,
        ]);
      }),
      { numRuns: 500 },
    );
  });
});
