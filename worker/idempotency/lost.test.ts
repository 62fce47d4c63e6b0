/** Calls whose worker, object or client is lost: what is true is told, and nothing runs twice. */
import { evictDurableObject } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { failure } from '../test/gateway.ts';
import {
  again,
  elapse,
  fresh,
  keysOf,
  seen,
  startKeyed,
  storedCalls,
  WRITE,
} from '../test/keyed.ts';
import { bytes, told } from '../test/running.ts';

const LOST = {
  status: 502,
  replayed: null,
  body: failure(
    'OUTCOME_UNKNOWN',
    'The call with this Idempotency-Key was lost while it ran and may have taken effect: look, and take a new key to repeat it',
  ),
};
const SLACK_MS = 5_000;

/** A relay whose first call ends when the test says so. */
function hanging() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const answer = async (n: number) => {
    if (n === 1) await promise;
    return { result: bytes(`{"n":${n}}`) };
  };
  return { answer, letGo: resolve };
}

/** A gateway with a call under way. */
async function startHanging(body = WRITE, path = '/write') {
  const { answer, letGo } = hanging();
  const gateway = await startKeyed(answer);
  const send = async (key = 'k') =>
    seen(await gateway.post(path, body, { 'Idempotency-Key': key }));
  const first = send();
  await expect.poll(() => gateway.ran()).toBe(1);
  return {
    ...gateway,
    send,
    first,
    letGo,
    elapse: (ms: number) => elapse(gateway.organization.uuid, ms),
  };
}

describe('a call that nobody hears of any more', () => {
  const bodies: [string, typeof WRITE, number][] = [
    ['the usual 30 s', WRITE, 30_000],
    ['its timeout_ms', { ...WRITE, timeout_ms: 700 } as typeof WRITE, 700],
    [
      'that of the request it wraps',
      { request: { ...WRITE, timeout_ms: 90_000 } } as never,
      90_000,
    ],
  ];

  test.each(bodies)(
    'is taken to run for %s and some time, then its outcome is unknown',
    async (_what, body, ms) => {
      const { send, write, first, letGo, elapse, ran } = await startHanging(body);
      await elapse(ms);
      const running = await write('k', body);
      expect([running.status, running.headers.get('Retry-After')]).toEqual([
        409,
        // Of five, as many as are left.
        expect.stringMatching(/^[1-5]$/),
      ]);
      await elapse(SLACK_MS);
      expect(await send()).toEqual(LOST);
      expect(await send()).toEqual(LOST);
      expect(await send('another')).toEqual(fresh({ n: 2 }));
      expect(ran()).toBe(2);
      letGo();
      await first;
    },
  );

  test('is told as it ended, if it ends later after all', async () => {
    const { send, first, letGo, elapse, ran } = await startHanging();
    await elapse(60_000);
    expect(await send()).toEqual(LOST);
    letGo();
    expect(await first).toEqual(fresh({ n: 1 }));
    expect(await send()).toEqual(again({ n: 1 }));
    expect(ran()).toBe(1);
  });

  test('runs again if it only reads, and its own late end counts for nothing', async () => {
    const query = { type: 'query', query: 'select 1' };
    const { send, first, letGo, elapse, ran } = await startHanging(query, '/read');
    expect(await send()).toMatchObject({ status: 409 });
    await elapse(60_000);
    expect(await send()).toEqual(fresh({ n: 2 }));
    letGo();
    expect(await first).toEqual(fresh({ n: 1 }));
    expect(await send()).toEqual(again({ n: 2 }));
    expect(ran()).toBe(2);
  });

  test('leaves its key free after a day', async () => {
    const { send, first, letGo, elapse } = await startHanging();
    await elapse(24 * 3600 * 1000);
    expect(await send()).toEqual(fresh({ n: 2 }));
    letGo();
    await first;
    expect(await send()).toEqual(again({ n: 2 }));
  });
});

test('an object that is restarted while a call runs has forgotten nothing', async () => {
  const { send, first, letGo, organization, ran } = await startHanging();
  const evicted = keysOf(organization.uuid).map((keys) => evictDurableObject(keys));
  // It says so of those that do not run.
  const outcomes = (await Promise.allSettled(evicted)).map(({ status }) => status);
  expect(outcomes).toContain('fulfilled');
  expect(await send()).toMatchObject({ status: 409 });
  letGo();
  expect(await first).toEqual(fresh({ n: 1 }));
  expect(await send()).toEqual(again({ n: 1 }));
  expect(ran()).toBe(1);
});

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

describe('a client that goes away', () => {
  /** A call whose client leaves once it has reached the relay; answers what the next one gets. */
  async function leave(path: string) {
    const left = Promise.withResolvers<void>();
    const gateway = await startKeyed(async (n, signal) => {
      // A read hears of it; a write goes on when it has happened.
      if (n === 1) await (path === '/read' ? aborted(signal) : left.promise);
      if (signal.aborted) throw told(Code.Canceled, 'TIMED_OUT', 'The client went away');
      return { result: bytes(`{"n":${n}}`) };
    });
    const leaving = new AbortController();
    const init = {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await gateway.token()}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'k',
      },
      body: JSON.stringify({ type: 'query', query: 'select 1' }),
    };
    const first = gateway.send(`/endpoints/orders${path}`, { ...init, signal: leaving.signal });
    await expect.poll(() => gateway.ran()).toBe(1);
    leaving.abort();
    setTimeout(left.resolve, 50);
    await first.catch(() => {});
    await gateway.settle();
    return seen(await gateway.send(`/endpoints/orders${path}`, init));
  }

  test('finds the reply when they ask again: what they began went on', async () => {
    expect(await leave('/write')).toEqual(again({ n: 1 }));
  });

  test('reads again: what they began was stopped', async () => {
    expect(await leave('/read')).toEqual(fresh({ n: 2 }));
  });
});

test('a call that is remembered is stored once, and not twice when it is repeated', async () => {
  const { write, organization } = await startKeyed();
  for (const key of ['a', 'b', 'a']) await write(key);
  expect(await storedCalls(organization.uuid)).toHaveLength(2);
});
