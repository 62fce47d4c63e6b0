/** Which operations leave an entry, and which leave none: through the API. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { newResetToken } from '../auth/reset-token.ts';
import { defaultNode } from '../nodes/default-node.ts';
import { entriesOf } from '../test/audit.ts';
import { startGateway, type TestGateway } from '../test/gateway.ts';

const relay = { ping: () => ({}), release: () => ({}) };
const ENDPOINT = {
  endpoint: 'orders',
  kind: 'postgres',
  config: { write_conn: { url: 'postgresql://app:pw@db.test:5432/d' } },
};

/** Actions, outcomes and details but the actor's, oldest first. */
async function told({ organization }: Pick<TestGateway, 'organization'>) {
  const entries = await entriesOf(organization.uuid);
  return entries.toReversed().map(({ action, outcome, details }) => {
    const { actor_uuid: _actor, ...others } = details as Record<string, unknown>;
    return [action, outcome, others];
  });
}

test('each change of an endpoint is one entry', async () => {
  const gateway = await startGateway('Admin', { relay });
  const node = await defaultNode(gateway.settings);
  const placement = { pool_role: 'any', connection_status: 'available', priority: 1, weight: 1 };
  const replies = [
    await gateway.call('POST', '/endpoints', ENDPOINT),
    await gateway.call('PATCH', '/endpoints/orders', { description: 'all of them' }),
    await gateway.call('PUT', `/endpoints/orders/nodes/${node.uuid}`, placement),
    await gateway.call('DELETE', '/endpoints/orders'),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await told(gateway)).toEqual([
    ['endpoint.create', 'success', { id: 'orders' }],
    ['endpoint.update', 'success', { id: 'orders', fields: ['description'] }],
    ['endpoint.nodes.set', 'success', { id: 'orders', node: node.uuid }],
    ['endpoint.delete', 'success', { id: 'orders' }],
  ]);
});

test('of changes at once, those that lose leave no entry', async () => {
  const gateway = await startGateway('Admin', { relay });
  const creates = await Promise.all(
    Array.from({ length: 6 }, () => gateway.call('POST', '/endpoints', ENDPOINT)),
  );
  const patches = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      gateway.call('PATCH', '/endpoints/orders', { description: String(at) }),
    ),
  );
  const deletes = await Promise.all(
    Array.from({ length: 6 }, () => gateway.call('DELETE', '/endpoints/orders')),
  );
  const won = (replies: readonly { status: number }[]) =>
    replies.filter(({ status }) => status === 200).length;
  const actions = (await told(gateway)).map(([action]) => action);
  const times = (action: string) => actions.filter((each) => each === action).length;
  expect([won(creates), won(deletes)]).toEqual([1, 1]);
  expect(times('endpoint.create')).toBe(1);
  expect(times('endpoint.update')).toBe(won(patches));
  expect(times('endpoint.delete')).toBe(1);
});

test('what fails before it is stored leaves no entry', async () => {
  const gateway = await startGateway('Admin', { relay });
  expect((await gateway.call('POST', '/endpoints', { ...ENDPOINT, kind: 'nothing' })).status).toBe(
    400,
  );
  expect((await gateway.call('PATCH', '/endpoints/orders', { description: '' })).status).toBe(404);
  expect(await told(gateway)).toEqual([]);
});

describe('POST /new', () => {
  const found = async (gateway: TestGateway, id: string) => {
    const super_admins = [{ username: `${id}@example.com`, password: 'correct horse' }];
    await gateway.call('POST', '/new', { id, super_admins }, '');
    const row = await env.DB.prepare('select uuid from organizations where id = ?')
      .bind(id)
      .first();
    return { organization: { uuid: String(row?.uuid), id, sealedDataKey: '' } };
  };

  test('is the first entry of the organization, and a second try leaves none', async () => {
    const gateway = await startGateway('Admin');
    const id = `new-${crypto.randomUUID().slice(0, 8)}`;
    const made = await found(gateway, id);
    await found(gateway, id);
    expect(await told(made)).toEqual([['organization.create', 'success', { id }]]);
    const [entry] = await entriesOf(made.organization.uuid);
    expect(entry?.actor).toBe(`${id}@example.com`);
  });
});

test('a completed reset is an entry once, however often its token is sent', async () => {
  const gateway = await startGateway('Read');
  const { token, ...stored } = await newResetToken(gateway.clock.now);
  await env.DB.prepare(
    'insert into password_resets (token_digest, account_uuid, expires_at, username) values (?, ?, ?, ?)',
  )
    .bind(stored.tokenDigest, gateway.user.uuid, stored.expiresAt, gateway.user.username)
    .run();
  const body = { username: gateway.user.username, token, new_password: 'correct horse' };
  const replies = await Promise.all(
    Array.from({ length: 2 }, () => gateway.call('POST', '/auth/password/reset', body, '')),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect(await told(gateway)).toEqual([['auth.password.reset', 'success', {}]]);
});
