/** Registering, enrolling and hearing nodes. Spec: nodes.md §1. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { nodeUuid } from '../../proto/node-id.ts';
import { at, enrolled, start, TOLD, unsigned } from '../test/enrolled.ts';
import { failure, insertEndpoint, NOW, startGateway } from '../test/gateway.ts';
import { relayKeys, relayProcess } from '../test/relay-keys.ts';

describe('POST /nodes', () => {
  test('answers a secret once, and lists the node as never heard', async () => {
    const { register, list, gateway } = await start();
    const node = await register();
    expect(node).toEqual({
      uuid: expect.any(String),
      name: 'berlin-1',
      enrolment_secret: expect.stringMatching(/^cwn_[\w-]{43}$/),
      expires: at(NOW + 3_600_000),
    });
    const own = await nodeUuid(gateway.settings.RELAY_NODE_PUBLIC_KEY);
    expect(await list()).toEqual([
      { uuid: own, name: 'default', default: true, transport: 'direct', status: 'available' },
      {
        uuid: node.uuid,
        name: 'berlin-1',
        default: false,
        transport: 'tunnel',
        status: 'unknown',
        version: null,
        kinds: [],
        load: { calls: 0, connections: 0 },
        clock_offset_ms: null,
        last_seen: null,
        created_at: at(NOW),
      },
    ]);
  });

  test('takes public keys instead of a secret', async () => {
    const { gateway, register } = await start();
    const keys = await relayKeys();
    const made = await register({ name: 'container', ...keys.told });
    expect(made).toEqual({ uuid: expect.any(String), name: 'container' });
    const relay = relayProcess(gateway, keys);
    const body = { ...keys.told, ...TOLD };
    expect(await relay.post('/nodes/enrol', body)).toMatchObject(
      unsigned('The nonce is none, or too old'),
    );
    expect(await relay.post('/nodes/enrol', body)).toMatchObject({
      status: 200,
      body: { uuid: made.uuid, name: 'container', organization: gateway.organization.uuid },
    });
    expect((await relay.beat(made.uuid)).status).toBe(200);
  });

  test('a key that another organization has registered, too, is of the organization that its relay names', async () => {
    const { gateway, register, list } = await start();
    const stranger = await start();
    const keys = await relayKeys();
    const theirs = await stranger.register({ name: 'taken', ...keys.told });
    const own = await register({ name: 'own', ...keys.told });
    const asks = async (organization?: string) => {
      const relay = relayProcess(gateway, keys);
      const body = { ...keys.told, ...TOLD, ...(organization ? { organization } : {}) };
      await relay.post('/nodes/enrol', body);
      return { relay, reply: await relay.post('/nodes/enrol', body) };
    };
    const undecided = await asks();
    expect(undecided.reply).toMatchObject(
      unsigned(
        'Several organizations have registered that signing key: the relay has to say which one it serves (RELAY_ORGANIZATION)',
      ),
    );
    const none = crypto.randomUUID();
    expect((await asks(none)).reply).toMatchObject(
      unsigned(`Organization ${none} has no node with that signing key`),
    );
    const named = await asks(gateway.organization.uuid.toUpperCase());
    expect(named.reply).toMatchObject({ status: 200, body: { uuid: own.uuid, name: 'own' } });
    expect((await named.relay.beat(own.uuid)).status).toBe(200);
    expect((await list())[1]).toMatchObject({ name: 'own', status: 'available' });
    expect((await stranger.list())[1]).toMatchObject({ uuid: theirs.uuid, status: 'unknown' });
    // Once it was heard there, it does not have to say so again.
    const again = { ...keys.told, ...TOLD };
    expect(await named.relay.post('/nodes/enrol', again)).toMatchObject({
      status: 200,
      body: { uuid: own.uuid },
    });
  });

  test('refuses more than a hundred nodes', async () => {
    const { gateway, register } = await start();
    for (let at = 0; at < 100; at += 1) await register({ name: `node-${at}` });
    expect(await gateway.call('POST', '/nodes', { name: 'one-more' })).toEqual({
      status: 403,
      body: failure('QUOTA_EXCEEDED', 'The organization has 100 nodes: delete one'),
    });
  });

  test.each<[url: string, code: string, local: boolean]>([
    ['http://relay.example.com', 'INVALID_CONFIGURATION', false],
    ['http://relay.example.com', 'INVALID_CONFIGURATION', true],
    ['http://127.0.0.1:8788', 'INVALID_CONFIGURATION', false],
    ['ftp://relay.example.com', 'INVALID_CONFIGURATION', false],
    ['https://user:pass@relay.example.com', 'INVALID_CONFIGURATION', false],
    ['https://relay.example.com/?a=b', 'INVALID_CONFIGURATION', false],
    ['https://127.0.0.1', 'ADDRESS_REFUSED', false],
    ['https://localhost', 'ADDRESS_REFUSED', false],
    ['https://10.1.2.3', 'ADDRESS_REFUSED', false],
    ['https://[fd00::1]', 'ADDRESS_REFUSED', false],
    ['https://169.254.169.254', 'ADDRESS_REFUSED', false],
    ['https://169.254.169.254', 'ADDRESS_REFUSED', true],
    ['http://127.0.0.1:8787', 'ADDRESS_REFUSED', true],
  ])('refuses %s with %s, local %s', async (url, code, local) => {
    const bindings = { LOCAL_SERVER: String(local), OWN_PORTS: '8787' };
    const gateway = await startGateway('Admin', { bindings });
    expect(await gateway.call('POST', '/nodes', { name: 'a', url })).toMatchObject({
      status: 400,
      body: { code },
    });
  });

  test.each(['https://relay.example.com', 'https://198.41.0.4:8788/base/'])(
    'takes %s',
    async (url) => {
      const { gateway, list } = await start();
      expect((await gateway.call('POST', '/nodes', { name: 'a', url })).status).toBe(200);
      expect((await list())[1]).toMatchObject({ transport: 'direct', status: 'unknown' });
    },
  );

  test('takes loopback over http where only this machine reaches the gateway', async () => {
    const bindings = { LOCAL_SERVER: 'true', OWN_PORTS: '8787' };
    const gateway = await startGateway('Admin', { bindings });
    const body = { name: 'a', url: 'http://127.0.0.1:8790' };
    expect((await gateway.call('POST', '/nodes', body)).status).toBe(200);
  });

  test.each<[body: Json, path: string]>([
    [{ name: 'default' }, 'name'],
    [{ name: 'a b' }, 'name'],
    [{}, 'name'],
    [{ name: 'a', url: 'relay' }, 'url'],
    [{ name: 'a', signing_key: 7 }, 'signing_key'],
    [{ name: 'a', kinds: [] }, 'body'],
  ])('refuses %j', async (body, path) => {
    const { gateway } = await start();
    const reply = await gateway.call('POST', '/nodes', body);
    expect(reply).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });

  test('refuses a private key, one key alone, a name and a key twice', async () => {
    const { gateway, register } = await start();
    const keys = await relayKeys();
    const sent = (body: Json) => gateway.call('POST', '/nodes', body);
    const whole = { ...keys.told, signing_key: JSON.stringify(keys.signing) };
    expect((await sent({ name: 'a', ...whole })).body).toMatchObject({
      message: expect.stringContaining('holds a private key'),
    });
    expect((await sent({ name: 'a', signing_key: keys.told.signing_key })).status).toBe(400);
    await register({ name: 'a', ...keys.told });
    expect((await sent({ name: 'a' })).body).toMatchObject({ code: 'NODE_EXISTS' });
    expect((await sent({ name: 'b', ...keys.told })).body).toMatchObject({ code: 'NODE_EXISTS' });
  });
});

describe('drain, resume, enrolment and DELETE', () => {
  test('are not for the default node, nor for those of others', async () => {
    const { gateway } = await start();
    const other = (await enrolled()).node.uuid;
    const own = await nodeUuid(gateway.settings.RELAY_NODE_PUBLIC_KEY);
    const calls = [
      ['POST', '/drain'],
      ['POST', '/resume'],
      ['POST', '/enrolment'],
      ['DELETE', ''],
    ] as const;
    for (const [method, verb] of calls) {
      expect(await gateway.call(method, `/nodes/${own}${verb}`)).toEqual({
        status: 403,
        body: failure(
          'FORBIDDEN',
          "The default node is the installation's, not the organization's",
          [{ rule: 'default node' }],
        ),
      });
      expect(await gateway.call(method, `/nodes/${other}${verb}`)).toEqual({
        status: 404,
        body: failure('NODE_NOT_FOUND', `Node ${other} does not exist`),
      });
    }
  });

  test('drains until it is resumed', async () => {
    const { gateway, node, relay, list } = await enrolled();
    await relay.beat(node.uuid);
    expect(await gateway.call('POST', `/nodes/${node.uuid}/drain`)).toEqual({
      status: 200,
      body: { message: 'Node berlin-1 takes no new calls' },
    });
    await relay.beat(node.uuid);
    expect((await list())[1]).toMatchObject({ status: 'draining' });
    await gateway.call('POST', `/nodes/${node.uuid}/resume`);
    expect((await list())[1]).toMatchObject({ status: 'available' });
  });

  test('a node that endpoints need goes only when that is confirmed', async () => {
    const { gateway, node, list, relay } = await enrolled();
    await relay.beat(node.uuid);
    const id = await insertEndpoint(gateway);
    await gateway.call('PUT', `/endpoints/${id}/nodes/${node.uuid}`, {});
    expect(await gateway.call('DELETE', `/nodes/${node.uuid}`)).toEqual({
      status: 409,
      body: failure(
        'NODE_IN_USE',
        'Node berlin-1 is the only one of some endpoints: delete it with ?confirm=true',
        [{ rule: 'in use', endpoints: [id] }],
      ),
    });
    expect(await gateway.call('DELETE', `/nodes/${node.uuid}?confirm=true`)).toEqual({
      status: 200,
      body: { message: 'Node berlin-1 deleted' },
    });
    expect(await list()).toHaveLength(1);
    expect((await relay.beat(node.uuid)).status).toBe(401);
    expect((await gateway.call('PUT', `/endpoints/${id}/nodes/${node.uuid}`, {})).status).toBe(404);
  });
});

test('GET /nodes comes in pages', async () => {
  const { gateway, register } = await start();
  for (const name of ['c', 'a', 'b']) await register({ name });
  const names: unknown[] = [];
  let cursor = '';
  do {
    const query = `?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { body } = await gateway.call('GET', `/nodes${query}`);
    const page = body as { nodes: { name: string }[]; next_cursor?: string };
    names.push(...page.nodes.map(({ name }) => name));
    cursor = page.next_cursor ?? '';
  } while (cursor !== '');
  expect(names).toEqual(['default', 'a', 'b', 'c']);
});
