/** Changing endpoints. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { failure, NOW, startGateway } from '../test/gateway.ts';
import { meetingOf, pingingRelay } from '../test/pinging-relay.ts';

const WRITE = { url: 'postgresql://ann:s3cret@db.test/shop' };
const READ = { url: 'postgresql://ann:s3cret@r.test/shop' };
const LIMITS = { total_max_connections: 8, production_max_connections: 6 };

async function start() {
  const relay = pingingRelay();
  const gateway = await startGateway('Admin', { relay: relay.methods });
  const created = await gateway.call('POST', '/endpoints', {
    endpoint: 'orders',
    kind: 'postgres',
    config: { write_conn: WRITE, read_conn: READ },
    description: 'Orders',
    backend_profile: 'production',
    backend_pool_limits: LIMITS,
  });
  const { uuid } = (created.body as { data: { uuid: string } }).data;
  await gateway.settle();
  relay.reached.length = 0;
  relay.released.length = 0;
  gateway.clock.now += 5_000;
  const show = async () => {
    const { body } = await gateway.call('GET', '/endpoints/orders');
    return (body as { data: { [member: string]: Json } }).data;
  };
  const patch = (body: Json) => gateway.call('PATCH', '/endpoints/orders', body);
  return { relay, gateway, uuid, show, patch };
}

describe('PATCH /endpoints/{endpoint}', () => {
  test('answers the record with the time of the change', async () => {
    const { patch, uuid } = await start();
    expect(await patch({ description: `It's "new"` })).toEqual({
      status: 200,
      body: {
        status: 'success',
        data: {
          id: 'orders',
          uuid,
          kind: 'Postgres',
          updated_at: new Date(NOW + 5_000).toISOString(),
          backend_profile: 'production',
        },
      },
    });
  });

  const before = {
    description: 'Orders',
    backend_profile: 'production' as string | undefined,
    backend_pool_limits: LIMITS as Json,
    config: {
      write_conn: { url: 'postgresql://***@db.test/shop' },
      read_conn: { url: 'postgresql://***@r.test/shop' },
    } as Json,
  };
  const moved = { host: 'new.test', port: 1 };

  test.each<[what: string, patch: Json, after: Partial<typeof before>]>([
    ['a description', { description: `a'b"c` }, { description: `a'b"c` }],
    ['no description', { description: null }, { description: '' }],
    ['a profile', { backend_profile: 'development' }, { backend_profile: 'development' }],
    ['no profile', { backend_profile: null }, { backend_profile: undefined }],
    [
      'one cap',
      { backend_pool_limits: { total_max_connections: 7 } },
      { backend_pool_limits: { total_max_connections: 7, production_max_connections: 6 } },
    ],
    [
      'one cap less',
      { backend_pool_limits: { total_max_connections: null } },
      { backend_pool_limits: { production_max_connections: 6 } },
    ],
    ['no caps', { backend_pool_limits: null }, { backend_pool_limits: {} }],
    [
      'no read connection',
      { config: { read_conn: null } },
      { config: { write_conn: { url: 'postgresql://***@db.test/shop' } } },
    ],
    [
      'another connection',
      { config: { write_conn: moved }, kind: 'PG' },
      { config: { write_conn: moved, read_conn: { url: 'postgresql://***@r.test/shop' } } },
    ],
    ['nothing', {}, {}],
  ])('changes to %s, and nothing else', async (_what, body, after) => {
    const { patch, show } = await start();
    expect((await patch(body)).status).toBe(200);
    const { description, backend_profile, backend_pool_limits, config } = await show();
    expect({ description, backend_profile, backend_pool_limits, config }).toEqual({
      ...before,
      ...after,
    });
  });

  test('connects with the merged configuration, then closes what served before', async () => {
    const { patch, relay, gateway, uuid } = await start();
    await patch({ config: { write_conn: moved } });
    expect(new Map(relay.reached.map(({ pool, envelope }) => [pool, envelope]))).toEqual(
      new Map([
        ['write:production', { connection: moved, use: 'writes', settings: {} }],
        ['read:production', { connection: READ, use: 'reads', settings: {} }],
      ]),
    );
    await gateway.settle();
    expect(relay.released).toContainEqual({ endpoint: uuid, keepRevision: 2 });
  });

  test('does not connect when the configuration is not touched', async () => {
    const { patch, relay } = await start();
    await patch({ description: 'x', backend_profile: 'development' });
    expect(relay.reached).toEqual([]);
  });

  test('goes on serving by the old configuration when the new one does not connect', async () => {
    const { patch, relay, gateway, show, uuid } = await start();
    const old = await show();
    relay.state.unreachable = 'nowhere.test';
    const config = { write_conn: { url: 'postgresql://nowhere.test/d' } };
    const message = 'Unable to connect to database: connection refused';
    expect(await patch({ config, description: 'lost' })).toEqual({
      status: 502,
      body: failure('CONNECTION_FAILED', message, [{ path: 'config.write_conn', message }]),
    });
    await gateway.settle();
    expect([await show(), relay.released.filter(({ endpoint }) => endpoint === uuid)]).toEqual([
      old,
      [],
    ]);
    relay.reached.length = 0;
    expect((await gateway.call('POST', '/endpoints/orders/test')).status).toBe(200);
    expect(relay.reached[0]?.envelope.connection).toEqual(WRITE);
  });

  test('lets one of two changes at once through, and tells the other', async () => {
    const { patch, relay, show } = await start();
    relay.state.meanwhile = meetingOf(4);
    const change = (host: string) => patch({ description: host, config: { write_conn: { host } } });
    const replies = await Promise.all([change('one.test'), change('two.test')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(replies.find(({ status }) => status === 409)?.body).toEqual(
      failure('EDIT_CONFLICT', 'Endpoint orders was changed in the meantime'),
    );
    const { description, config } = await show();
    expect(config).toMatchObject({ write_conn: { host: description } });
  });

  test('takes changes one after another', async () => {
    const { patch, show } = await start();
    for (const description of ['1', '2', '3']) {
      expect((await patch({ description })).status).toBe(200);
    }
    expect(await show()).toMatchObject({ description: '3' });
  });

  test('merges with what another isolate has just stored', async () => {
    const { patch, show, gateway } = await start();
    await show();
    await env.DB.prepare(
      "UPDATE endpoints SET description = 'theirs', revision = revision + 1 WHERE org_uuid = ?",
    )
      .bind(gateway.organization.uuid)
      .run();
    expect((await patch({ backend_profile: 'development' })).status).toBe(200);
    expect(await show()).toMatchObject({ description: 'theirs', backend_profile: 'development' });
  });

  test.each<[why: string, body: Json, code: string, path: string]>([
    ['an unknown member', { description: 'x', uuid: 'y' }, 'BAD_REQUEST', 'body'],
    ['another id', { endpoint: 'other' }, 'BAD_REQUEST', 'body'],
    ['another kind', { kind: 'redis' }, 'BAD_REQUEST', 'kind'],
    ['a configuration that is none', { config: 'x' }, 'BAD_REQUEST', 'config'],
    ['an unknown member of it', { config: { colour: 1 } }, 'BAD_REQUEST', 'config'],
    [
      'a redacted URL',
      { config: { read_conn: { url: 'postgresql://***@r.test' } } },
      'BAD_REQUEST',
      'config.read_conn.url',
    ],
    [
      'no write connection',
      { config: { write_conn: null } },
      'INVALID_CONFIGURATION',
      'config.write_conn',
    ],
    [
      'a total below a part',
      { backend_pool_limits: { total_max_connections: 5 } },
      'BAD_REQUEST',
      'backend_pool_limits.production_max_connections',
    ],
  ])('refuses %s and changes nothing', async (_why, body, code, path) => {
    const { patch, show, relay } = await start();
    const old = await show();
    const reply = await patch(body);
    expect(reply).toMatchObject({ status: 400, body: { code, details: [{ path }] } });
    expect([await show(), relay.reached]).toEqual([old, []]);
  });
});

describe('DELETE /endpoints/{endpoint}', () => {
  test('removes the endpoint, closes its connections, and frees its id', async () => {
    const { gateway, relay, uuid } = await start();
    expect(await gateway.call('DELETE', '/endpoints/orders')).toEqual({
      status: 200,
      body: { status: 'success', data: { message: 'Endpoint orders deleted' } },
    });
    await gateway.settle();
    expect(relay.released).toEqual([{ endpoint: uuid, keepRevision: 0 }]);
    for (const method of ['GET', 'DELETE']) {
      expect(await gateway.call(method, '/endpoints/orders')).toEqual({
        status: 404,
        body: failure('ENDPOINT_NOT_FOUND', 'Endpoint orders does not exist'),
      });
    }
    const again = { endpoint: 'orders', kind: 'pg', config: { write_conn: WRITE } };
    expect((await gateway.call('POST', '/endpoints', again)).status).toBe(200);
  });
});
