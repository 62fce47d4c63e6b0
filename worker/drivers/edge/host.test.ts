/** What an edge driver may send a request to, and how it learns that it failed. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { openContext } from '../../context.ts';
import { Lost } from './driver.ts';
import { demandReachable, edgeHost } from './host.ts';

const CLOSED = { HTTP_ALLOW_PRIVATE: 'false' } as const;
const OPEN = { ...CLOSED, HTTP_ALLOW_PRIVATE: 'true' } as const;
/** The machine has a public address, too. */
const OWN = { ports: ['8787', '443', '80'], addresses: ['127.0.0.1', '9.9.9.9', '2620:fe::9'] };
const isTaken = (url: string, rules: typeof CLOSED | typeof OPEN): boolean => {
  try {
    demandReachable(new URL(url), rules, OWN);
    return true;
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'ADDRESS_REFUSED', details: [{ rule: 'address' }] });
    return false;
  }
};

describe('a URL', () => {
  test.each<[string, boolean, boolean]>([
    ['https://api.example.com/', true, true],
    ['https://8.8.8.8/', true, true],
    ['https://[2606:4700:4700::1111]:8787/', true, true],
    ['http://10.0.0.7:9000/', false, true],
    ['http://localhost:9000/', false, true],
    ['http://a.localhost:9000/', false, true],
    ['http://localhost.example.com:9000/', true, true],
    ['http://169.254.169.254/', false, false],
    ['http://0/', false, false],
    ['http://127.0.0.1:8787/', false, false],
    ['http://localhost:8787/', false, false],
    ['https://127.0.0.1/', false, false],
    // With private addresses allowed, a name may be one of this machine's.
    ['http://here.example.com:8787/', true, false],
    ['https://here.example.com/', true, true],
    ['http://here.example.com/', true, false],
    ['http://9.9.9.9:9000/', true, true],
    ['http://9.9.9.9:8787/', false, false],
    ['http://9.9.9.9/', false, false],
    ['http://[2620:fe::9]:8787/', false, false],
    ['http://[64:ff9b::9.9.9.9]:8787/', false, false],
    ['http://8.8.8.8/', true, true],
  ])('%s may be reached by default: %j, with private addresses allowed: %j', (url, ...expected) => {
    expect([isTaken(url, CLOSED), isTaken(url, OPEN)]).toEqual(expected);
  });
});

/** A host over a network that answers so, and what it was asked. */
function hostOver(answer: (request: Request) => Promise<Response>) {
  const asked: Request[] = [];
  const ctx = openContext({
    signal: new AbortController().signal,
    env,
    outside: {
      now: () => 0,
      fetch(request) {
        asked.push(request);
        return answer(request);
      },
    },
    requestId: 'request-of-the-test',
    address: 'local',
    waitUntil() {},
  });
  return { host: edgeHost(ctx), asked };
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no failure',
    (thrown: unknown) => thrown,
  );

describe('a request', () => {
  test('is never redirected by the runtime, whatever its driver asks for', async () => {
    const { host, asked } = hostOver(async () => new Response());
    await host.fetch(new Request('https://api.test/', { method: 'POST', body: 'x' }));
    expect(asked.map(({ redirect, method }) => [redirect, method])).toEqual([['manual', 'POST']]);
    expect(await asked[0]?.text()).toBe('x');
  });

  test('to what may not be reached is not sent', async () => {
    const { host, asked } = hostOver(async () => new Response());
    const failure = await failureOf(host.fetch(new Request('http://127.0.0.1/')));
    expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED' });
    expect([asked, failure instanceof Lost]).toEqual([[], false]);
  });

  test('whose time is up before is not sent', async () => {
    const { host, asked } = hostOver(async () => new Response());
    const late = AbortSignal.abort(new GatewayError('TIMED_OUT', 'late'));
    const failure = await failureOf(host.fetch(new Request('https://a.test/', { signal: late })));
    expect(failure).toMatchObject({ code: 'TIMED_OUT' });
    expect([asked, failure instanceof Lost]).toEqual([[], false]);
  });

  test.each([
    ['of which the runtime hides why it failed', 'internal error; reference = x'],
    ['whose connection broke', 'Network connection lost.'],
    ['that failed in an unknown way', 'something'],
  ])('%s may have arrived', async (_that, message) => {
    const { host } = hostOver(() => Promise.reject(new Error(message)));
    const failure = await failureOf(host.fetch(new Request('https://a.test/')));
    expect(failure).toMatchObject({ code: 'CONNECTION_FAILED' });
    expect([failure instanceof Lost, String(failure).includes(message)]).toEqual([true, false]);
  });
});
