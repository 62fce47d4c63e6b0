/** How fast bytes are taken in from whom, by a clock that only the test moves. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Flow } from './flow.ts';

const BYTES_PER_MS = 1_000;
const PART = 8_000;

/** Those who send, each a part at a time, until a moment; answers the bytes taken from each. */
async function taken(sending: readonly { owner: string; pauseMs: number }[], untilMs: number) {
  let at = 0;
  const sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  const wait = (ms: number) => new Promise<void>((wake) => sleeping.push({ until: at + ms, wake }));
  const flow = new Flow({ now: () => at, wait }, BYTES_PER_MS);
  const bytes = new Map<string, number>();
  for (const { owner, pauseMs } of sending) {
    const send = async (): Promise<void> => {
      for (;;) {
        if (pauseMs > 0) await wait(pauseMs);
        bytes.set(owner, (bytes.get(owner) ?? 0) + PART);
        await flow.pass(owner, PART);
      }
    };
    void send();
  }
  for (;;) {
    for (let turn = 0; turn < 20; turn += 1) await undefined;
    sleeping.sort((one, other) => one.until - other.until);
    const next = sleeping.shift();
    if (!next || next.until > untilMs) return bytes;
    at = next.until;
    next.wake();
  }
}

const many = (owner: string, count: number, pauseMs = 0) =>
  Array.from({ length: count }, () => ({ owner, pauseMs }));

test('however many send, no more is taken than the rate and a part of each', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ owner: fc.constantFrom('a', 'b', 'c'), pauseMs: fc.nat({ max: 20 }) }), {
        minLength: 1,
        maxLength: 12,
      }),
      async (sending) => {
        const all = [...(await taken(sending, 500)).values()].reduce((sum, each) => sum + each, 0);
        // Who comes again is not slowed by those who were there before: three owners, twice 4 ms.
        expect(all).toBeLessThanOrEqual(500 * BYTES_PER_MS + (sending.length + 3) * PART + 24_000);
      },
    ),
    { numRuns: 50 },
  ));

test('one who sends by many connections takes no more than another', async () => {
  const bytes = await taken([...many('many', 16), ...many('one', 1)], 1_000);
  const [own, others] = [bytes.get('one') ?? 0, bytes.get('many') ?? 0];
  expect(own).toBeGreaterThan(450 * BYTES_PER_MS);
  // Each connection brings its first part before anything is known of it.
  expect(others).toBeLessThan(600 * BYTES_PER_MS + 16 * PART);
});

test('one alone has the whole rate, and one who sends slowly takes little of it', async () => {
  const alone = await taken(many('fast', 1), 1_000);
  const beside = await taken([...many('fast', 1), ...many('slow', 1, 400)], 1_000);
  expect(alone.get('fast')).toBeGreaterThan(950 * BYTES_PER_MS);
  expect(beside.get('fast')).toBeGreaterThan(750 * BYTES_PER_MS);
});

test('one that is alone on its thread does not wait, until another takes bytes, too', async () => {
  const waits: number[] = [];
  let at = 0;
  const wait = async (ms: number) => void waits.push(ms);
  const flow = new Flow({ now: () => at, wait }, BYTES_PER_MS);
  for (let part = 0; part < 100; part += 1) await flow.pass('one', PART, true);
  expect(waits).toEqual([]);
  await flow.pass('other', PART, true);
  await flow.pass('one', PART, true);
  // Each has half of the rate, and what passed before is not held against it.
  expect(waits).toEqual([16, 16]);
  at = 1_000;
  await flow.pass('one', PART, true);
  expect(waits).toEqual([16, 16]);
});
