/** Large bodies: that they arrive whole, and who waits or is refused meanwhile. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { giveBack } from '../limits/heavy-work.ts';
import { discardBody, readBody } from './body-bytes.ts';

const MIB = 1024 * 1024;
const LIMITS = { maxBytes: 2 * MIB, takenInBytes: 4 * MIB, idleMs: 60_000, totalMs: 60_000 };
const somebody = (signal?: AbortSignal) => ({
  address: crypto.randomUUID(),
  ...(signal ? { signal } : {}),
});

const filled = (size: number) => Uint8Array.from({ length: size }, (_, at) => (at * 31) % 251);

/** Sent in pieces of so many bytes, with its length or without. */
function post(body: Uint8Array, piece: number, hasLength: boolean) {
  let at = 0;
  const stream = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const next = body.slice(at, at + piece);
      at += next.byteLength;
      if (next.byteLength > 0) controller.enqueue(next);
      else {
        controller.close();
        controller.byobRequest?.respond(0);
      }
    },
  });
  const headers: HeadersInit = hasLength ? { 'Content-Length': String(body.byteLength) } : {};
  const request = new Request('http://gateway.test/', { method: 'POST', headers, body: stream });
  return { request, isRead: () => at >= body.byteLength };
}

describe('a body', () => {
  test('arrives as it was sent, whatever its length and its pieces', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 600_000 })),
        fc.integer({ min: 50, max: 200_000 }),
        fc.boolean(),
        async (size, piece, hasLength) => {
          const sent = filled(size);
          const { request } = post(sent, Math.max(piece, size / 100), hasLength);
          const { bytes, place } = await readBody(somebody(), request, LIMITS);
          giveBack(place);
          expect(bytes && Buffer.compare(bytes, sent)).toBe(0);
          expect(place !== undefined).toBe(size >= 128 * 1024);
        },
      ),
      { numRuns: 40 },
    ));

  test.each([true, false])('is the ninth large one of its owner: 503 (length: %s)', async (has) => {
    const of = somebody();
    const taken = [];
    for (let count = 0; count < 8; count += 1) {
      const { request } = post(filled(MIB / 4), MIB, has);
      taken.push(await readBody({ ...of }, request, LIMITS));
      // The first two are at hand until they are given back, or wait for something else.
      await scheduler.wait(300);
    }
    const ninth = post(filled(MIB / 4), MIB, has);
    await expect(readBody(of, ninth.request, LIMITS)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfter: 1,
    });
    const small = post(filled(1_000), MIB, has);
    expect((await readBody(of, small.request, LIMITS)).bytes?.byteLength).toBe(1_000);
    for (const { place } of taken) giveBack(place);
    const next = await readBody(of, post(filled(MIB / 4), MIB, has).request, LIMITS);
    giveBack(next.place);
    expect(next.bytes?.byteLength).toBe(MIB / 4);
  });

  test('of a client who has gone is left, and its place is free', async () => {
    const client = new AbortController();
    const of = somebody(client.signal);
    client.abort();
    for (let count = 0; count < 20; count += 1) {
      const { request, isRead } = post(filled(MIB), 1_000, true);
      await expect(readBody(of, request, LIMITS)).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: 'The client has gone',
      });
      expect(isRead()).toBe(false);
    }
  });

  describe.each([[true], [false]])('that is sent slowly (length: %s)', (hasLength) => {
    /** A byte each so many milliseconds, of 100; for ever none when left out. */
    const slow = (everyMs?: number) => {
      let left = 100;
      const body = new ReadableStream({
        type: 'bytes',
        async pull(controller) {
          if (everyMs === undefined) return new Promise<void>(() => {});
          await scheduler.wait(everyMs);
          if (left > 0) controller.enqueue(filled(1));
          else {
            controller.close();
            controller.byobRequest?.respond(0);
          }
          left -= 1;
        },
      });
      const headers: HeadersInit = hasLength ? { 'Content-Length': '100' } : {};
      return new Request('http://gateway.test/', { method: 'POST', headers, body });
    };

    test('arrives while some of it does', async () => {
      const limits = { ...LIMITS, idleMs: 500 };
      const { bytes } = await readBody(somebody(), slow(10), limits);
      expect(bytes).toEqual(new Uint8Array(100));
    });

    test('is refused when none of it arrives', async () => {
      const limits = { ...LIMITS, idleMs: 100 };
      await expect(readBody(somebody(), slow(), limits)).rejects.toMatchObject({
        code: 'REQUEST_TIMEOUT',
        message: 'Nothing of the body arrived for 0.1 s',
      });
    });

    test('is refused when it takes too long', async () => {
      const limits = { ...LIMITS, totalMs: 300 };
      await expect(readBody(somebody(), slow(10), limits)).rejects.toMatchObject({
        code: 'REQUEST_TIMEOUT',
        message: 'The body did not arrive within 0.3 s',
      });
    });
  });

  test('that is large and stops gives its place back', async () => {
    const of = somebody();
    for (let count = 0; count < 10; count += 1) {
      const body = new ReadableStream({
        type: 'bytes',
        start: (controller) => controller.enqueue(filled(MIB / 4)),
      });
      const headers = { 'Content-Length': String(MIB) };
      const request = new Request('http://gateway.test/', { method: 'POST', headers, body });
      const reading = readBody(of, request, { ...LIMITS, idleMs: 20 });
      await expect(reading).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
    }
  });

  test('that was refused and does not arrive is not waited for', async () => {
    const body = new ReadableStream({
      type: 'bytes',
      start: (controller) => controller.enqueue(filled(1)),
    });
    const request = new Request('http://gateway.test/', { method: 'POST', body });
    await discardBody(somebody(), request, { ...LIMITS, totalMs: 100 });
    expect(request.bodyUsed).toBe(true);
  });

  test('that was refused is taken in to its end, unless it has none', async () => {
    const long = post(filled(3 * MIB), 100_000, true);
    await discardBody(somebody(), long.request, LIMITS);
    expect(long.isRead()).toBe(true);
    const endless = post(filled(5 * MIB), 100_000, false);
    await discardBody(somebody(), endless.request, LIMITS);
    expect(endless.isRead()).toBe(false);
  });
});
