import { Code } from '@connectrpc/connect';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { answer, codeOf, contextOf, deadline, refusal } from '../test/nodes.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('the end of a call', () => {
  const never = (request: Request) =>
    new Promise<Response>((_, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
    });

  test('tells the relay what is left of the deadline, and waits a little longer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const gateway = contextOf({ a: never });
    const work = codeOf(gateway.run(false, 500));
    await vi.advanceTimersByTimeAsync(3_400);
    expect(await Promise.race([work, Promise.resolve('waiting')])).toBe('waiting');
    await vi.advanceTimersByTimeAsync(200);
    expect(await work).toBe('TIMED_OUT');
  });

  test('leaves the outcome of a write unknown', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let calls = 0;
    const gateway = contextOf({
      a: (request: Request) => {
        calls += 1;
        return calls === 1 ? Promise.resolve(new Response()) : never(request);
      },
    });
    const work = codeOf(gateway.run(true, 500));
    await vi.advanceTimersByTimeAsync(3_600);
    expect(await work).toBe('OUTCOME_UNKNOWN');
  });

  test('comes when the client goes away, and the relay hears of it', async () => {
    const client = new AbortController();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const gateway = contextOf(
      {
        a: {
          run(_, { signal }) {
            start();
            return new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                leave();
                reject(signal.reason);
              });
            });
          },
        },
      },
      client.signal,
    );
    const work = codeOf(gateway.run(false, 60_000));
    await started;
    client.abort();
    await left;
    expect(await work).toBe('TIMED_OUT');
  });

  test('is the same for all nodes together', async () => {
    const timeouts: string[] = [];
    const gateway = contextOf({
      a: {
        run(_, context) {
          timeouts.push(deadline(context));
          gateway.clock.now += 400;
          throw refusal(Code.Unavailable, 'NODE_UNAVAILABLE');
        },
      },
      b: {
        run(_, context) {
          timeouts.push(deadline(context));
          gateway.clock.now += 700;
          throw refusal(Code.Unavailable, 'NODE_UNAVAILABLE');
        },
      },
      c: {
        run() {
          timeouts.push('asked');
          return answer('too late');
        },
      },
    });
    expect(await codeOf(gateway.run(false, 1000))).toBe('TIMED_OUT');
    expect(timeouts).toEqual(['1000', '600']);
  });
});
