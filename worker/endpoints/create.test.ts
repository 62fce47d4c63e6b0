/** Creating endpoints. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { failure, NOW, startGateway } from '../test/gateway.ts';
import { meetingOf, pingingRelay } from '../test/pinging-relay.ts';

const URL = 'postgresql://ann:s3cret@db.test:5432/shop';
const BODY = { endpoint: 'orders', kind: 'postgres', config: { write_conn: { url: URL } } };

async function start(level: 'Admin' | 'Write' = 'Admin', bindings = {}) {
  const relay = pingingRelay();
  const gateway = await startGateway(level, { relay: relay.methods, bindings });
  const ids = async () => {
    const { results } = await env.DB.prepare('SELECT id FROM endpoints WHERE org_uuid = ?')
      .bind(gateway.organization.uuid)
      .all<{ id: string }>();
    return results.map(({ id }) => id).sort();
  };
  return { relay, gateway, ids, create: (body: Json) => gateway.call('POST', '/endpoints', body) };
}

describe('POST /endpoints', () => {
  test('answers the record of what it stored', async () => {
    const { create, ids } = await start();
    expect(await create(BODY)).toEqual({
      status: 200,
      body: {
        status: 'success',
        data: {
          id: 'orders',
          uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          kind: 'Postgres',
          created_at: new Date(NOW).toISOString(),
        },
      },
    });
    expect(await ids()).toEqual(['orders']);
  });

  test.each(['Postgres', 'POSTGRESQL', 'pg'])('takes the kind as %s', async (kind) => {
    const { create } = await start();
    expect(await create({ ...BODY, kind, backend_profile: 'development' })).toMatchObject({
      status: 200,
      body: { data: { kind: 'Postgres', backend_profile: 'development' } },
    });
  });

  test('reaches every backend that the configuration names, and lets go of it', async () => {
    const { create, relay, gateway } = await start();
    const connections = {
      write_conn: { host: 'w.test', auth: { username: 'u', password: `a"b'c` } },
      read_conn: { url: 'postgresql://r.test/d' },
      development_conn: { url: 'postgresql://d.test/d' },
    };
    const reply = await create({ ...BODY, config: { ...connections, allow_functions: ['f'] } });
    expect(reply.status).toBe(200);
    const settings = { allow_functions: ['f'] };
    expect(new Map(relay.reached.map(({ pool, envelope }) => [pool, envelope]))).toEqual(
      new Map([
        ['write:production', { connection: connections.write_conn, use: 'writes', settings }],
        ['read:production', { connection: connections.read_conn, use: 'reads', settings }],
        [
          'write:development',
          { connection: connections.development_conn, use: 'development', settings },
        ],
      ]),
    );
    await gateway.settle();
    expect(relay.released).toEqual([{ endpoint: expect.any(String), keepRevision: 0 }]);
  });

  test.each(['write_conn', 'read_conn', 'development_conn'])(
    'stores nothing when the backend of %s does not answer',
    async (member) => {
      const { create, relay, ids } = await start();
      relay.state.unreachable = 'nowhere.test';
      const config = { ...BODY.config, [member]: { url: 'postgresql://nowhere.test/d' } };
      const message = 'Unable to connect to database: connection refused';
      expect(await create({ ...BODY, config })).toEqual({
        status: 502,
        body: failure('CONNECTION_FAILED', message, [{ path: `config.${member}`, message }]),
      });
      expect(await ids()).toEqual([]);
    },
  );

  test('refuses an id that is taken, before it connects', async () => {
    const { create, relay } = await start();
    await create(BODY);
    const before = relay.reached.length;
    expect(
      await create({ ...BODY, config: { write_conn: { url: 'postgresql://x.test' } } }),
    ).toEqual({
      status: 409,
      body: failure('ENDPOINT_EXISTS', 'Endpoint orders already exists'),
    });
    expect(relay.reached).toHaveLength(before);
  });

  test('gives one of two at once the id, the other 409', async () => {
    const { create, relay, ids } = await start();
    relay.state.meanwhile = meetingOf(2);
    const replies = await Promise.all([create(BODY), create(BODY)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await ids()).toEqual(['orders']);
  });

  test('refuses a caller who holds Write', async () => {
    const { create, relay, ids } = await start('Write');
    expect(await create(BODY)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Admin access on the organization'),
    });
    expect([relay.reached, await ids()]).toEqual([[], []]);
  });
});

describe('the quota of endpoints', () => {
  const QUOTA = { QUOTAS: JSON.stringify({ endpoints: 2 }) };
  const full = {
    status: 403,
    body: failure('QUOTA_EXCEEDED', 'The organization has as many endpoints as it may have'),
  };

  test("is the installation's", async () => {
    const { create, relay } = await start('Admin', QUOTA);
    for (const endpoint of ['a', 'b']) {
      expect((await create({ ...BODY, endpoint })).status).toBe(200);
    }
    const before = relay.reached.length;
    expect(await create({ ...BODY, endpoint: 'c' })).toEqual(full);
    expect(relay.reached).toHaveLength(before);
  });

  test.each([
    { maxEndpoints: 1, fit: 1 },
    { maxEndpoints: 0, fit: 0 },
    { maxEndpoints: 5, fit: 2 },
  ])('is the lower of 2 and $maxEndpoints', async ({ maxEndpoints, fit }) => {
    const { create, gateway, ids } = await start('Admin', QUOTA);
    await env.DB.prepare('UPDATE organizations SET settings = ? WHERE uuid = ?')
      .bind(JSON.stringify({ maxEndpoints }), gateway.organization.uuid)
      .run();
    for (const endpoint of ['a', 'b', 'c']) await create({ ...BODY, endpoint });
    expect(await ids()).toHaveLength(fit);
  });

  test('holds for many at once', async () => {
    const { create, relay, ids } = await start('Admin', QUOTA);
    relay.state.meanwhile = meetingOf(6);
    const replies = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((endpoint) => create({ ...BODY, endpoint })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(replies.filter(({ status }) => status === 403)).toEqual([full, full, full, full]);
    expect(await ids()).toHaveLength(2);
  });

  test("does not count another organization's endpoints", async () => {
    const one = await start('Admin', QUOTA);
    const other = await start('Admin', QUOTA);
    for (const endpoint of ['a', 'b']) await one.create({ ...BODY, endpoint });
    expect((await other.create(BODY)).status).toBe(200);
  });
});
