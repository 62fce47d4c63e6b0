/** What an author needs on an endpoint whose changes a workflow follows. */
import { expect, test } from 'vitest';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { WAITING } from '../workflows/test/definitions.ts';

test('a workflow needs Write on a PostgreSQL endpoint that it follows: a slot is made there', async () => {
  const gateway = await startGateway('SuperAdmin');
  await insertEndpoint(gateway, 'orders');
  const writer = await gateway.addUser('Write');
  const rule = { access_level: 'Read', subject: writer.username, endpoint_id: 'orders' };
  expect((await gateway.call('POST', '/iam/rbac/endpoints/subjects', rule)).status).toBe(200);
  const trigger = { type: 'dataChange', endpoint: 'orders', collection: 'items' };
  const following = { ...WAITING, trigger };
  const bearer = await gateway.token(writer);
  expect(await gateway.call('POST', '/workflows', following, bearer)).toEqual({
    status: 403,
    body: failure('FORBIDDEN', 'This operation needs Write access on endpoint orders'),
  });
});
