/** The promises of every driver under strain: calls that are stopped, servers that drop connections, many callers at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { BackendClient, Mode } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { DriverCase } from './contract.ts';
import { able, given, type Parts } from './contract-parts.ts';
import { callOf, jsonOf } from './test/host.ts';
import { heldBytes } from './test/memory.ts';

/** Rows of the longest stream, and how many bytes they are at least: less could be held unnoticed. */
const LONGEST = 1_000_000;
const STREAMED_MIN_BYTES = 64 * 1024 * 1024;
/** Of what streams, the share by which memory may grow after the first fifth: all that is kept would be over a half. */
const GROWTH_MAX_SHARE = 0.25;
/** Milliseconds in which the server stops a statement that would take half a minute. */
const STOPPED_WITHIN_MS = 15_000;
/** Calls are stopped after 0, 1, 2, … milliseconds, fewer than this. */
const STOP_AT_MOST_MS = 40;
/** Milliseconds in which a reader takes nothing. */
const STALL_MS = 500;
/** How often a stream's memory is looked at: each look is a whole collection. */
const LOOKS = 20;

/** What the suite lends. */
export interface Suite<Request> {
  /** Ready once the tests run. */
  kind(): DriverCase<Request>;
  readonly parts: Parts;
  /** A client on a pool of `connections`, 4 by default. */
  open(mode: Mode, connections?: number): Promise<BackendClient<Request>>;
  /** How many entries have that name. */
  count(session: BackendClient<Request>, name: string): Promise<number>;
  /** Ends all earlier sessions; answers how many connections there are without them. */
  connectionsOfOthers(): Promise<number>;
}

/** Declares these tests. */
export function describeStrain<Request>(suite: Suite<Request>): void {
  describe('under strain', () => {
    describeStops(suite);
    describeLosses(suite);
    describeCrowds(suite);
  });
}

function describeStops<Request>({ kind, parts, open, count }: Suite<Request>): void {
  const stops = [
    ['the deadline passes', 'The deadline passed'],
    ['the client goes away', 'The client went away'],
  ] as const;
  parts.each('running', stops, "stops the server's work when %s", async (_, message) => {
    const { slow } = kind();
    const running = given(kind().running, 'running');
    const read = await open('read', 1);
    const stopping = new AbortController();
    const call = callOf('read', { signal: stopping.signal });
    const ended = read.run(slow, call).catch((thrown: unknown) => thrown);
    await expect.poll(running).toBe(1);
    const reason = new GatewayError('TIMED_OUT', message);
    stopping.abort(reason);
    expect(await ended).toBe(reason);
    await expect.poll(running, { timeout: STOPPED_WITHIN_MS }).toBe(0);
    expect(await count(read, 'nobody')).toBe(0);
  });

  parts.test('running', 'leaves nothing running, whenever a call is stopped', async () => {
    const { slow } = kind();
    const running = given(kind().running, 'running');
    for (let ms = 0; ms < STOP_AT_MOST_MS; ms += 1) {
      // A new one each time: what it asks of the server beforehand can be overtaken as well.
      const read = await open('read', 1);
      const signal = AbortSignal.timeout(ms);
      await expect(read.run(slow, callOf('read', { signal }))).rejects.toBeDefined();
    }
    // In which one that is still sent arrives.
    await sleep(STALL_MS);
    await expect.poll(running, { timeout: STOPPED_WITHIN_MS }).toBe(0);
  });

  parts.test(
    'stream',
    'streams a long result at flat memory',
    async () => {
      const { rows, heavyRows = rows, longest = LONGEST } = kind();
      const read = able(await open('read', 1), 'stream');
      const stream = read.stream(heavyRows(longest), callOf('read'));
      let lines = 0;
      let looks = 0;
      let bytes = 0;
      let stalled: number | undefined;
      // What any stream takes, and what a long one still holds at its end: what it holds for a
      // moment only does not grow with its length.
      const held = { early: 0, late: Number.POSITIVE_INFINITY };
      for await (const piece of stream) {
        lines += linesIn(piece);
        bytes += piece.length;
        if (lines > longest / 2) stalled ??= await grownWhile(STALL_MS);
        if (lines < (longest / LOOKS) * looks) continue;
        looks += 1;
        if (lines < longest / 5) held.early = Math.max(held.early, await heldBytes());
        else if (lines > (longest * 3) / 4) held.late = Math.min(held.late, await heldBytes());
      }
      expect(lines).toBe(longest);
      expect(looks).toBeGreaterThan(LOOKS / 2);
      expect(bytes).toBeGreaterThan(STREAMED_MIN_BYTES);
      expect(held.late - held.early).toBeLessThan(bytes * GROWTH_MAX_SHARE);
      expect(stalled).toBeLessThan(bytes * GROWTH_MAX_SHARE);
    },
    240_000,
  );
}

/** Bytes by which memory grows while the reader of a stream takes nothing. */
async function grownWhile(ms: number): Promise<number> {
  const before = await heldBytes();
  await sleep(ms);
  return (await heldBytes()) - before;
}

function linesIn(piece: Uint8Array): number {
  let lines = 0;
  for (const byte of piece) if (byte === 10) lines += 1;
  return lines;
}

function describeLosses<Request>(suite: Suite<Request>): void {
  const { kind, parts, open, count, connectionsOfOthers } = suite;
  parts.test('dropIdle', 'replaces idle connections that the server dropped', async () => {
    const { add, backendConnections } = kind();
    const dropIdle = given(kind().dropIdle, 'dropIdle');
    const others = await connectionsOfOthers();
    const [read, write] = [await open('read', 1), await open('write', 1)];
    await count(read, 'nobody');
    await count(write, 'nobody');
    await dropIdle();
    expect(await count(read, 'nobody')).toBe(0);
    await expect.poll(backendConnections).toBeLessThanOrEqual(others + 1);
    await write.run(add('after a loss'), callOf('write'));
    expect(await count(read, 'after a loss')).toBe(1);
  });

  parts.test('state', 'shows nobody what another caller set', async () => {
    const state = given(kind().state, 'state');
    const write = await open('write', 1);
    const see = async () => jsonOf(await write.run(state.see, callOf('write')));
    const before = await see();
    await write.run(state.set, callOf('write'));
    expect(await see()).toEqual(before);
  });
}

function describeCrowds<Request>(suite: Suite<Request>): void {
  const { kind, open, count, connectionsOfOthers } = suite;
  test('holds its caps under 200 calls at once', async () => {
    const { backendConnections } = kind();
    const others = await connectionsOfOthers();
    const read = await open('read', 3);
    const calls = Promise.all(Array.from({ length: 200 }, () => count(read, 'nobody')));
    let isOver = false;
    let most = 0;
    const watching = (async () => {
      while (!isOver) {
        most = Math.max(most, (await backendConnections()) - others);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const counts = await calls.finally(() => {
      isOver = true;
    });
    await watching;
    expect(new Set(counts)).toEqual(new Set([0]));
    expect(most).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(0);
  });
}
