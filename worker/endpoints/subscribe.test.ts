/** Subscriptions: what is told of what the backend reports, and who is refused one. */
import { env } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import { describe, expect, test, vi } from 'vitest';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning, text, textOf, told } from '../test/running.ts';
import { countTrips } from '../test/trips.ts';
import {
  accepted,
  answerEvents,
  EVENTS,
  errorEvent,
  event,
  reading,
  telling,
  WATCH,
} from '../test/watching.ts';

answerEvents();

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

describe('a subscription is refused', () => {
  const refused = (path: string, message: string) => ({
    status: 400,
    body: failure('BAD_REQUEST', `${path}: ${message}`, [{ path, message }]),
  });

  test('without an Accept that takes events', async () => {
    const relay = telling();
    const gateway = await startRunning(relay);
    const message = 'must be text/event-stream: this request answers events';
    const answer = {
      status: 406,
      body: failure('NOT_ACCEPTABLE', `Accept: ${message}`, [{ path: 'Accept', message }]),
    };
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
    const any = { Accept: 'text/event-stream, */*;q=0.1' };
    expect(await gateway.ask('/write', WATCH, any)).toEqual({
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
