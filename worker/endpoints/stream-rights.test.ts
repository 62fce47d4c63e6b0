/** Rows that are under way when their caller's right is withdrawn. */
import { afterEach, expect, test, vi } from 'vitest';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning, text } from '../test/running.ts';

const LOOK_MS = 15_000;

afterEach(() => {
  vi.useRealTimers();
});

/** A stream of one row and then nothing more, of a caller who may read, on timers that the test moves. */
async function streaming(Accept: string) {
  const { promise: left, resolve } = Promise.withResolvers<void>();
  const gateway = await startRunning({
    async *runStream(_, { signal }) {
      yield { chunk: bytes('{"id":1}\n') };
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          resolve();
          reject(signal.reason);
        });
      });
    },
  });
  const user = await gateway.addUser('Read');
  const Authorization = `Bearer ${await gateway.token(user)}`;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const query = { query: 'select 1', timeout_ms: 300_000 };
  const response = await gateway.post('/read', query, { Accept, Authorization });
  const reader = response.body?.getReader();
  const next = async () => {
    const read = await reader?.read();
    return read?.value === undefined ? undefined : text(read.value);
  };
  expect(await next()).toBe('{"id":1}\n');
  async function pass(milliseconds: number) {
    gateway.clock.now += milliseconds;
    await vi.advanceTimersByTimeAsync(milliseconds);
  }
  return { ...gateway, user, next, pass, left, cancel: () => reader?.cancel() };
}

const refused = failure('FORBIDDEN', 'This operation needs Read access on endpoint orders');
const close = (subject: string) => ({ endpoint_id: 'orders', subject, access_level: 'None' });

test('lines end within 15 seconds, and say why', async () => {
  const { call, user, next, pass, left } = await streaming('application/x-ndjson');
  await pass(LOOK_MS);
  const closing = close(user.username);
  expect(await call('POST', '/iam/rbac/endpoints/subjects', closing)).toMatchObject({
    status: 200,
  });
  const last = next();
  await pass(LOOK_MS);
  await left;
  expect(JSON.parse((await last) ?? '')).toEqual({ $error: refused });
  expect(await next()).toBeUndefined();
});

test('CSV is cut off', async () => {
  const { call, user, next, pass, left } = await streaming('text/csv');
  expect(await call('DELETE', `/iam/users/${user.username}`)).toMatchObject({ status: 200 });
  const cut = expect(next()).rejects.toThrow();
  await pass(LOOK_MS);
  await left;
  await cut;
});
