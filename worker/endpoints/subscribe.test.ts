import { env } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WatchRequest, WatchResponse } from '../../proto/gen/relay/v1/relay_pb.ts';
import { type Kind, kindSpec } from '../../proto/kinds/index.ts';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning, text, textOf, told } from '../test/running.ts';
import { countTrips } from '../test/trips.ts';

const WATCH = { type: 'query', query: 'select 1' };
const EVENTS = { Accept: 'text/event-stream' };
const KIND: Kind = 'postgres';
const HEARTBEAT_MS = 15_000;

// No type of this kind answers events: here one of them does.
beforeEach(() => {
  Object.assign(kindSpec(KIND), { watches: ['query'] });
});
afterEach(() => {
  vi.useRealTimers();
  Object.assign(kindSpec(KIND), { watches: undefined });
});

const event = (data: unknown, id = '') => ({ id, event: bytes(JSON.stringify(data)) });
const accepted = { id: '', event: new Uint8Array() };

/** A relay that tells these and then nothing more; `left` is once it was told to stop. */
function telling(...events: readonly Pick<WatchResponse, 'id' | 'event'>[]) {
  const asked: WatchRequest[] = [];
  const { promise: left, resolve } = Promise.withResolvers<void>();
  return {
    asked,
    left,
    async *watch(request: WatchRequest, { signal }: { signal: AbortSignal }) {
      asked.push(request);
      signal.addEventListener('abort', () => resolve());
      yield accepted;
      yield* events;
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
}

/** What is read of a response, one event or comment at a time. */
function reading(response: Response) {
  const reader = response.body?.getReader();
  return {
    async next(): Promise<string | undefined> {
      const read = await reader?.read();
      return read?.value === undefined ? undefined : text(read.value);
    },
    cancel: () => reader?.cancel(),
  };
}

const errorEvent = (read: string | undefined): unknown => {
  const [first, data = '', ...rest] = (read ?? '').split('\n');
  expect([first, rest]).toEqual(['event: error', ['', '']]);
  return JSON.parse(data.slice('data: '.length));
};

describe('a subscription', () => {
  test('answers events as they come, after a comment that says that it stands', async () => {
    const relay = telling(event({ n: 1 }, 'a1'), event([2]));
    const gateway = await startRunning(relay);
    const response = await gateway.post('/read', { ...WATCH, timeout_ms: 700 }, EVENTS);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([
      200,
      'text/event-stream',
    ]);
    const events = reading(response);
    expect([await events.next(), await events.next(), await events.next()]).toEqual([
      ':\n\n',
      'id: a1\ndata: {"n":1}\n\n',
      'data: [2]\n\n',
    ]);
    await events.cancel();
    const [asked] = relay.asked;
    expect([asked?.resumeAfter, asked?.target?.mode]).toEqual(['', 'read']);
    expect(JSON.parse(text(asked?.request ?? bytes('')))).toEqual({ ...WATCH, timeout_ms: 700 });
  });

  test('goes on after the event that Last-Event-ID names', async () => {
    const relay = telling();
    const gateway = await startRunning(relay);
    const headers = { ...EVENTS, 'Last-Event-ID': 'a1' };
    await reading(await gateway.post('/read', WATCH, headers)).cancel();
    expect(relay.asked.map(({ resumeAfter }) => resumeAfter)).toEqual(['a1']);
  });

  test('tells where it began, and where it is while there is nothing to tell', async () => {
    const gateway = await startRunning({
      async *watch() {
        yield { id: 'a0', event: new Uint8Array() };
        yield { id: 'a1', event: new Uint8Array() };
        yield event(1, 'a2');
      },
    });
    expect(await textOf(await gateway.post('/read', WATCH, EVENTS))).toBe(
      ':\n\nid: a0\n\nid: a1\n\nid: a2\ndata: 1\n\n',
    );
  });

  test('ends when the backend ends it', async () => {
    const gateway = await startRunning({
      async *watch() {
        yield accepted;
        yield event(1);
      },
    });
    expect(await textOf(await gateway.post('/read', WATCH, EVENTS))).toBe(':\n\ndata: 1\n\n');
  });

  test("ends the backend's work when the client leaves", async () => {
    const relay = telling();
    const gateway = await startRunning(relay);
    const events = reading(await gateway.post('/read', WATCH, EVENTS));
    await events.next();
    await events.cancel();
    await relay.left;
  });

  test('tells the relay no deadline, and outlives its own', async () => {
    let deadline: string | null = 'none was seen';
    const { promise: later, resolve: go } = Promise.withResolvers<void>();
    const gateway = await startRunning({
      async *watch(_, { requestHeader }) {
        deadline = requestHeader.get('Connect-Timeout-Ms');
        yield accepted;
        await later;
        yield event('late');
      },
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const response = await gateway.post('/read', { ...WATCH, timeout_ms: 50 }, EVENTS);
    await vi.advanceTimersByTimeAsync(10_000);
    go();
    expect([await textOf(response), deadline]).toEqual([':\n\ndata: "late"\n\n', null]);
  });

  test('is cut at its deadline while it has not begun', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const gateway = await startRunning({
      async *watch(_, { signal }) {
        begin();
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
    });
    const work = gateway.ask('/read', { ...WATCH, timeout_ms: 500 }, EVENTS);
    await begun;
    await vi.advanceTimersByTimeAsync(510);
    expect(await work).toEqual({
      status: 504,
      body: failure('TIMED_OUT', 'The deadline passed before the backend answered'),
    });
  });

  test('tells of a failure after its start as its last event', async () => {
    const gateway = await startRunning({
      async *watch() {
        yield accepted;
        yield event(1);
        throw told(Code.Aborted, 'REQUEST_FAILED', 'The stream was lost');
      },
    });
    const events = reading(await gateway.post('/read', WATCH, { ...EVENTS, 'X-Request-Id': 'w' }));
    expect([await events.next(), await events.next()]).toEqual([':\n\n', 'data: 1\n\n']);
    expect(errorEvent(await events.next())).toEqual({
      ...failure('REQUEST_FAILED', 'The stream was lost'),
      request_id: 'w',
    });
    expect(await events.next()).toBeUndefined();
  });

  test('is a read in the usage, once it ends', async () => {
    const { binding } = countTrips(env.DB);
    const gateway = await startRunning(telling(), { bindings: { DB: binding } });
    const events = reading(await gateway.post('/read', WATCH, EVENTS));
    await events.next();
    await events.cancel();
    await gateway.settle();
    expect(await gateway.call('GET', '/endpoints/orders')).toMatchObject({
      body: { data: { usage: { reads: 1, writes: 0, errors: 0 } } },
    });
  });
});

describe('a subscription that lasts', () => {
  /** One that stands, on timers that the test moves. */
  async function lasting(level: 'Read' | 'SuperAdmin' = 'SuperAdmin') {
    const relay = telling();
    const gateway = await startRunning(relay);
    const user = level === 'Read' ? await gateway.addUser('Read') : gateway.user;
    const bearer = await gateway.token(user);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const events = reading(
      await gateway.post('/read', WATCH, { ...EVENTS, Authorization: `Bearer ${bearer}` }),
    );
    expect(await events.next()).toBe(':\n\n');
    async function pass(milliseconds: number) {
      gateway.clock.now += milliseconds;
      await vi.advanceTimersByTimeAsync(milliseconds);
    }
    return { ...gateway, relay, events, reader: user, pass };
  }

  test('has a comment every 15 seconds', async () => {
    const { events, pass } = await lasting();
    for (let beat = 0; beat < 3; beat += 1) {
      const read = events.next();
      await pass(HEARTBEAT_MS);
      expect(await read).toBe(':\n\n');
    }
    await events.cancel();
  });

  test("ends when the caller's token expires", async () => {
    const { events, pass, relay, settings } = await lasting();
    await pass(settings.JWT_LIFETIME_S * 1000);
    expect(errorEvent(await events.next())).toEqual(failure('TOKEN_EXPIRED', 'Token has expired'));
    expect(await events.next()).toBeUndefined();
    await relay.left;
  });

  test('ends within a heartbeat once the right is withdrawn, also when nobody reads', async () => {
    const { events, pass, relay, call, reader } = await lasting('Read');
    const withdrawn = await call('DELETE', `/iam/users/${reader.username}`);
    expect(withdrawn).toMatchObject({ status: 200 });
    await pass(HEARTBEAT_MS);
    await relay.left;
    expect(errorEvent(await events.next())).toEqual(
      failure('TOKEN_REVOKED', 'Token is no longer valid'),
    );
    expect(await events.next()).toBeUndefined();
  });

  test('ends within a heartbeat once the level is too low', async () => {
    const { events, pass, call, reader } = await lasting('Read');
    const withdrawn = await call('POST', '/iam/rbac/endpoints/subjects', {
      endpoint_id: 'orders',
      subject: reader.username,
      access_level: 'None',
    });
    expect(withdrawn).toMatchObject({ status: 200 });
    await pass(HEARTBEAT_MS);
    expect(errorEvent(await events.next())).toEqual(
      failure('FORBIDDEN', 'This operation needs Read access'),
    );
  });

  test('ends within a heartbeat once the endpoint is changed', async () => {
    const { events, pass, call } = await lasting();
    await call('PATCH', '/endpoints/orders', {
      config: { write_conn: { url: 'postgresql://u:p@db.test:5432/other' } },
    });
    await pass(HEARTBEAT_MS);
    expect(errorEvent(await events.next())).toEqual(
      failure('SERVICE_UNAVAILABLE', 'The endpoint was changed: subscribe again'),
    );
  });
});

describe('a subscription is refused', () => {
  const refused = (path: string, message: string) => ({
    status: 400,
    body: failure('BAD_REQUEST', `${path}: ${message}`, [{ path, message }]),
  });

  test('without an Accept that takes events', async () => {
    const relay = telling();
    const gateway = await startRunning(relay);
    const answer = refused('Accept', 'must be text/event-stream: this request answers events');
    expect(await gateway.ask('/read', WATCH)).toEqual(answer);
    expect(await gateway.ask('/read', WATCH, { Accept: 'application/x-ndjson' })).toEqual(answer);
    expect(relay.asked).toEqual([]);
  });

  test('in a session, and on /write', async () => {
    const gateway = await startRunning(telling());
    const message = 'is not for subscriptions: they have a connection of their own';
    expect(await gateway.ask('/read', WATCH, { ...EVENTS, 'X-Session-Id': 's' })).toEqual(
      refused('X-Session-Id', message),
    );
    expect(await gateway.ask('/write', WATCH, EVENTS)).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', 'This request answers events: send it to /read', [
        { path: 'type', message: 'answers events' },
      ]),
    });
  });

  test('as any other request when the backend does not accept it', async () => {
    const gateway = await startRunning({
      // biome-ignore lint/correctness/useYield: it fails before anything is sent.
      async *watch() {
        throw told(Code.InvalidArgument, 'REQUEST_FAILED', 'The backend refused it');
      },
    });
    expect(await gateway.ask('/read', WATCH, EVENTS)).toEqual({
      status: 400,
      body: failure('REQUEST_FAILED', 'The backend refused it'),
    });
  });
});
