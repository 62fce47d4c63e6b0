/** What a caller with an Idempotency-Key gets: the first reply again, or why not. */
import { env } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import type { ErrorCode, ErrorDetails } from '../../proto/errors.ts';
import { failure } from '../test/gateway.ts';
import { again, fresh, seen, startKeyed, WRITE } from '../test/keyed.ts';
import { bytes, told } from '../test/running.ts';
import { countTrips } from '../test/trips.ts';

const REUSED = {
  status: 422,
  replayed: null,
  body: failure(
    'IDEMPOTENCY_KEY_REUSED',
    'Idempotency-Key: was sent before with another body, take a new one',
  ),
};
const RUNNING = {
  status: 409,
  replayed: null,
  body: failure(
    'IDEMPOTENCY_KEY_RUNNING',
    'The call with this Idempotency-Key still runs: ask again later',
  ),
};

/** A relay whose calls end when the test says so. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const answer = (n: number) => promise.then(() => ({ result: bytes(`{"n":${n}}`) }));
  return { answer, letGo: resolve };
}

describe('the same key', () => {
  test('with the same body runs once, and is answered alike', async () => {
    const { write, ran } = await startKeyed();
    expect(await seen(await write('k'))).toEqual(fresh({ n: 1 }));
    expect(await seen(await write('k'))).toEqual(again({ n: 1 }));
    expect(await seen(await write('k'))).toEqual(again({ n: 1 }));
    expect(ran()).toBe(1);
  });

  test('is answered with the headers of every reply and the request id of its own call', async () => {
    const { write } = await startKeyed();
    await write('k', WRITE, { 'X-Request-Id': 'first' });
    const response = await write('k', WRITE, { 'X-Request-Id': 'second' });
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'idempotent-replayed': 'true',
      'referrer-policy': 'no-referrer',
      'server-timing': 'authorize;dur=0',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'second',
    });
  });

  test('with another body is refused, also while the first runs', async () => {
    const { answer, letGo } = held();
    const { write, ran } = await startKeyed(answer);
    const other = { ...WRITE, query: 'delete from t' };
    const first = write('k');
    expect(await seen(await write('k', other))).toEqual(REUSED);
    letGo();
    await first;
    expect(await seen(await write('k', other))).toEqual(REUSED);
    expect(await seen(await write('k'))).toEqual(again({ n: 1 }));
    expect(ran()).toBe(1);
  });

  test('with a body of the same meaning in other bytes is refused', async () => {
    const { write } = await startKeyed();
    await write('k', { type: 'execute', query: 'x' });
    expect(await seen(await write('k', { query: 'x', type: 'execute' }))).toEqual(REUSED);
  });

  test('while the first runs is told to ask again, after as long as that took so far', async () => {
    const { answer, letGo } = held();
    const { write, ran } = await startKeyed(answer);
    const first = write('k');
    const second = await write('k');
    expect([second.headers.get('Retry-After'), await seen(second)]).toEqual(['1', RUNNING]);
    letGo();
    expect(await seen(await first)).toEqual(fresh({ n: 1 }));
    expect(await seen(await write('k'))).toEqual(again({ n: 1 }));
    expect(ran()).toBe(1);
  });

  test('sent two hundred times at once runs once', async () => {
    const { write, ran } = await startKeyed();
    const replies = await Promise.all(
      Array.from({ length: 200 }, async () => seen(await write('k'))),
    );
    expect(replies.filter(({ status }) => status === 200)).toContainEqual(fresh({ n: 1 }));
    for (const reply of replies)
      expect([fresh({ n: 1 }), again({ n: 1 }), RUNNING]).toContainEqual(reply);
    expect(ran()).toBe(1);
  });

  test('of a PATCH runs once too', async () => {
    const gateway = await startKeyed();
    const bearer = await gateway.token();
    const patch = async () =>
      seen(
        await gateway.send('/endpoints/orders', {
          method: 'PATCH',
          headers: {
            Authorization: `Bearer ${bearer}`,
            'Content-Type': 'application/json',
            'Idempotency-Key': 'k',
          },
          body: '{"description":"all of them"}',
        }),
      );
    const first = await patch();
    expect(first).toMatchObject({ status: 200, replayed: null });
    await gateway.call('PATCH', '/endpoints/orders', { description: 'changed since' });
    expect(await patch()).toEqual({ ...first, replayed: 'true' });
    expect(await gateway.call('GET', '/endpoints/orders')).toMatchObject({
      body: { data: { description: 'changed since' } },
    });
  });
});

describe('a call that was refused', () => {
  const kept: [ErrorCode, (readonly ErrorDetails[])?][] = [
    ['REQUEST_FAILED', [{ source: 'postgres', code: '42P01', message: 'no such table' }]],
    ['RESULT_TOO_LARGE', [{ operation: 0, applied: true }]],
    ['CONSTRAINT_VIOLATED'],
    ['NOT_FOUND'],
    ['INTERNAL'],
    ['OUTCOME_UNKNOWN'],
    ['CONNECTION_FAILED', [{ operation: 1, applied: true }]],
  ];

  test.each(kept)('with %s is refused the same way again, and not run', async (code, details) => {
    const { write, ran } = await startKeyed(() => {
      throw told(Code.Aborted, code, 'Because', details);
    });
    const first = await seen(await write('k'));
    expect(first).toMatchObject({ replayed: null, body: { code } });
    expect(await seen(await write('k'))).toEqual({ ...first, replayed: 'true' });
    expect(ran()).toBe(1);
  });

  const free: ErrorCode[] = [
    'TOKEN_REVOKED',
    'FORBIDDEN',
    'QUOTA_EXCEEDED',
    'RATE_LIMITED',
    'NOT_SUPPORTED',
    'CONNECTION_FAILED',
    'SERVICE_UNAVAILABLE',
    'POOL_EXHAUSTED',
    'NODE_UNAVAILABLE',
    'TIMED_OUT',
  ];

  test.each(free)('with %s, when nothing was changed, runs again', async (code) => {
    const { write, ran } = await startKeyed((n) => {
      if (n === 1) throw told(Code.Aborted, code, 'Because');
      return { result: bytes('{"n":2}') };
    });
    expect(await seen(await write('k'))).toMatchObject({ replayed: null, body: { code } });
    expect(await seen(await write('k'))).toEqual(fresh({ n: 2 }));
    expect(ran()).toBe(2);
  });

  test('names in the replay the request that was refused', async () => {
    const { write } = await startKeyed(() => {
      throw told(Code.Aborted, 'CONSTRAINT_VIOLATED', 'Because');
    });
    await write('k', WRITE, { 'X-Request-Id': 'first' });
    const response = await write('k', WRITE, { 'X-Request-Id': 'second' });
    expect(await response.json()).toMatchObject({ request_id: 'first' });
  });
});

describe('what is paid', () => {
  const counted = () => {
    const trips = countTrips(env.DB);
    const named: string[] = [];
    const IDEMPOTENCY_KEYS = {
      getByName(name: string) {
        named.push(name);
        return env.IDEMPOTENCY_KEYS.getByName(name);
      },
    };
    return { trips, named, bindings: { DB: trips.binding, IDEMPOTENCY_KEYS } };
  };

  test('without a key is nothing', async () => {
    const { trips, named, bindings } = counted();
    const { post, ask } = await startKeyed(undefined, { bindings });
    await post('/write', WRITE);
    const before = trips.count();
    expect(await ask('/write', WRITE)).toMatchObject({ status: 200 });
    expect([trips.count() - before, named]).toEqual([0, []]);
  });

  test('with one is two questions to one object of the organization, and one for a replay; none to D1', async () => {
    const { trips, named, bindings } = counted();
    const { post, write, organization } = await startKeyed(undefined, { bindings });
    await post('/write', WRITE);
    const before = trips.count();
    await write('k');
    expect([trips.count() - before, named.length, new Set(named).size]).toEqual([0, 2, 1]);
    await write('k');
    expect([trips.count() - before, named.length, new Set(named).size]).toEqual([0, 3, 1]);
    expect(named[0]).toMatch(new RegExp(`^${organization.uuid}:[0-9a-f]$`));
  });
});
