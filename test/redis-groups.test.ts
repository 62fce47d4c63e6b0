/** A cluster, and a master that sentinels name, as endpoints: from an HTTP client to real servers and back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { type RedisGroup, startCluster } from './servers/redis/cluster.ts';
import { type RedisSentinels, startSentinels } from './servers/redis/sentinel.ts';

const PASSWORD = 'choose-a-long-one';
let cluster: RedisGroup;
let watched: RedisSentinels;
let organization: Organization;

beforeAll(async () => {
  [cluster, watched, organization] = await Promise.all([
    startCluster({ modules: false }),
    startSentinels({ modules: false, password: PASSWORD }),
    sharedGateway().then((gateway) => newOrganization(gateway)),
  ]);
});
afterAll(async () => {
  await Promise.all([cluster?.stop(), watched?.stop()]);
});

function addressesOf(servers: readonly { readonly port: number }[]): string {
  return servers.map(({ port }) => `127.0.0.1:${port}`).join();
}

const post = (path: string, body: unknown) => organization.call('POST', `/endpoints${path}`, body);

async function endpointOn(endpoint: string, url: string): Promise<void> {
  const body = { endpoint, kind: 'redis', config: { write_conn: { url } } };
  expect(await post('', body)).toMatchObject({ status: 200, body: { data: { kind: 'Redis' } } });
}

describe('a cluster', () => {
  const keys = ['a', 'b', 'c', 'd'];
  beforeAll(() => endpointOn('cluster', `redis+cluster://${addressesOf(cluster.nodes)}`));

  test('is one endpoint, whichever node has a key', async () => {
    const pipeline = keys.map((key) => ({ type: 'set', key, value: `value of ${key}` }));
    const done = { results: keys.map(() => ({ result: 'OK' })) };
    expect(await post('/cluster/write', { pipeline })).toMatchObject({ body: { data: done } });
    const gets = { pipeline: keys.map((key) => ({ type: 'get', key })) };
    const read = { results: keys.map((key) => ({ result: `value of ${key}` })) };
    expect(await post('/cluster/read', gets)).toMatchObject({ body: { data: read } });
    expect(await post('/cluster/read', { type: 'dbsize' })).toMatchObject({
      body: { data: { result: keys.length } },
    });
  });

  test('runs a transaction on the node of its keys, and says when they have none in common', async () => {
    const operations = [
      { type: 'incr', key: 'n{b}' },
      { type: 'get', key: 'b' },
    ];
    expect(await post('/cluster/transaction', { operations })).toMatchObject({
      body: { data: [{ result: 1 }, { result: 'value of b' }] },
    });
    expect(await post('/cluster/read', { type: 'mget', keys: ['a', 'b'] })).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_FAILED', details: [{ source: 'redis', code: 'CROSSSLOT' }] },
    });
  });
});

test('a master that sentinels name is found, and its password is not shown', async () => {
  const sentinels = addressesOf(watched.sentinels);
  await endpointOn('watched', `redis+sentinel://:${PASSWORD}@${sentinels}/mymaster/1`);
  await post('/watched/write', { type: 'set', key: 'a', value: '1' });
  expect(await post('/watched/read', { type: 'get', key: 'a' })).toMatchObject({
    body: { data: { result: '1' } },
  });
  expect(await organization.call('GET', '/endpoints/watched')).toMatchObject({
    body: {
      data: { config: { write_conn: { url: `redis+sentinel://***@${sentinels}/mymaster/1` } } },
    },
  });
});

test.each([
  [
    'redis://db.example.com?ssl_keyfile=/etc/key',
    'Option ssl_keyfile of the connection URL is not taken',
  ],
  ['unix:///run/redis.sock', 'A connection goes to a host, not to a socket file'],
])('%s is refused before anything is stored', async (url, message) => {
  const body = { endpoint: 'refused', kind: 'redis', config: { write_conn: { url } } };
  expect(await post('', body)).toMatchObject({
    status: 400,
    body: { code: 'INVALID_CONFIGURATION', message },
  });
});
