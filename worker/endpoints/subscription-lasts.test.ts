/** How long a subscription lasts, and what ends it. */
import { describe, expect, test, vi } from 'vitest';
import { failure } from '../test/gateway.ts';
import { startRunning } from '../test/running.ts';
import {
  answerEvents,
  BEAT_MS,
  EVENTS,
  errorEvent,
  LOOK_MS,
  reading,
  telling,
  WATCH,
} from '../test/watching.ts';

answerEvents();

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

  test('has a comment every 5 seconds', async () => {
    const { events, pass } = await lasting();
    for (let beat = 0; beat < 3; beat += 1) {
      const read = events.next();
      await pass(BEAT_MS);
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

  test('ends within 15 seconds once the right is withdrawn, also when nobody reads', async () => {
    const { events, pass, relay, call, reader } = await lasting('Read');
    const withdrawn = await call('DELETE', `/iam/users/${reader.username}`);
    expect(withdrawn).toMatchObject({ status: 200 });
    await pass(LOOK_MS);
    await relay.left;
    expect(errorEvent(await events.next())).toEqual(
      failure('TOKEN_REVOKED', 'Token is no longer valid'),
    );
    expect(await events.next()).toBeUndefined();
  });

  test('ends within 15 seconds once the level is too low', async () => {
    const { events, pass, call, reader } = await lasting('Read');
    const withdrawn = await call('POST', '/iam/rbac/endpoints/subjects', {
      endpoint_id: 'orders',
      subject: reader.username,
      access_level: 'None',
    });
    expect(withdrawn).toMatchObject({ status: 200 });
    await pass(LOOK_MS);
    expect(errorEvent(await events.next())).toEqual(
      failure('FORBIDDEN', 'This operation needs Read access on endpoint orders'),
    );
  });

  test('ends within 15 seconds once the endpoint is gone, which is named by its id', async () => {
    const { events, pass, call } = await lasting();
    expect(await call('DELETE', '/endpoints/orders')).toMatchObject({ status: 200 });
    await pass(LOOK_MS);
    expect(errorEvent(await events.next())).toEqual(
      failure('ENDPOINT_NOT_FOUND', 'Endpoint orders does not exist'),
    );
  });

  test('ends within 15 seconds once the endpoint is changed', async () => {
    const { events, pass, call } = await lasting();
    await call('PATCH', '/endpoints/orders', {
      config: { write_conn: { url: 'postgresql://u:p@db.test:5432/other' } },
    });
    await pass(LOOK_MS);
    expect(errorEvent(await events.next())).toEqual(
      failure('SERVICE_UNAVAILABLE', 'The endpoint was changed: subscribe again'),
    );
  });
});
