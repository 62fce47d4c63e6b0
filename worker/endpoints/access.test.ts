/** What operations on endpoints find, and how seldom they ask. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { pingingRelay } from '../test/pinging-relay.ts';
import { countTrips } from '../test/trips.ts';
import { endpointName } from './access.ts';

test.each([
  ['orders', { id: 'orders' }],
  ['9f1c1d5e-0000-4000-8000-00000000000A', { uuid: '9f1c1d5e-0000-4000-8000-00000000000a' }],
  ['9f1c1d5e000040008000000000000000', { id: '9f1c1d5e000040008000000000000000' }],
])('%s names %j', (named, name) => expect(endpointName(named)).toEqual(name));

test('a steady request finds its endpoint, its rules and its nodes without a trip to D1', async () => {
  const trips = countTrips(env.DB);
  const relay = pingingRelay();
  const gateway = await startGateway('Read', {
    relay: relay.methods,
    bindings: { DB: trips.binding },
  });
  const id = await insertEndpoint(gateway);
  const nodes = () => gateway.call('GET', `/endpoints/${id}/nodes`);
  await nodes();
  const before = trips.count();
  expect((await nodes()).status).toBe(200);
  expect(trips.count()).toBe(before);
});

test('a change is in force for the next request', async () => {
  const relay = pingingRelay();
  const gateway = await startGateway('Admin', { relay: relay.methods });
  const missing = {
    status: 404,
    body: failure('ENDPOINT_NOT_FOUND', 'Endpoint orders does not exist'),
  };
  const show = () => gateway.call('GET', '/endpoints/orders');
  expect(await show()).toEqual(missing);
  await gateway.call('POST', '/endpoints', {
    endpoint: 'orders',
    kind: 'postgres',
    config: { write_conn: { host: 'h' } },
  });
  expect((await show()).status).toBe(200);
  await gateway.call('PATCH', '/endpoints/orders', { description: 'new' });
  expect((await show()).body).toMatchObject({ data: { description: 'new' } });
  await gateway.call('DELETE', '/endpoints/orders');
  expect(await show()).toEqual(missing);
});

test('an endpoint is found by its own UUID, never by one that it has for an id', async () => {
  const gateway = await startGateway('Read');
  const id = await insertEndpoint(gateway);
  const shown = await gateway.call('GET', `/endpoints/${id}`);
  const { uuid } = (shown.body as { data: { uuid: string } }).data;
  const impostor = await startGateway('Read');
  await insertEndpoint(impostor, uuid);
  expect(await impostor.call('GET', `/endpoints/${uuid}`)).toEqual({
    status: 404,
    body: failure('ENDPOINT_NOT_FOUND', `Endpoint ${uuid} does not exist`),
  });
});

test('a deleted endpoint leaves no rule, placement or counter behind', async () => {
  const relay = pingingRelay();
  const gateway = await startGateway('Admin', { relay: relay.methods });
  const id = await insertEndpoint(gateway);
  const { body } = await gateway.call('GET', `/endpoints/${id}/nodes`);
  const [node] = (body as { data: { nodes: { gateway_node_uuid: string }[] } }).data.nodes;
  await gateway.call('PUT', `/endpoints/${id}/nodes/${node?.gateway_node_uuid}`, {});
  await gateway.call('POST', `/endpoints/${id}/test`);
  const org = gateway.organization.uuid;
  await env.DB.prepare(
    `INSERT INTO rules SELECT org_uuid, 'endpoint', uuid, 'someone', 'Read', 0, 'test'
     FROM endpoints WHERE org_uuid = ?`,
  )
    .bind(org)
    .run();
  const left = async () => {
    const { results } = await env.DB.prepare(
      `SELECT (SELECT count(*) FROM rules WHERE org_uuid = ?1 AND resource_kind = 'endpoint') AS rules,
              (SELECT count(*) FROM placements WHERE org_uuid = ?1) AS placements,
              (SELECT count(*) FROM endpoint_usage WHERE org_uuid = ?1) AS usage`,
    )
      .bind(org)
      .all();
    return results;
  };
  expect(await left()).toEqual([{ rules: 1, placements: 1, usage: 1 }]);
  await gateway.call('DELETE', `/endpoints/${id}`);
  expect(await left()).toEqual([{ rules: 0, placements: 0, usage: 0 }]);
});
