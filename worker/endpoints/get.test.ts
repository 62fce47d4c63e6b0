/** Getting one endpoint, and lists of them. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { endpointUsage, rules } from '../db/schema.ts';
import type { Level } from '../levels.ts';
import { failure, insertEndpoint, NOW, startGateway, type TestGateway } from '../test/gateway.ts';
import { pingingRelay } from '../test/pinging-relay.ts';
import { EndpointDetail, EndpointPage } from './schema.ts';

/** The success reply that `data` is in. */
const success = (data: unknown) => ({ status: 200, body: { status: 'success', data } });

async function uuidOf(gateway: TestGateway, id: string): Promise<string> {
  const { body } = await gateway.call('GET', `/endpoints/${id}`);
  return (body as { data: { uuid: string } }).data.uuid;
}

async function insertRule(gateway: TestGateway, id: string, level: Level, subject: string) {
  const orgUuid = gateway.organization.uuid;
  const row = await env.DB.prepare('SELECT uuid FROM endpoints WHERE org_uuid = ? AND id = ?')
    .bind(orgUuid, id)
    .first<{ uuid: string }>();
  await drizzle(env.DB)
    .insert(rules)
    .values({
      orgUuid,
      resourceKind: 'endpoint',
      resourceUuid: row?.uuid ?? '',
      subject,
      level,
      createdAt: NOW,
      createdBy: 'test',
    });
}

describe('GET /endpoints/{endpoint}', () => {
  const CONFIG = {
    write_conn: { url: `postgresql://ann:p"w'd@db.test/shop?sslmode=require` },
    read_conn: { host: 'r.test', port: 5433, auth: 'ann:other' },
    allow_functions: ['slugify'],
  };

  test('answers all that may be shown, by id and by UUID', async () => {
    const relay = pingingRelay();
    const gateway = await startGateway('Admin', { relay: relay.methods });
    await gateway.call('POST', '/endpoints', {
      endpoint: 'orders',
      kind: 'postgres',
      config: CONFIG,
      description: `Bobby "); DROP TABLE 'endpoints'`,
      backend_pool_limits: { total_max_connections: 9, production_max_connections: 4 },
    });
    const reply = await gateway.call('GET', '/endpoints/orders');
    const data = {
      id: 'orders',
      uuid: expect.any(String),
      kind: 'Postgres',
      created_at: new Date(NOW).toISOString(),
      updated_at: new Date(NOW).toISOString(),
      description: `Bobby "); DROP TABLE 'endpoints'`,
      config: {
        write_conn: { url: 'postgresql://***@db.test/shop?sslmode=require' },
        read_conn: { host: 'r.test', port: 5433, auth: '***' },
        allow_functions: ['slugify'],
      },
      backend_pool_limits: { total_max_connections: 9, production_max_connections: 4 },
      connection_status: 'available',
      last_connected_at: new Date(NOW).toISOString(),
      usage: { reads: 0, writes: 0, errors: 0 },
    };
    expect(reply).toEqual(success(data));
    expect(() => EndpointDetail.parse((reply.body as { data: Json }).data)).not.toThrow();
    const uuid = await uuidOf(gateway, 'orders');
    expect(await gateway.call('GET', `/endpoints/${uuid.toUpperCase()}`)).toEqual(reply);
  });

  test('says what was counted and seen', async () => {
    const gateway = await startGateway('Read');
    const id = await insertEndpoint(gateway);
    const unseen = { connection_status: 'unknown', last_connected_at: null };
    expect(await gateway.call('GET', `/endpoints/${id}`)).toMatchObject(
      success({ ...unseen, usage: { reads: 0, writes: 0, errors: 0 } }),
    );
    await drizzle(env.DB)
      .insert(endpointUsage)
      .values({
        orgUuid: gateway.organization.uuid,
        endpointUuid: await uuidOf(gateway, id),
        reads: 3,
        writes: 2,
        errors: 1,
        connectionStatus: 'unavailable',
        lastConnectedAt: NOW - 1,
      });
    expect(await gateway.call('GET', `/endpoints/${id}`)).toMatchObject(
      success({
        connection_status: 'unavailable',
        last_connected_at: new Date(NOW - 1).toISOString(),
        usage: { reads: 3, writes: 2, errors: 1 },
      }),
    );
  });

  test.each(["no'such", 'no"such', 'a%25b', '00000000-0000-0000-0000-000000000000'])(
    'does not find %s',
    async (id) => {
      const gateway = await startGateway('Read');
      expect(await gateway.call('GET', `/endpoints/${id}`)).toEqual({
        status: 404,
        body: failure('ENDPOINT_NOT_FOUND', `Endpoint ${decodeURIComponent(id)} does not exist`),
      });
    },
  );
});

describe('GET /endpoints', () => {
  const ids = (body: Json) => {
    const { data } = body as { data: { endpoints: { id: string }[]; next_cursor?: string } };
    return { ids: data.endpoints.map(({ id }) => id), cursor: data.next_cursor };
  };

  test('lists by id, in pages that neither repeat nor skip', async () => {
    const gateway = await startGateway('Read');
    for (const id of ['b', 'a.1', 'C', 'd']) await insertEndpoint(gateway, id);
    const all = await gateway.call('GET', '/endpoints');
    expect(ids(all.body)).toEqual({ ids: ['C', 'a.1', 'b', 'd'], cursor: undefined });
    expect(() => EndpointPage.parse((all.body as { data: Json }).data)).not.toThrow();
    const first = ids((await gateway.call('GET', '/endpoints?limit=3')).body);
    expect(first.ids).toEqual(['C', 'a.1', 'b']);
    const next = `/endpoints?limit=3&cursor=${first.cursor}`;
    expect(ids((await gateway.call('GET', next)).body)).toEqual({ ids: ['d'], cursor: undefined });
    const exact = ids((await gateway.call('GET', '/endpoints?limit=4')).body);
    expect(exact.cursor).toBeUndefined();
  });

  test('answers records, and nothing from another organization', async () => {
    const gateway = await startGateway('Read');
    await insertEndpoint(await startGateway('Read'));
    await insertEndpoint(gateway, 'mine');
    expect(await gateway.call('GET', '/endpoints')).toEqual(
      success({
        endpoints: [
          {
            id: 'mine',
            uuid: await uuidOf(gateway, 'mine'),
            kind: 'Postgres',
            created_at: new Date(NOW).toISOString(),
          },
        ],
      }),
    );
  });

  test.each<[Level | undefined, shown: string[] | 403]>([
    ['SuperAdmin', ['denied', 'given', 'plain']],
    ['Admin', ['given', 'plain']],
    ['Read', ['given', 'plain']],
    [undefined, ['given']],
    ['None', 403],
  ])('shows a caller with %s on the organization %j', async (level, shown) => {
    const gateway = await startGateway(level);
    for (const id of ['plain', 'given', 'denied']) await insertEndpoint(gateway, id);
    await insertRule(gateway, 'given', 'Read', gateway.user.uuid);
    await insertRule(gateway, 'denied', 'None', gateway.user.uuid);
    await insertRule(gateway, 'plain', 'Admin', crypto.randomUUID());
    const reply = await gateway.call('GET', '/endpoints');
    expect(reply.status === 200 ? ids(reply.body).ids : reply.status).toEqual(shown);
  });

  test.each<Level | undefined>([undefined, 'None'])(
    'refuses a caller with %s and no rule that gives Read',
    async (level) => {
      const gateway = await startGateway(level);
      await insertEndpoint(gateway, 'denied');
      await insertRule(gateway, 'denied', 'None', gateway.user.uuid);
      expect(await gateway.call('GET', '/endpoints')).toEqual({
        status: 403,
        body: failure('FORBIDDEN', 'This operation needs Read access on the organization'),
      });
    },
  );

  test.each(['limit=0', 'limit=1001', 'limit=-1', 'limit=1.5', 'limit=', 'cursor=', 'offset=1'])(
    'refuses ?%s',
    async (query) => {
      const gateway = await startGateway('Read');
      expect(await gateway.call('GET', `/endpoints?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST' },
      });
    },
  );

  test("refuses a cursor that is forged, or another organization's", async () => {
    const [gateway, other] = [await startGateway('Read'), await startGateway('Read')];
    for (const id of ['a', 'b']) await insertEndpoint(other, id);
    const { cursor } = ids((await other.call('GET', '/endpoints?limit=1')).body);
    for (const forged of [cursor, 'b', 'v1.AAAA.AAAA']) {
      expect(await gateway.call('GET', `/endpoints?cursor=${forged}`)).toEqual({
        status: 400,
        body: failure('BAD_REQUEST', 'cursor: is not one of this list', [
          { path: 'cursor', message: 'is not one of this list' },
        ]),
      });
    }
  });
});
