/** Entries of refusals and logins, through the API. */

import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { hashOf } from '../test/accounts.ts';
import { entriesOf } from '../test/audit.ts';
import { insertEndpoint, startGateway, type TestGateway } from '../test/gateway.ts';

/** What entries tell besides who, when, and where from. */
async function told({ organization }: TestGateway) {
  const entries = await entriesOf(organization.uuid);
  return entries.map(({ actor, action, resource, outcome, details, repeats }) => ({
    actor,
    action,
    resource,
    outcome,
    details,
    repeats,
  }));
}

async function uuidOf(gateway: TestGateway, id: string): Promise<string> {
  const row = await env.DB.prepare('select uuid from endpoints where org_uuid = ? and id = ?')
    .bind(gateway.organization.uuid, id)
    .first();
  return String(row?.uuid);
}

describe('a refusal', () => {
  test('for want of a level is an entry with the resource by its UUID', async () => {
    const gateway = await startGateway('Read');
    const id = await insertEndpoint(gateway);
    const reply = await gateway.call('DELETE', `/endpoints/${id}`);
    expect(reply.status).toBe(403);
    await expect
      .poll(() => told(gateway))
      .toEqual([
        {
          actor: gateway.user.username,
          action: 'endpoint.delete',
          resource: `endpoint:${await uuidOf(gateway, id)}`,
          outcome: 'denied',
          details: { actor_uuid: gateway.user.uuid, code: 'FORBIDDEN' },
          repeats: 1,
        },
      ]);
  });

  test('that is repeated is one entry with its count', async () => {
    const gateway = await startGateway('Read');
    for (let at = 0; at < 5; at += 1) await gateway.call('GET', '/audit');
    const counts = async () => (await told(gateway)).map(({ repeats }) => repeats);
    const sum = async () => (await counts()).reduce((all, each) => all + each, 0);
    await expect.poll(sum).toBe(5);
    expect((await counts()).length).toBeLessThanOrEqual(2);
  });

  test('of an expired token is an entry of its organization', async () => {
    const gateway = await startGateway('Admin');
    const token = await gateway.token();
    gateway.clock.now += 4_000_000;
    const reply = await gateway.call('GET', '/endpoints', undefined, token);
    expect(reply.status).toBe(401);
    await expect
      .poll(() => told(gateway))
      .toMatchObject([
        {
          actor: gateway.user.username,
          action: 'endpoint.list',
          outcome: 'denied',
          details: { code: 'TOKEN_EXPIRED' },
        },
      ]);
  });

  test('of a token whose password was changed is an entry', async () => {
    const gateway = await startGateway('Admin');
    const token = await gateway.token();
    await env.DB.prepare('update accounts set password_changed_at = ? where uuid = ?')
      .bind(gateway.clock.now + 1, gateway.user.uuid)
      .run();
    await gateway.call('GET', '/endpoints', undefined, token);
    await expect.poll(() => told(gateway)).toMatchObject([{ details: { code: 'TOKEN_REVOKED' } }]);
  });

  test.each([
    ['no token', ''],
    ['a token that is none', 'abc'],
  ])('of %s is nobody’s', async (_what, bearer) => {
    const gateway = await startGateway('Read');
    await gateway.call('GET', '/endpoints', undefined, bearer);
    await onlyTheNext(gateway);
  });

  test('is no entry of another organization, even when it names what is there', async () => {
    const [owner, stranger] = [await startGateway('Admin'), await startGateway('Read')];
    const id = await insertEndpoint(owner);
    await stranger.call('DELETE', `/endpoints/${id}`);
    await onlyTheNext(stranger);
    expect(await told(owner)).toEqual([]);
  });
});

/** What was not written before a later refusal was, is not written at all. */
async function onlyTheNext(gateway: TestGateway) {
  await gateway.call('GET', '/audit');
  await expect
    .poll(() => told(gateway))
    .toMatchObject([{ action: 'audit.get', details: { code: 'FORBIDDEN' } }]);
}

describe('a login', () => {
  async function withPassword(gateway: TestGateway) {
    const hash = await hashOf('correct horse');
    await env.DB.prepare('update accounts set password_hash = ? where uuid = ?')
      .bind(hash, gateway.user.uuid)
      .run();
  }

  async function login(gateway: TestGateway, organization: string, user: string, word: string) {
    const Authorization = `Basic ${btoa(`${user}:${word}`)}`;
    const headers = { Authorization, 'X-Org-Id': organization };
    await gateway.send('/auth/login', { method: 'POST', headers });
  }

  test('that succeeds, and one that does not, are entries', async () => {
    const gateway = await startGateway('Read');
    const { organization, user } = gateway;
    await withPassword(gateway);
    await login(gateway, organization.id, user.username, 'correct horse');
    await expect.poll(() => told(gateway)).toHaveLength(1);
    await login(gateway, organization.uuid, user.username, 'wrong');
    const common = {
      actor: user.username,
      action: 'auth.login',
      resource: `organization:${organization.uuid}`,
      repeats: 1,
    };
    await expect
      .poll(() => told(gateway))
      .toEqual([
        {
          ...common,
          outcome: 'failed',
          details: { actor_uuid: user.uuid, code: 'INVALID_CREDENTIALS' },
        },
        { ...common, outcome: 'success', details: { actor_uuid: user.uuid } },
      ]);
  });

  test('of somebody who is no member does not tell that they have an account elsewhere', async () => {
    const [gateway, other] = [await startGateway('Read'), await startGateway('Read')];
    await withPassword(other);
    await login(gateway, gateway.organization.id, other.user.username, 'correct horse');
    await expect
      .poll(() => told(gateway))
      .toMatchObject([
        { actor: 'unknown', outcome: 'failed', details: { code: 'INVALID_CREDENTIALS' } },
      ]);
    expect(await told(other)).toEqual([]);
  });
});
