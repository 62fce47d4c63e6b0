/** Rights of callers who continue runs, also where a reply was kept for their key. Contract §4, §9. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { insertEndpoint, startGateway } from '../../test/gateway.ts';
import { make } from '../test/definitions.ts';

/** A run that failed, and its caller, who may write everything. */
async function startFailed() {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  await insertEndpoint(gateway, 'orders');
  const load = { id: 'load', type: 'endpoint', endpoint: 'orders', operation: 'read' };
  // No node serves the endpoint.
  const actions = [{ ...load, input: { query: 'select 1' } }];
  const errorHandler = { deadLetterQueue: { enabled: true } };
  await make(gateway, { id: 'sync', name: 'Sync', actions, errorHandler });
  const user = await gateway.addUser('Write');
  const token = await gateway.token(user);
  const post = (path: string, body: JsonObject, key: string = crypto.randomUUID()) =>
    gateway.send(path, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify(body),
    });
  const started = await post('/workflows/sync?synchronous=true', {});
  const { run_id: run } = (await started.json()) as { run_id: string };
  const lower = async () => {
    const rule = { access_level: 'None', subject: user.username, endpoint_id: 'orders' };
    expect((await gateway.call('POST', '/iam/rbac/endpoints/subjects', rule)).status).toBe(200);
  };
  return { run, post, lower };
}

test.each([
  ['retry', {}],
  ['fork', { from: 'load' }],
] as const)('a %s that is repeated after a right was lost is refused', async (way, body) => {
  const { run, post, lower } = await startFailed();
  const path = `/workflows/sync/executions/${run}/${way}`;
  expect((await post(path, body, 'k')).status).toBe(202);
  expect((await post(path, body, 'k')).status).toBe(202);
  await lower();
  expect((await post(path, body, 'k')).status).toBe(403);
});
