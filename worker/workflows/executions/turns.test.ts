/** What reads a run and its values takes turns: docs/heavy-work.md. */
import { expect, test, vi } from 'vitest';
import { WorkQueue } from '../../../proto/work/queue.ts';
import { startGateway } from '../../test/gateway.ts';

test('whoever reads a run, a value of it, or two runs beside each other has a place in the line', async () => {
  const gateway = await startGateway('Write');
  gateway.clock.now = Date.now();
  const template = {
    id: 'echo',
    name: 'Echo',
    transformationRules: [{ target: 'of', source: 'n' }],
  };
  expect(await gateway.call('POST', '/templates', template)).toMatchObject({ status: 200 });
  const action = { id: 'a', type: 'template', template: 'echo', input: { n: '$.input.n' } };
  const workflow = { id: 'ship', name: 'Ship', actions: [action] };
  expect(await gateway.call('POST', '/workflows', workflow)).toMatchObject({ status: 200 });
  // A value of its own, which the record only refers to.
  const n = 'x'.repeat(100_000);
  const reply = await gateway.call('POST', '/workflows/ship?synchronous=true', { n });
  const { run_id: run } = reply.body as { run_id: string };
  const entered = vi.spyOn(WorkQueue.prototype, 'enter');
  const path = `/workflows/ship/executions/${run}`;
  const placesFor = async (asked: string) => {
    entered.mockClear();
    const { status, body } = await gateway.call('GET', asked);
    expect({ asked, status }).toEqual({ asked, status: 200 });
    return { places: entered.mock.calls.length, body };
  };
  const { places, body } = await placesFor(path);
  expect(places).toBe(1);
  const { input } = body as { input: { href: string } };
  expect((await placesFor(input.href.replace('/api/v1', ''))).places).toBe(2);
  expect((await placesFor(`${path}/diff?with=${run}`)).places).toBeGreaterThanOrEqual(2);
  entered.mockRestore();
});
