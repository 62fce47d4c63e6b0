/** Calls to backends that the edge itself speaks to: by the kind `http`, over a network in memory. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { endpoints, endpointUsage } from '../../db/schema.ts';
import { failure } from '../../test/gateway.ts';
import { startRunning } from '../../test/running.ts';
import { countTrips } from '../../test/trips.ts';

afterEach(() => vi.restoreAllMocks());

const CONNECTION = { url: 'https://api.test/v1', headers: { Authorization: 'Bearer s3cr3t' } };
const unknown = (what: string) =>
  failure('OUTCOME_UNKNOWN', `${what} after the request was sent: it may have taken effect`);
const UNKNOWN = unknown('The connection was lost');
const LATE = unknown('The deadline passed');

type Answer = (request: Request) => Promise<Response> | Response;

/** A gateway with an http endpoint `orders`, and all that leaves it; `answer` follows creating. */
async function start(answer: Answer = () => Response.json({ ok: true })) {
  const trips = countTrips(env.DB);
  const sent: Request[] = [];
  const network = { answer: (() => new Response()) as Answer };
  const relayed = { pings: 0, released: 0 };
  const gateway = await startRunning(
    {
      ping: () => {
        relayed.pings += 1;
        return { latencyUs: 1n };
      },
      release: () => {
        relayed.released += 1;
        return { pools: 0 };
      },
    },
    {
      bindings: { DB: trips.binding },
      async fetch(request) {
        sent.push(request);
        return network.answer(request);
      },
      endpoint: { kind: 'http', config: { write_conn: CONNECTION, transport: 'edge' } },
    },
  );
  await gateway.settle();
  sent.length = 0;
  network.answer = answer;
  return { ...gateway, trips, sent, network, relayed };
}

/** Never answers; ends as the runtime's fetch does. */
const hanging: Answer = ({ signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
const lost: Answer = () => Promise.reject(new Error('Network connection lost.'));
const unreachable: Answer = () => Promise.reject(new Error('internal error; reference = x'));

describe('a request', () => {
  test('is one request to the backend, and its reply the result', async () => {
    const gateway = await start();
    const body = { path: '/orders', query: { limit: 2 } };
    expect(await gateway.ask('/read', body)).toEqual({
      status: 200,
      body: {
        status: 'success',
        data: {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: { ok: true },
          body_encoding: 'json',
        },
      },
    });
    expect(gateway.sent.map(({ url, method, redirect }) => [method, url, redirect])).toEqual([
      ['GET', 'https://api.test/v1/orders?limit=2', 'manual'],
    ]);
    expect(gateway.sent[0]?.headers.get('Authorization')).toBe('Bearer s3cr3t');
  });

  test('that is steady makes no trip to D1 and opens no secret', async () => {
    const gateway = await start();
    await gateway.ask('/read', {});
    await gateway.settle();
    const before = gateway.trips.count();
    gateway.trips.hold();
    const decrypt = vi.spyOn(crypto.subtle, 'decrypt');
    expect((await gateway.ask('/read', {})).status).toBe(200);
    expect([gateway.trips.count() - before, decrypt.mock.calls.length]).toEqual([0, 0]);
    expect(gateway.sent).toHaveLength(2);
    gateway.trips.letGo();
    await gateway.settle();
  });

  test('says how long authorization and backend took: there is no node', async () => {
    const gateway = await start();
    const response = await gateway.post('/read', {});
    expect(response.headers.get('Server-Timing')).toBe('authorize;dur=0, backend;dur=0');
    gateway.network.answer = unreachable;
    const failed = await gateway.post('/read', { retry: false });
    expect(failed.headers.get('Server-Timing')).toBe('authorize;dur=0, backend;dur=0');
  });

  test('is counted as it ended', async () => {
    const gateway = await start();
    await gateway.ask('/read', {});
    await gateway.ask('/write', { method: 'POST' });
    gateway.network.answer = unreachable;
    await gateway.ask('/read', { retry: false });
    await gateway.settle();
    const [row] = await drizzle(env.DB)
      .select()
      .from(endpointUsage)
      .where(eq(endpointUsage.endpointUuid, gateway.endpointUuid));
    expect(row).toMatchObject({
      reads: 2,
      writes: 1,
      errors: 1,
      connectionStatus: 'unavailable',
    });
  });

  test('sees a changed configuration at once', async () => {
    const gateway = await start();
    await gateway.ask('/read', {});
    const config = { write_conn: { ...CONNECTION, headers: { Authorization: 'Bearer other' } } };
    expect(await gateway.call('PATCH', '/endpoints/orders', { config })).toMatchObject({
      status: 200,
    });
    await gateway.ask('/read', {});
    expect(gateway.sent.map(({ headers }) => headers.get('Authorization'))).toEqual([
      'Bearer s3cr3t',
      'Bearer other', // Connecting before it is stored.
      'Bearer other',
    ]);
  });

  test('of an endpoint that no relay ever served tells none that it is gone', async () => {
    const gateway = await start();
    await gateway.ask('/read', {});
    expect(await gateway.call('DELETE', '/endpoints/orders')).toMatchObject({ status: 200 });
    await gateway.settle();
    expect(gateway.relayed).toEqual({ pings: 0, released: 0 });
    expect(await gateway.ask('/read', {})).toMatchObject({ status: 404 });
  });

  test('of an endpoint that was stored before there was a choice goes to the relay', async () => {
    const gateway = await start();
    await drizzle(env.DB)
      .update(endpoints)
      .set({ transports: null })
      .where(eq(endpoints.uuid, gateway.endpointUuid));
    gateway.clock.now += 2_000;
    await gateway.ask('/read', {});
    expect(gateway.sent).toEqual([]);
  });
});

describe('a failure', () => {
  test('of a write that may have arrived leaves its outcome unknown, and is kept under its key', async () => {
    const gateway = await start(lost);
    const write = { method: 'POST', path: '/orders' };
    const key = { 'Idempotency-Key': 'once' };
    expect(await gateway.ask('/write', write, key)).toEqual({ status: 502, body: UNKNOWN });
    expect(await gateway.ask('/write', write, key)).toEqual({ status: 502, body: UNKNOWN });
    expect(gateway.sent).toHaveLength(1);
  });

  test('of which the runtime hides why it failed may have been sent: a write is not tried again', async () => {
    const gateway = await start(unreachable);
    expect(await gateway.ask('/write', { method: 'POST' })).toMatchObject({
      status: 502,
      body: { code: 'OUTCOME_UNKNOWN' },
    });
    expect(gateway.sent).toHaveLength(1);
  });

  test('of a read is told after three times, on /write too', async () => {
    const gateway = await start(lost);
    for (const path of ['/read', '/write']) {
      gateway.sent.length = 0;
      expect(await gateway.ask(path, {})).toEqual({
        status: 502,
        body: failure(
          'CONNECTION_FAILED',
          'Unable to connect to database: the connection to the backend failed',
        ),
      });
      expect(gateway.sent).toHaveLength(3);
    }
  });

  test('is the deadline, which ends the request', async () => {
    const gateway = await start(hanging);
    const late = { timeout_ms: 50 };
    expect(await gateway.ask('/read', late)).toEqual({
      status: 504,
      body: failure('TIMED_OUT', 'The deadline passed before the backend answered'),
    });
    expect(await gateway.ask('/write', { ...late, method: 'POST' })).toEqual({
      status: 502,
      body: LATE,
    });
    expect(gateway.sent.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  test('that nobody foresaw tells nothing about itself', async () => {
    const gateway = await start(() => {
      throw new TypeError('secret of ours');
    });
    const { status, body } = await gateway.ask('/read', { retry: false });
    expect([status, JSON.stringify(body).includes('secret')]).toEqual([502, false]);
  });

  test.each([
    ['/transaction', { operations: [{}] }, {}, 'transactions'],
    ['/sessions', {}, {}, 'sessions'],
    ['/read', {}, { Accept: 'application/x-ndjson' }, 'streams'],
  ])('at %s is that there is no such thing', async (path, body, headers, what) => {
    const gateway = await start();
    expect(await gateway.ask(path, body, headers)).toEqual({
      status: 501,
      body: failure('NOT_SUPPORTED', `Endpoints of this kind do not have ${what}`),
    });
    expect(gateway.sent).toEqual([]);
  });
});

describe('a redirect', () => {
  const to =
    (location: string): Answer =>
    () =>
      new Response(null, { status: 302, headers: { Location: location } });

  test.each([
    'http://api.test/v1',
    'https://127.0.0.1/',
    'https://169.254.169.254/',
    'https://[::ffff:10.0.0.1]/',
    'https://localhost/',
    'https://2130706433/',
    'file:///etc/passwd',
  ])('to %s is refused, and nothing is sent there', async (location) => {
    const gateway = await start(to(location));
    expect(await gateway.ask('/read', {})).toMatchObject({
      status: 400,
      body: { code: 'ADDRESS_REFUSED' },
    });
    expect(gateway.sent).toHaveLength(1);
  });
});
