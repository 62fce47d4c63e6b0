/** Which API keys are refused, and since when. Spec: keys-and-doors.md §1. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../proto/errors.ts';
import { apiKeyDigests } from '../db/keys.ts';
import { rules } from '../db/schema.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { makeKey } from '../test/keys.ts';

const db = drizzle(env.DB);
const EXPIRES = '2026-01-01T01:00:00.000Z';
const refusal = (status: number, code: ErrorCode, message: unknown) => ({
  status,
  body: failure(code, message),
});
const REVOKED = refusal(401, 'TOKEN_REVOKED', 'Token is no longer valid');
const EXPIRED = refusal(401, 'TOKEN_EXPIRED', 'Token has expired');
const MALFORMED = refusal(401, 'TOKEN_INVALID', 'Invalid token format');

describe('a key is refused', () => {
  test('when its checksum is wrong, whatever it is', async () => {
    const gateway = await startGateway('Admin');
    const { key } = await makeKey(gateway, { access_level: 'Read' });
    const last = key.endsWith('0') ? '1' : '0';
    for (const wrong of [key.slice(0, -1) + last, key.slice(0, -1), `${key}0`, 'cwk_', 'cwk_x']) {
      expect(await gateway.call('GET', '/endpoints', undefined, wrong)).toEqual(MALFORMED);
    }
    expect((await gateway.call('GET', '/endpoints', undefined, key)).status).toBe(200);
  });

  test('when nobody has made it', async () => {
    const gateway = await startGateway('Admin');
    const key = 'cwk_00000000000000000000000000000000000000000002CZclj';
    expect(await gateway.call('GET', '/help', undefined, key)).toEqual(REVOKED);
  });

  test('from the time when it expires, and is shown so', async () => {
    const gateway = await startGateway('Admin');
    const { id, key } = await makeKey(gateway, { access_level: 'Read', expires: EXPIRES });
    gateway.clock.now = Date.parse(EXPIRES) - 1;
    expect((await gateway.call('GET', '/endpoints', undefined, key)).status).toBe(200);
    gateway.clock.now += 1;
    expect(await gateway.call('GET', '/endpoints', undefined, key)).toEqual(EXPIRED);
    expect((await gateway.call('GET', `/iam/keys/${id}`)).body).toMatchObject({
      status: 'expired',
    });
    await gateway.call('PATCH', `/iam/keys/${id}`, { expires: null });
    expect((await gateway.call('GET', '/endpoints', undefined, key)).status).toBe(200);
  });

  test('once it is deleted: at once, with its rules, and its name is free', async () => {
    const gateway = await startGateway('Admin');
    const endpoint = await insertEndpoint(gateway);
    const made = await makeKey(gateway, { name: 'gone', endpoints: { [endpoint]: 'Read' } });
    const path = `/iam/keys/${made.id}`;
    expect((await gateway.call('GET', '/help', undefined, made.key)).status).toBe(200);
    expect(await gateway.call('DELETE', path)).toEqual({
      status: 200,
      body: { message: 'Key gone deleted', id: made.id },
    });
    expect(await gateway.call('GET', '/help', undefined, made.key)).toEqual(REVOKED);
    const missing = refusal(404, 'KEY_NOT_FOUND', `Key ${made.id} does not exist`);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? {} : undefined;
      expect(await gateway.call(method, path, body)).toEqual(missing);
    }
    expect(await gateway.call('POST', `${path}/rotate`)).toEqual(missing);
    const left = await db
      .select()
      .from(rules)
      .where(eq(rules.subject, `key:${made.id}`));
    const digests = await db.select().from(apiKeyDigests).where(eq(apiKeyDigests.keyUuid, made.id));
    expect([left, digests]).toEqual([[], []]);
    await makeKey(gateway, { name: 'gone' });
  });

  test.each([
    ['local', '127.0.0.1/32', true],
    ['local', '::1/128', true],
    ['local', '10.0.0.0/8', false],
    ['203.0.113.7', '203.0.113.0/24', true],
    ['203.0.114.7', '203.0.113.0/24', false],
    ['::ffff:203.0.113.7', '203.0.113.0/24', true],
    ['2001:db8:1::5', '2001:db8::/32', true],
    ['2001:db9::5', '2001:db8::/32', false],
    ['unknown', '0.0.0.0/0', false],
  ])('from %s with %s: taken is %s', async (address, network, isTaken) => {
    const PEER = address === 'local' ? 'local' : 'header:X-From';
    const gateway = await startGateway('Admin', { bindings: { PEER } });
    const { key } = await makeKey(gateway, {
      access_level: 'Read',
      addresses: [network, '192.0.2.0/30'],
    });
    const headers = { Authorization: `Bearer ${key}`, 'X-From': address };
    const response = await gateway.send('/endpoints', { headers });
    expect(response.status).toBe(isTaken ? 200 : 401);
    if (!isTaken) expect(await response.json()).toEqual(REVOKED.body);
  });

  test('in another organization it is none of that one', async () => {
    const [own, other] = [await startGateway('Admin'), await startGateway('Admin')];
    const { key, id } = await makeKey(own, { access_level: 'Write' });
    const endpoint = await insertEndpoint(other);
    expect(await other.call('GET', `/endpoints/${endpoint}`, undefined, key)).toEqual(
      refusal(404, 'ENDPOINT_NOT_FOUND', `Endpoint ${endpoint} does not exist`),
    );
    expect(await other.call('GET', `/iam/keys/${id}`)).toEqual(
      refusal(404, 'KEY_NOT_FOUND', `Key ${id} does not exist`),
    );
  });
});
