/** An endpoint's revision: its ETag, what is held to it, and what closes connections. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { ask, etagOf, STALE } from '../test/conditional.ts';
import { NOW, startGateway } from '../test/gateway.ts';
import { meetingOf, pingingRelay } from '../test/pinging-relay.ts';

const PATH = '/endpoints/orders';
const URL = 'postgresql://ann:s3cret@db.test/shop';
const CREATE = { endpoint: 'orders', kind: 'postgres', config: { write_conn: { url: URL } } };

async function start() {
  const relay = pingingRelay();
  const gateway = await startGateway('Admin', { relay: relay.methods });
  await gateway.call('POST', '/endpoints', CREATE);
  await gateway.settle();
  relay.released.length = 0;
  relay.reached.length = 0;
  const patch = (body: Json, ifMatch?: string) =>
    ask(gateway, 'PATCH', PATH, { body, ...(ifMatch === undefined ? {} : { ifMatch }) });
  return { relay, gateway, patch };
}

const statuses = (replies: readonly { readonly status: number }[]) =>
  replies.map(({ status }) => status).toSorted();

describe('the ETag of an endpoint', () => {
  test('is the same until it is changed, and then the one that the change answered', async () => {
    const { gateway, patch } = await start();
    const [first, again] = [await etagOf(gateway, PATH), await etagOf(gateway, PATH)];
    const changed = await patch({ description: 'x' });
    expect([first, again, changed.etag, await etagOf(gateway, PATH)]).toEqual([
      `"${NOW}"`,
      `"${NOW}"`,
      `"${NOW + 1}"`,
      `"${NOW + 1}"`,
    ]);
  });

  test('does not tell of what is counted and seen', async () => {
    const { gateway } = await start();
    const before = await etagOf(gateway, PATH);
    await env.DB.prepare(
      "UPDATE endpoint_usage SET reads = 7, connection_status = 'degraded' WHERE org_uuid = ?",
    )
      .bind(gateway.organization.uuid)
      .run();
    expect(await etagOf(gateway, PATH)).toBe(before);
  });

  test('spares a GET the body of what it has already', async () => {
    const { gateway, patch } = await start();
    const etag = await etagOf(gateway, PATH);
    for (const ifNoneMatch of [etag, `W/${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        expect(await ask(gateway, method, PATH, { ifNoneMatch })).toEqual({
          status: 304,
          etag,
          body: undefined,
        });
      }
    }
    await patch({ description: 'x' });
    expect((await ask(gateway, 'GET', PATH, { ifNoneMatch: etag })).status).toBe(200);
  });

  test('that a GET is held to is demanded of it', async () => {
    const { gateway } = await start();
    const ifMatch = await etagOf(gateway, PATH);
    expect((await ask(gateway, 'GET', PATH, { ifMatch })).status).toBe(200);
    expect(await ask(gateway, 'GET', PATH, { ifMatch: '"1"' })).toEqual(STALE);
  });

  test('is never that of an earlier endpoint of its id', async () => {
    const { gateway, patch } = await start();
    const ifMatch = await etagOf(gateway, PATH);
    await gateway.call('DELETE', PATH);
    expect((await patch({ description: 'x' }, ifMatch)).status).toBe(404);
    gateway.clock.now += 1;
    await gateway.call('POST', '/endpoints', CREATE);
    expect(await patch({ description: 'x' }, ifMatch)).toEqual(STALE);
  });
});

describe('a change held to a revision', () => {
  test.each([
    ['the one that is', 200, (etag: string) => etag],
    ['any', 200, () => '*'],
    ['one of several', 200, (etag: string) => `"1", ${etag}`],
    ['another', 412, () => '"1"'],
    ['it by a weak tag', 412, (etag: string) => `W/${etag}`],
    ['what is no tag', 400, () => 'nonsense'],
  ])('that is %s is %i, and done if that is 200', async (_what, status, ifMatch) => {
    const { gateway, patch } = await start();
    const etag = await etagOf(gateway, PATH);
    expect((await patch({ description: 'mine' }, ifMatch(etag))).status).toBe(status);
    const { body } = await gateway.call('GET', PATH);
    expect(body).toMatchObject({ data: { description: status === 200 ? 'mine' : '' } });
  });

  test('is done once of many at the same time', async () => {
    const { gateway, patch } = await start();
    const etag = await etagOf(gateway, PATH);
    const changes = Array.from({ length: 8 }, (_, at) => patch({ description: `${at}` }, etag));
    const replies = await Promise.all(changes);
    expect(statuses(replies)).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
    expect(replies.filter(({ status }) => status === 412)[0]).toEqual(STALE);
    const done = replies.findIndex(({ status }) => status === 200);
    expect((await gateway.call('GET', PATH)).body).toMatchObject({
      data: { description: `${done}` },
    });
  });

  test('is done once of two that both have connected', async () => {
    const { gateway, patch, relay } = await start();
    const etag = await etagOf(gateway, PATH);
    relay.state.meanwhile = meetingOf(2);
    const config = { write_conn: { url: `${URL}?application_name=x` } };
    expect(statuses(await Promise.all([patch({ config }, etag), patch({ config }, etag)]))).toEqual(
      [200, 412],
    );
  });

  test('connects to nothing where it is another', async () => {
    const { patch, relay } = await start();
    const config = { write_conn: { url: 'postgresql://elsewhere.test/d' } };
    expect(await patch({ config }, '"1"')).toEqual(STALE);
    expect(relay.reached).toEqual([]);
  });

  test('is refused first for what else is wrong with it', async () => {
    const { gateway, patch } = await start();
    const reader = await gateway.token(await gateway.addUser('Read'));
    const wrong = { ifMatch: '"1"', body: { colour: 'red' } };
    expect((await ask(gateway, 'PATCH', '/endpoints/nowhere', wrong)).status).toBe(404);
    expect((await ask(gateway, 'PATCH', PATH, { ...wrong, bearer: reader })).status).toBe(403);
    expect((await patch({ colour: 'red' }, '"1"')).status).toBe(400);
    expect((await patch({ config: { colour: 1 } }, '"1"')).status).toBe(400);
  });

  test("is not done by another organization's tag", async () => {
    const [mine, other] = [await start(), await start()];
    await other.patch({ description: 'x' });
    const foreign = await etagOf(other.gateway, PATH);
    expect(await mine.patch({ description: 'y' }, foreign)).toEqual(STALE);
  });
});

describe('a removal held to a revision', () => {
  test('removes nothing where it is another', async () => {
    const { gateway } = await start();
    const subject = (await gateway.addUser('None')).username;
    const superAdmin = await gateway.token(await gateway.addUser('SuperAdmin'));
    const grant = { entity: 'orders', subject, access: 'Read' };
    await gateway.call('POST', '/iam/rbac/endpoints/subjects', grant, superAdmin);
    const rows = () =>
      env.DB.prepare(
        `SELECT (SELECT count(*) FROM rules WHERE org_uuid = ?1 AND resource_kind = 'endpoint') AS rules,
          (SELECT count(*) FROM endpoint_usage WHERE org_uuid = ?1) AS usage,
          (SELECT count(*) FROM audit_entries WHERE org_uuid = ?1 AND action = 'endpoint.delete') AS told`,
      )
        .bind(gateway.organization.uuid)
        .first();
    const before = await rows();
    expect(await ask(gateway, 'DELETE', PATH, { ifMatch: '"1"' })).toEqual(STALE);
    expect([await rows(), before]).toEqual([before, { rules: 1, usage: 1, told: 0 }]);
  });

  test('happens once where it is the one that is', async () => {
    const { gateway } = await start();
    const ifMatch = await etagOf(gateway, PATH);
    const twice = [1, 2].map(() => ask(gateway, 'DELETE', PATH, { ifMatch }));
    expect(statuses(await Promise.all(twice))).toEqual([200, 404]);
  });
});

describe('connections', () => {
  const LIMITS = { total_max_connections: 8 };
  test.each<[what: string, effect: 'closes them' | 'closes none', body: Json]>([
    ['a description', 'closes none', { description: 'x' }],
    ['nothing', 'closes none', {}],
    ['the caps that were', 'closes none', { backend_pool_limits: { total_max_connections: null } }],
    ['the profile that was', 'closes none', { backend_profile: null }],
    ['caps', 'closes them', { backend_pool_limits: LIMITS }],
    ['a profile', 'closes them', { backend_profile: 'production' }],
    ['a configuration', 'closes them', { config: { write_conn: { url: URL } } }],
  ])('a change to %s %s', async (_what, effect, body) => {
    const { gateway, relay, patch } = await start();
    expect((await patch(body)).status).toBe(200);
    await gateway.settle();
    const row = await env.DB.prepare(
      'SELECT uuid, pool_revision AS pools FROM endpoints WHERE org_uuid = ?',
    )
      .bind(gateway.organization.uuid)
      .first<{ uuid: string; pools: number }>();
    const ours = relay.released.filter(({ endpoint }) => endpoint === row?.uuid);
    expect([row?.pools, ours]).toEqual(
      effect === 'closes them' ? [2, [{ endpoint: row?.uuid, keepRevision: 2 }]] : [1, []],
    );
  });
});
