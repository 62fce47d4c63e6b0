/** The line before password hashes. */
import { exports } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import { basic, givePassword, tryLogin } from '../test/accounts.ts';
import { startGateway } from '../test/gateway.ts';
import { inTurn, MAX_WAITING } from './turns.ts';

const ctx = { afterReply() {} };

test('work is done one at a time, in the order of asking', async () => {
  const order: number[] = [];
  await Promise.all([1, 2, 3, 4].map((each) => inTurn(ctx, () => order.push(each))));
  expect(order).toEqual([1, 2, 3, 4]);
});

test('64 wait; one more is told to come back, until there is room again', async () => {
  const gateway = await startGateway('Read');
  await givePassword(gateway.user);
  const waiting = Array.from({ length: MAX_WAITING }, () => inTurn(ctx, () => 'done'));
  const response = await gateway.send('/auth/login', {
    headers: { Authorization: basic('nobody', 'password'), 'X-Org-Id': 'nowhere' },
  });
  expect([response.status, response.headers.get('Retry-After'), await response.json()]).toEqual([
    503,
    '5',
    expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }),
  ]);
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'done'));
  expect(await tryLogin(gateway)).toMatchObject({ status: 200 });
});

test('between two pieces of work others get their time, though all timers are overdue', async () => {
  const turnsOfOthers: number[] = [];
  let ticks = 0;
  let stop = false;
  const other = (async () => {
    for (; !stop; ticks += 1) await scheduler.wait(1);
  })();
  const hold = () => {
    turnsOfOthers.push(ticks);
    const until = performance.now() + 30;
    while (performance.now() < until);
    ticks = 0;
  };
  await Promise.all([1, 2, 3, 4].map(() => inTurn(ctx, hold)));
  stop = true;
  await other;
  // Without a rest it is one at the most; the least of them would tell of the machine's load.
  expect(Math.max(...turnsOfOthers.slice(1))).toBeGreaterThanOrEqual(3);
});

test('work that fails leaves the line to the next', async () => {
  const failing = inTurn(ctx, () => {
    throw new GatewayError('INTERNAL', 'fails');
  });
  const next = inTurn(ctx, () => 'done');
  await expect(failing).rejects.toThrow('fails');
  expect(await next).toBe('done');
});

test('keeps a turn for a client that goes away, so that the runtime ends it for nobody', async () => {
  const kept: Promise<unknown>[] = [];
  const result = inTurn({ afterReply: (work) => void kept.push(work) }, () => 'done');
  expect(kept).toHaveLength(1);
  await Promise.all(kept);
  expect(await result).toBe('done');
});

test('requests of their own contexts take turns, and others are answered in between', async () => {
  const finished: string[] = [];
  const login = async () => {
    const response = await exports.default.fetch('http://gateway.test/api/v1/auth/login', {
      headers: { Authorization: basic('nobody', 'password'), 'X-Org-Id': 'nowhere' },
    });
    expect([response.status, await response.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'INVALID_CREDENTIALS' }),
    ]);
    finished.push('login');
  };
  const logins = Array.from({ length: 8 }, login);
  const healthy = (async () => {
    await scheduler.wait(30); // By then the first hash has begun.
    await (await exports.default.fetch('http://gateway.test/healthz')).text();
    finished.push('healthz');
  })();
  await Promise.all([...logins, healthy]);
  // Where they took none, it would be the last.
  expect(finished.indexOf('healthz')).toBeLessThan(7);
});
