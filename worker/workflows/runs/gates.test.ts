/** Runs that wait for others, while the number that may run at a time changes. Spec: workflows.md §1, `maxConcurrency`. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { startGateway, type TestGateway } from '../../test/gateway.ts';
import { make } from '../test/definitions.ts';

const actions = [{ id: 'w', type: 'wait', mode: 'callback' }];

describe('where a start brings a larger number', () => {
  let gateway: TestGateway;
  const start = async (query = '') =>
    String(((await gateway.call('POST', `/workflows/flow${query}`, {})).body as JsonObject).run_id);
  const statuses = (runs: readonly string[]) => Promise.all(runs.map(statusOf));
  const statusOf = async (run: string) => {
    const { body } = await gateway.call('GET', `/workflows/flow/executions/${run}`);
    return (body as JsonObject).status;
  };
  const allow = (maxConcurrency: number, more: JsonObject = {}) =>
    gateway.call('PATCH', '/workflows/flow', { executionSettings: { maxConcurrency }, ...more });
  const cancel = (run = '') => gateway.call('POST', `/workflows/flow/executions/${run}/cancel`);

  beforeEach(async () => {
    gateway = await startGateway('SuperAdmin');
    gateway.clock.now = Date.now();
    await make(gateway, {
      ...{ id: 'flow', name: 'Flow', actions, version: '1.0.0' },
      executionSettings: { maxConcurrency: 1 },
    });
  });

  test('those that wait begin first, as many as it lets in', async () => {
    const runs = [await start(), await start(), await start()];
    await expect.poll(() => statuses(runs)).toEqual(['waiting', 'queued', 'queued']);
    await allow(2);
    runs.push(await start());
    await expect.poll(() => statuses(runs)).toEqual(['waiting', 'waiting', 'queued', 'queued']);
    await cancel(runs[1]);
    await expect.poll(() => statuses(runs)).toEqual(['waiting', 'cancelled', 'waiting', 'queued']);
    await cancel(runs[0]);
    await cancel(runs[2]);
    await expect
      .poll(() => statuses(runs))
      .toEqual(['cancelled', 'cancelled', 'cancelled', 'waiting']);
  });

  test('by a version of its own, too, and the new one with them', async () => {
    const runs = [await start(), await start()];
    await expect.poll(() => statuses(runs)).toEqual(['waiting', 'queued']);
    await allow(3, { version: '1.1.0' });
    runs.push(await start('?version=1.1.0'));
    await expect.poll(() => statuses(runs)).toEqual(['waiting', 'waiting', 'waiting']);
  });
});
