/** Leases: who has one, in which order its calls run, and when it ends. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Call } from '../proto/driver.ts';
import { GatewayError } from '../proto/errors.ts';
import {
  LeaseRegistry,
  type LeaseRequest,
  SESSION_IDLE_MAX_MS,
  SESSION_LIFE_MAX_MS,
} from './leases.ts';

const ENDPOINT = 'endpoint-1';
const GONE = { code: 'SESSION_NOT_FOUND', message: 'The session does not exist or has ended' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function call(signal = new AbortController().signal): Call {
  return {
    mode: 'write',
    signal,
    resultMaxBytes: 1000,
    numbersAsStrings: false,
    inPieces: undefined,
  };
}

/** A lease that runs as long as its request says, in milliseconds, and writes down what happens. */
function world() {
  const events: string[] = [];
  const faults: unknown[] = [];
  const sessions = new LeaseRegistry((cause) => faults.push(cause));
  const request: LeaseRequest = {
    endpoint: ENDPOINT,
    poolKey: `${ENDPOINT}:1:write:production`,
    max: 2,
    start: async () => ({
      run(request, { signal }) {
        const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
        const { name, ms, fails } = request as { name: string; ms: number; fails?: string };
        events.push(`${name} begins`);
        signal.addEventListener('abort', () => reject(signal.reason));
        setTimeout(() => {
          events.push(`${name} ends`);
          if (fails) reject(new GatewayError(fails as 'CONNECTION_FAILED', 'lost'));
          else resolve(new TextEncoder().encode(name));
        }, ms);
        return promise;
      },
      close: async () => void events.push('rolled back'),
    }),
    ended: () => void events.push('ended'),
  };
  const run = (id: string, name: string, ms = 0, more = {}) =>
    sessions.run(id, ENDPOINT, { name, ms, ...more }, call());
  return { sessions, request, events, faults, run };
}

describe('a session', () => {
  test('has an id of 128 random bits and tells when it ends at the latest', async () => {
    const { sessions, request } = world();
    const { id, expiresMs } = await sessions.open(request);
    expect(id).toMatch(/^[\w-]{22}$/);
    expect(expiresMs).toBe(Date.now() + SESSION_LIFE_MAX_MS);
    expect((await sessions.open(request)).id).not.toBe(id);
  });

  test('runs its calls one after another', async () => {
    const { sessions, request, events, run } = world();
    const { id } = await sessions.open(request);
    const all = Promise.all([run(id, 'a', 50), run(id, 'b', 10), run(id, 'c')]);
    await vi.advanceTimersByTimeAsync(100);
    await all;
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test("lets a call that waits its turn go at its deadline, and keeps the others' order", async () => {
    const { sessions, request, events, run } = world();
    const { id } = await sessions.open(request);
    const client = new AbortController();
    const first = run(id, 'a', 50);
    const second = sessions.run(id, ENDPOINT, { name: 'b', ms: 0 }, call(client.signal));
    const third = run(id, 'c');
    client.abort(new GatewayError('TIMED_OUT', 'late'));
    await expect(second).rejects.toMatchObject({ code: 'TIMED_OUT' });
    await vi.advanceTimersByTimeAsync(60);
    await Promise.all([first, third]);
    expect(events).toEqual(['a begins', 'a ends', 'c begins', 'c ends']);
  });

  test('ends at once with a call on it that was stopped at its deadline', async () => {
    const { sessions, request, events, run } = world();
    const { id } = await sessions.open(request);
    const client = new AbortController();
    const stopped = sessions.run(id, ENDPOINT, { name: 'a', ms: 50 }, call(client.signal));
    const next = run(id, 'b');
    await vi.advanceTimersByTimeAsync(10);
    client.abort(new GatewayError('TIMED_OUT', 'late'));
    await expect(stopped).rejects.toMatchObject({ code: 'TIMED_OUT' });
    await expect(next).rejects.toMatchObject(GONE);
    await vi.advanceTimersByTimeAsync(0);
    expect(events).toEqual(['a begins', 'rolled back', 'ended']);
    expect(sessions.size).toBe(0);
  });

  test("is not found under another endpoint's name", async () => {
    const { sessions, request, run } = world();
    const { id } = await sessions.open(request);
    await expect(sessions.run(id, 'endpoint-2', {}, call())).rejects.toMatchObject(GONE);
    expect(await sessions.close(id, 'endpoint-2')).toBe(false);
    const result = run(id, 'a');
    await vi.advanceTimersByTimeAsync(0);
    expect(await result).toEqual(new TextEncoder().encode('a'));
  });

  test('is rolled back when nobody used it for 30 s, counted from its last call', async () => {
    const { sessions, request, events, run } = world();
    const { id } = await sessions.open(request);
    await vi.advanceTimersByTimeAsync(SESSION_IDLE_MAX_MS - 1);
    const long = run(id, 'a', SESSION_IDLE_MAX_MS * 2);
    await vi.advanceTimersByTimeAsync(SESSION_IDLE_MAX_MS * 2);
    await long;
    await vi.advanceTimersByTimeAsync(SESSION_IDLE_MAX_MS - 1);
    expect(events).toEqual(['a begins', 'a ends']);
    await vi.advanceTimersByTimeAsync(1);
    expect(events).toEqual(['a begins', 'a ends', 'rolled back', 'ended']);
    await expect(run(id, 'b')).rejects.toMatchObject(GONE);
  });

  test('is rolled back after 5 minutes, also in the middle of a call', async () => {
    const { sessions, request, events, run } = world();
    const { id } = await sessions.open(request);
    const endless = run(id, 'a', SESSION_LIFE_MAX_MS * 2);
    const refused = expect(endless).rejects.toMatchObject({ code: 'TIMED_OUT' });
    await vi.advanceTimersByTimeAsync(SESSION_LIFE_MAX_MS);
    await refused;
    expect(events).toEqual(['a begins', 'rolled back', 'ended']);
  });

  test.each(['CONNECTION_FAILED', 'OUTCOME_UNKNOWN', 'SESSION_NOT_FOUND'])(
    'ends with its connection: %s',
    async (code) => {
      const { sessions, request, events, run } = world();
      const { id } = await sessions.open(request);
      const lost = run(id, 'a', 0, { fails: code });
      const refused = expect(lost).rejects.toMatchObject({ code });
      await vi.advanceTimersByTimeAsync(0);
      await refused;
      await expect(run(id, 'b')).rejects.toMatchObject(GONE);
      expect(events).toContain('ended');
    },
  );

  test('that is closed is rolled back before the answer, once', async () => {
    const { sessions, request, events } = world();
    const { id } = await sessions.open(request);
    expect(await sessions.close(id, ENDPOINT)).toBe(true);
    expect(events).toEqual(['rolled back', 'ended']);
    expect(await sessions.close(id, ENDPOINT)).toBe(false);
  });

  test('ends when its endpoint gets another revision', async () => {
    const { sessions, request, events } = world();
    await sessions.open(request);
    sessions.release('endpoint-2', '0');
    sessions.release(ENDPOINT, '1');
    await vi.advanceTimersByTimeAsync(0);
    expect(events).toEqual([]);
    sessions.release(ENDPOINT, '2');
    await vi.advanceTimersByTimeAsync(0);
    expect(events).toEqual(['rolled back', 'ended']);
  });
});

describe('a share', () => {
  /** One whose undoing takes a second. */
  async function slow() {
    const { sessions, request, events } = world();
    const closing = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      events.push('undone');
      return true;
    };
    const never = () => Promise.reject(new Error('is not called'));
    const lease = { perform: never, commit: never, commitMarked: never, close: closing };
    const { id } = await sessions.open({ ...request, start: async () => lease });
    const on = (signal: AbortSignal, work: (own: Call) => Promise<void>) =>
      sessions
        .onShare({ id, endpoint: ENDPOINT }, call(signal), (_, own) => work(own))
        .catch((reason: unknown) => void events.push(String(reason)));
    return { sessions, id, events, on };
  }
  const stopped = ({ signal }: Call) =>
    new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const LATE = new GatewayError('TIMED_OUT', 'late');

  test('that is stopped at its deadline is told so before it is undone', async () => {
    const { events, on } = await slow();
    const client = new AbortController();
    const told = on(client.signal, stopped);
    await vi.advanceTimersByTimeAsync(10);
    client.abort(LATE);
    await vi.advanceTimersByTimeAsync(1);
    expect(events).toEqual([String(LATE)]);
    await vi.advanceTimersByTimeAsync(1_000);
    await told;
    expect(events).toEqual([String(LATE), 'undone', 'ended']);
  });

  test('that fails is undone before that is told, until its deadline', async () => {
    const failing = async () => {
      throw new GatewayError('REQUEST_FAILED', 'no');
    };
    const undone = await slow();
    const told = undone.on(new AbortController().signal, failing);
    await vi.advanceTimersByTimeAsync(1_000);
    await told;
    expect(undone.events).toEqual(['undone', 'ended', expect.stringContaining('no')]);
    const late = await slow();
    const client = new AbortController();
    const toldLate = late.on(client.signal, failing);
    await vi.advanceTimersByTimeAsync(500);
    client.abort(LATE);
    await toldLate;
    expect(late.events).toEqual([expect.stringContaining('no')]);
  });

  test('that is ended by another is told so before it is undone', async () => {
    const { sessions, id, events, on } = await slow();
    const told = on(new AbortController().signal, stopped);
    await vi.advanceTimersByTimeAsync(10);
    const closed = sessions.close(id, ENDPOINT);
    await vi.advanceTimersByTimeAsync(1);
    await told;
    expect(events).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await closed).toBe(true);
  });
});

describe('the cap of sessions', () => {
  test('counts those being opened, and frees the place of one that ended or failed', async () => {
    const { sessions, request, events } = world();
    const starts = Promise.withResolvers<never>();
    const failing = sessions.open({ ...request, start: () => starts.promise });
    const { id } = await sessions.open(request);
    await expect(sessions.open(request)).rejects.toMatchObject({
      code: 'SESSIONS_EXHAUSTED',
      message: expect.stringMatching(
        /^Sessions and transactions hold 2 of .*: end one, or raise backend_pool_limits/,
      ),
      retryAfter: 1,
    });
    starts.reject(new GatewayError('CONNECTION_FAILED', 'no'));
    await expect(failing).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
    await sessions.open(request);
    await expect(sessions.open(request)).rejects.toMatchObject({ code: 'SESSIONS_EXHAUSTED' });
    await sessions.close(id, ENDPOINT);
    await sessions.open(request);
    expect(events.filter((event) => event === 'ended')).toHaveLength(4);
  });
});
