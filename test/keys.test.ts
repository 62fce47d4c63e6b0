/** An application with an API key: on the API, through Upstash's client, and until its key ends. Spec: keys-and-doors.md §1. */
import { Redis } from '@upstash/redis';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { ask, newOrganization, refusal } from './organization.ts';
import { type RedisEndpoint, redisEndpoint } from './redis-endpoint.ts';

let redis: RedisEndpoint;
let endpoint: string;
beforeAll(async () => {
  redis = await redisEndpoint(await sharedGateway());
  endpoint = redis.at('').split('/')[2] ?? '';
});

async function keyFor(level: string): Promise<{ id: string; key: string }> {
  const name = `app-${Math.random().toString(36).slice(2)}`;
  const body = { name, endpoints: { [endpoint]: level } };
  const made = await redis.organization.call('POST', '/iam/keys', body);
  expect(made).toMatchObject({ status: 200 });
  return made.body as { id: string; key: string };
}

const as = (key: string, method: string, path: string, body?: unknown) =>
  ask(redis.organization.gateway, method, path, body, { Authorization: `Bearer ${key}` });
const client = (key: string) =>
  new Redis({
    url: `${redis.organization.gateway.url}/upstash/${endpoint}`,
    token: key,
    retry: false,
  });
const REVOKED = refusal('TOKEN_REVOKED', 'Token is no longer valid');

test('reads and writes what its key opens, and nothing else', async () => {
  const { key } = await keyFor('Write');
  const set = { type: 'set', key: 'a', value: '1' };
  expect(await as(key, 'POST', redis.at('write'), set)).toMatchObject({ status: 200 });
  expect(await as(key, 'POST', redis.at('read'), { type: 'get', key: 'a' })).toMatchObject({
    status: 200,
    body: { data: { result: '1' } },
  });
  const { body } = await as(key, 'GET', '/endpoints');
  expect(body).toMatchObject({ data: { endpoints: [{ id: endpoint }] } });
  for (const path of ['/templates', '/organizations', '/audit']) {
    expect(await as(key, 'GET', path)).toMatchObject({ status: 403 });
  }
});

describe("Upstash's client", () => {
  test('takes a key as its token', async () => {
    const { key } = await keyFor('Write');
    const own = client(key);
    await own.set('greeting', { text: 'hello' });
    expect(await own.get('greeting')).toEqual({ text: 'hello' });
    expect(await own.pipeline().incr('visits').incr('visits').exec()).toEqual([1, 2]);
  });

  test('is refused what the key does not open, and once it is rotated away', async () => {
    const { id, key } = await keyFor('Read');
    const own = client(key);
    expect(await own.get('nothing')).toBe(null);
    await expect(own.set('greeting', 'hello')).rejects.toThrow('needs Write access');
    const { body } = await redis.organization.call('POST', `/iam/keys/${id}/rotate`, {
      grace_s: 0,
    });
    await expect(own.get('nothing')).rejects.toThrow('Token is no longer valid');
    expect(await client((body as { key: string }).key).get('nothing')).toBe(null);
  });
});

test('an application is out as soon as its key is deleted', async () => {
  const { id, key } = await keyFor('Read');
  expect(await as(key, 'GET', '/endpoints')).toMatchObject({ status: 200 });
  await redis.organization.call('DELETE', `/iam/keys/${id}`);
  const refused = () => as(key, 'GET', '/endpoints');
  await expect.poll(refused, { timeout: 10_000 }).toEqual(REVOKED);
});

test('a subscription that a key opened ends with it', async () => {
  const { id, key } = await keyFor('Read');
  const response = await checkedFetch(
    `${redis.organization.gateway.url}/api/v1${redis.at('read')}`,
    {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ type: 'subscribe', channels: ['news'] }),
    },
  );
  expect(response.status).toBe(200);
  await redis.organization.call('DELETE', `/iam/keys/${id}`);
  expect(await response.text()).toContain('Token is no longer valid');
}, 60_000);

test('another organization’s key opens nothing here', async () => {
  const other = await newOrganization(redis.organization.gateway);
  const made = await other.call('POST', '/iam/keys', { name: 'app', access_level: 'SuperAdmin' });
  const { key } = made.body as { key: string };
  expect(await as(key, 'POST', redis.at('read'), { type: 'get', key: 'a' })).toEqual(
    refusal('ENDPOINT_NOT_FOUND', `Endpoint ${endpoint} does not exist`),
  );
});
