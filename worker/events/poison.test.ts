/** Events that cannot start what they should, or cost much: others go on. Spec: workflows.md §5. */
import { expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { startGateway } from '../test/gateway.ts';
import { make } from '../workflows/test/definitions.ts';

const ENDS = { actions: [{ id: 'done', type: 'condition', condition: 'true' }] };
const FOLLOWS = { type: 'event', source: 'shop', event: '*' };

async function start() {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  return {
    store: (id: string, trigger: Json) => make(gateway, { id, name: id, trigger, ...ENDS }),
    async send(...all: number[]): Promise<void> {
      const events = all.map((data) => ({ source: 'shop', event: 'sold', id: `${data}`, data }));
      expect((await gateway.call('POST', '/events', events)).status).toBe(202);
    },
    /** The state of the runs of a workflow. */
    async states(workflow: string): Promise<string[]> {
      const { body } = await gateway.call('GET', `/workflows/${workflow}/executions`);
      const { executions } = body as unknown as { executions: { status: string }[] };
      return executions.map(({ status }) => status).toSorted();
    },
  };
}

test('an input that is too large for a run is a failed run, and the next event starts its own', async () => {
  const { store, send, states } = await start();
  // In what is sent of the run each quote takes four characters; next to one that is not Latin eight bytes.
  const text =
    "$(data == 1 ? '\\u0022'.repeat(9000000) : data == 2 ? '\\u0022'.repeat(4500000) + '€' : 'x')";
  await store('large', { ...FOLLOWS, mapping: { text } });
  await send(1, 2, 3);
  const all = ['failed', 'failed', 'succeeded'];
  await expect.poll(() => states('large'), { timeout: 20_000 }).toEqual(all);
});

test('filters that cost much leave the thread to others', async () => {
  const { store, send } = await start();
  const filter =
    'Array.from({length: 100000}, (_, i) => i).map((i) => i * 2).filter((i) => i < 0).length > 0';
  const trigger = Array.from({ length: 10 }, () => ({ ...FOLLOWS, filter }));
  for (const id of ['one', 'two', 'three']) await store(id, trigger);
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  await send(1, 2, 3, 4, 5);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  clearInterval(timer);
  // Together they take four seconds of the thread and more.
  expect(longest).toBeLessThan(1_500);
});
