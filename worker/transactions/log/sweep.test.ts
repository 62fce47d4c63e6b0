/** Promises of the sweep's log: it warns of an endpoint that it could not ask, and of no other. */
import { afterEach, expect, test, vi } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import type { Finisher } from './finish.ts';
import type { LogStore } from './store.ts';
import { sweep } from './sweep.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ['is warned of', new GatewayError('NODE_UNAVAILABLE', 'No node is available'), 1],
  [
    'of a kind that prepares nothing has nothing to find',
    new GatewayError('NOT_SUPPORTED', 'x'),
    0,
  ],
])('an endpoint that cannot be asked %s', async (_, thrown, lines) => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {});
  const asked = vi.fn(() => {
    throw thrown;
  });
  // The sweep asks these of them before it asks the endpoint.
  const finisher = { context: asked } as unknown as Finisher;
  const store = {
    endpoints: { snapshots: () => [{ endpoint: 'e', snapshot: '{}' }] },
  } as unknown as LogStore;
  await sweep(finisher, store);
  expect(asked).toHaveBeenCalledOnce();
  expect(written).toHaveBeenCalledTimes(lines);
});
