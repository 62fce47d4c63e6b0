/** Results of a transaction have one bound together, also while they come. */
import { expect, test } from 'vitest';
import { Results } from './results.ts';

const tooLarge = expect.objectContaining({
  code: 'RESULT_TOO_LARGE',
  details: [{ operation: 3 }],
});

test('those of several calls count together', async () => {
  const results = new Results({ address: '' }, 100);
  results.put(0, await results.gather(0, new Uint8Array(60)));
  await expect(results.gather(3, new Uint8Array(60))).rejects.toEqual(tooLarge);
});

test('what comes without an end is no longer taken', async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(10));
    },
  });
  await expect(new Results({ address: '' }, 100).gather(3, endless)).rejects.toEqual(tooLarge);
  expect(sent).toBeLessThan(20);
});

test('are told in the order of their places', () => {
  const results = new Results({ address: '' }, 100);
  results.put(2, '"c"');
  results.put(0, '1.50');
  expect(results.all()).toBe('[1.50,"c"]');
});
