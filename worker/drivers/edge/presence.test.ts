/** What is known of a server before a write is sent to it. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { openContext } from '../../context.ts';
import { Lost } from './driver.ts';
import { edgeHost } from './host.ts';

const THERE_MS = 5_000;

/** A host whose network is as the test says, and all that was done to it. */
function hostOver(opened: Promise<unknown>, answer: () => Promise<Response>) {
  const done: string[] = [];
  const clock = { now: 0 };
  const network = {
    connect({ hostname, port }: SocketAddress) {
      done.push(`connect ${hostname} ${port}`);
      return { opened, closed: new Promise(() => {}), close: async () => done.push('close') };
    },
    fetch({ method }: Request) {
      done.push(method);
      return answer();
    },
  };
  const ctx = openContext({
    signal: new AbortController().signal,
    // Only what a host uses of a network.
    env: { ...env, NETWORK: network as unknown as Fetcher },
    outside: { now: () => clock.now, fetch: () => Promise.reject(new Error('not to be asked')) },
    requestId: 'request-of-the-test',
    address: 'local',
    waitUntil() {},
  });
  return { host: edgeHost(ctx), done, clock };
}

const there = Promise.resolve();
const answered = async () => new Response('ok');
const post = (url: string, signal?: AbortSignal) =>
  new Request(url, { method: 'POST', body: 'x', ...(signal ? { signal } : {}) });
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no failure',
    (thrown: unknown) => thrown,
  );

test('a write to a server that is not there is not sent', async () => {
  const refused = Promise.reject(new Error('proxy request failed'));
  refused.catch(() => {});
  const { host, done } = hostOver(refused, answered);
  const failure = await failureOf(host.fetch(post('https://gone.test/')));
  expect(failure).toMatchObject({ code: 'CONNECTION_FAILED' });
  expect([failure instanceof Lost, done]).toEqual([false, ['connect gone.test 443', 'close']]);
});

test('a write to a server that takes no connection in time is not sent', async () => {
  const { host, done } = hostOver(new Promise(() => {}), answered);
  const controller = new AbortController();
  const running = failureOf(host.fetch(post('http://[2606:4700::1]:81/', controller.signal)));
  const reason = new GatewayError('TIMED_OUT', 'late');
  await expect.poll(() => done).toEqual(['connect [2606:4700::1] 81']);
  controller.abort(reason);
  const failure = await running;
  expect(failure).toMatchObject({ code: 'TIMED_OUT' });
  expect([failure instanceof Lost, failure === reason]).toEqual([false, false]);
  expect(done).toEqual(['connect [2606:4700::1] 81', 'close']);
});

test('a write whose time is over already is not sent, and its server not looked at', async () => {
  const { host, done } = hostOver(new Promise(() => {}), answered);
  const signal = AbortSignal.abort(new GatewayError('TIMED_OUT', 'late'));
  const failure = await failureOf(host.fetch(post('http://[2606:4700::1]:82/', signal)));
  expect(failure).toMatchObject({ code: 'TIMED_OUT' });
  expect([failure instanceof Lost, done]).toEqual([false, []]);
});

test('a server that answered lately is not looked at again', async () => {
  const { host, done, clock } = hostOver(there, answered);
  await host.fetch(post('https://seen.test/'));
  clock.now += THERE_MS - 1;
  await host.fetch(post('https://seen.test/'));
  clock.now += THERE_MS;
  await host.fetch(post('https://seen.test/'));
  const looked = ['connect seen.test 443', 'close'];
  expect(done).toEqual([...looked, 'POST', 'POST', ...looked, 'POST']);
});

test('a server that was lost is looked at again', async () => {
  const replies = [answered, () => Promise.reject(new Error('lost')), answered];
  const { host, done } = hostOver(there, () => (replies.shift() ?? answered)());
  await host.fetch(post('https://lost.test/'));
  expect(await failureOf(host.fetch(post('https://lost.test/')))).toBeInstanceOf(Lost);
  await host.fetch(post('https://lost.test/'));
  const looked = ['connect lost.test 443', 'close'];
  expect(done).toEqual([...looked, 'POST', 'POST', ...looked, 'POST']);
});

test.each(['GET', 'HEAD'])('%s goes without a look', async (method) => {
  const { host, done } = hostOver(there, answered);
  await host.fetch(new Request('https://read.test/', { method }));
  expect(done).toEqual([method]);
});
