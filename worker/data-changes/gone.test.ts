/** What is told of data change triggers whose endpoint is deleted. Spec: workflows.md §5, `dataChange`. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../proto/json.ts';
import { workflows } from '../db/workflows.ts';
import { selectEndpoint } from '../endpoints/store.ts';
import { insertEndpoint, startGateway } from '../test/gateway.ts';
import { make, WAITING } from '../workflows/test/definitions.ts';
import { changesChanged } from './tell.ts';

const MESSAGE = 'The endpoint is gone: nothing starts until a new version names one that is there';
const ERROR = { code: 'ENDPOINT_NOT_FOUND', message: MESSAGE };

test('a trigger whose endpoint is deleted fails, which is told; others do not', async () => {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  const { uuid: orgUuid, id: orgId, sealedDataKey } = gateway.organization;
  const db = drizzle(env.DB);
  for (const id of ['orders', 'stock']) await insertEndpoint(gateway, id);
  const watching = (endpoint: string) => ({ type: 'dataChange', endpoint, collection: 'items' });
  const trigger = [{ type: 'api' }, watching('orders'), watching('stock')];
  // Nothing follows a paused one: so no server is asked.
  const id = await make(gateway, { ...WAITING, status: 'paused', trigger });
  await db.update(workflows).set({ status: 'active' }).where(eq(workflows.orgUuid, orgUuid));
  const told = { eventSource: 'causeway', eventPattern: 'trigger.failed' };
  await make(gateway, { name: 'Told', actions: [{ id: 'wait', type: 'wait', ...told }] });
  await gateway.call('POST', '/workflows/told', {});
  const [row] = await selectEndpoint(db, orgUuid, { id: 'orders' });
  await changesChanged(env, { orgUuid, orgId, sealedDataKey, endpoint: row?.uuid ?? '' });

  const reply = await gateway.call('DELETE', '/endpoints/orders?confirm=true');
  expect(reply).toMatchObject({ status: 200 });
  const triggers = [
    { index: 0, type: 'api', state: 'active' },
    { index: 1, type: 'dataChange', state: 'failing', error: ERROR },
    { index: 2, type: 'dataChange', state: 'active' },
  ];
  const listed = await gateway.call('GET', `/workflows/${id}/triggers`);
  expect(listed).toEqual({ status: 200, body: { triggers } });
  const runs = async () => {
    const { body } = await gateway.call('GET', '/workflows/told/executions');
    return (body as { executions: JsonObject[] }).executions;
  };
  await expect.poll(runs).toMatchObject([{ status: 'succeeded' }]);
  const [run] = await runs();
  const shown = await gateway.call('GET', `/workflows/told/executions/${String(run?.run_id)}`);
  const data = { workflow: id, trigger: 1, ...ERROR };
  expect(shown.body).toMatchObject({ output: { event: 'trigger.failed', data } });
});
