/** What large requests cost those who send them, and nobody else. */
import { expect, test } from 'vitest';
import { inTurn } from './heavy-work.ts';

const large = new Uint8Array(200_000);
const statement = { type: 'query', query: 'x'.repeat(150_000) };
const read = () => statement;

/** Milliseconds until it was read. */
async function took(owner: string, bytes: Uint8Array): Promise<number> {
  const started = performance.now();
  expect(await inTurn(owner, bytes, read)).toBe(statement);
  return performance.now() - started;
}

test('a large statement delays the next large one, and no light one', async () => {
  const owner = crypto.randomUUID();
  await took(owner, large);
  // A hundred milliseconds of parsing, and the rest after it.
  const [second, light] = await Promise.all([
    took(owner, large),
    took(crypto.randomUUID(), new Uint8Array(100)),
  ]);
  expect(second).toBeGreaterThan(140);
  expect(light).toBeLessThan(second);
});

test('beyond eight that wait large requests are refused, of that owner alone', async () => {
  const [owner, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const many = Array.from({ length: 12 }, async () =>
    inTurn(owner, large, () => ({ type: 'get' })),
  );
  const [ended, others] = await Promise.all([
    Promise.allSettled(many),
    Promise.allSettled([inTurn(other, large, () => ({ type: 'get' }))]),
  ]);
  const refused = ended.filter(({ status }) => status === 'rejected');
  expect(refused).toEqual(
    refused.map(() => ({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 }),
    })),
  );
  expect(refused.length).toBeGreaterThan(2);
  expect(others).toEqual([{ status: 'fulfilled', value: { type: 'get' } }]);
});

test('what a request fails with is told', async () => {
  const fail = () => {
    throw new Error('broken');
  };
  await expect(inTurn(crypto.randomUUID(), large, fail)).rejects.toThrow('broken');
});
