/** Transactions of which nobody knows how their last resource ended, and people who say so. Spec: transactions.md §2, §4, §5. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { ask, newOrganization, type Organization, refusal } from '../organization.ts';
import { Line } from '../proofs/once/line.ts';
import { backend, type FreshDatabase, freshDatabase } from '../servers/backends.ts';
import { onRedis } from '../servers/redis-server.ts';

const REASON = 'its commit was sent, and its backend keeps no record of it';

let postgres: FreshDatabase;
let outside: pg.Client;
let redisUrl: string;
let line: Line;
let organization: Organization;

beforeAll(async () => {
  const [redis, fresh] = await Promise.all([backend('redis'), freshDatabase()]);
  postgres = fresh;
  redisUrl = redis.url;
  line = await Line.open(redis.url, /rpush/i);
  outside = new pg.Client(postgres.url);
  await outside.connect();
  await outside.query('CREATE TABLE entries (name text)');
});
beforeEach(async () => {
  organization = await newOrganization(await sharedGateway());
  for (const [endpoint, kind, url] of [
    ['pg', 'postgres', postgres.url],
    ['list', 'redis', line.url],
    ['free', 'postgres', postgres.url],
  ]) {
    const body = { endpoint, kind, config: { write_conn: { url } } };
    expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  }
});
afterAll(async () => {
  line.close();
  await outside.end();
  await postgres.drop();
});

const add = (endpoint: string, name: string) => ({
  endpoint,
  query: 'INSERT INTO entries VALUES ($1)',
  params: [name],
});

/** One whose last resource has done its write, and has lost its answer. */
async function doubtful() {
  const name = `doubt-${randomUUID()}`;
  line.aim({ name, point: 'after the effect', strike: () => {} });
  const operations = [add('pg', name), { endpoint: 'list', type: 'rpush', args: [name, 'x'] }];
  const reply = await organization.call('POST', '/transactions', { operations });
  const { body } = await organization.call('GET', '/transactions?status=in_doubt');
  const [record] = (body as { transactions: [{ transaction_id: string }] }).transactions;
  const id = record?.transaction_id;
  const resolve = (outcome: string, participant = 'list') =>
    organization.call('POST', `/transactions/${id}/resolve`, { participant, outcome });
  return { name, reply, record, id, resolve };
}

async function entries(name: string): Promise<number> {
  const { rows } = await outside.query('SELECT 1 FROM entries WHERE name = $1', [name]);
  return rows.length;
}

async function prepared(id: string): Promise<string[]> {
  const { rows } = await outside.query<{ gid: string }>('SELECT gid FROM pg_prepared_xacts');
  return rows.flatMap(({ gid }) => (gid.includes(`_${id}_`) ? [gid] : []));
}

const shown = async (id: string) => (await organization.call('GET', `/transactions/${id}`)).body;

describe('a last resource whose answer is lost, and whose backend keeps no record', () => {
  test('leaves the transaction in doubt, and the others prepared', async () => {
    const { name, reply, record, id, resolve } = await doubtful();
    expect(reply).toEqual(
      refusal(
        'OUTCOME_UNKNOWN',
        `It cannot be told yet whether the transaction ${id} has committed: GET /transactions/${id} tells once it can`,
      ),
    );
    expect(record).toEqual({
      ...{ transaction_id: id, sequence: null, guarantee: 'last-resource', status: 'in_doubt' },
      started: expect.any(String),
    });
    const [gid] = await prepared(id);
    expect(await shown(id)).toEqual({
      ...record,
      participants: [
        { endpoint: 'pg', kind: 'Postgres', status: 'active', gid },
        { endpoint: 'list', kind: 'Redis', status: 'in_doubt', reason: REASON },
      ],
    });
    expect([await entries(name), await onRedis(redisUrl, ['LLEN', name])]).toEqual([0, [1]]);
    await resolve('committed');
  });

  test('holds up what conflicts with it, and nothing else', async () => {
    const { name, id, resolve } = await doubtful();
    const send = (endpoint: string) =>
      organization.call('POST', '/transactions', { operations: [add(endpoint, `${name} more`)] });
    expect(await send('pg')).toEqual(
      refusal(
        'TRANSACTION_IN_DOUBT',
        `The transaction ${id} is in doubt on an endpoint that this one uses: GET /transactions/${id} tells where`,
      ),
    );
    expect(await send('free')).toMatchObject({ status: 200 });
    await resolve('committed');
    await expect.poll(async () => (await send('pg')).status).toBe(200);
  });
});

describe('POST /transactions/{id}/resolve', () => {
  test.each([
    ['committed', expect.any(Number), 1],
    ['rolled_back', null, 0],
  ] as const)('ends the others as a person says: %s', async (outcome, sequence, count) => {
    const { name, id, resolve } = await doubtful();
    const said = {
      ...{ endpoint: 'list', kind: 'Redis', status: outcome },
      reason: `${organization.username} said so`,
    };
    const reply = await resolve(outcome);
    expect(reply).toMatchObject({
      status: 200,
      body: { transaction_id: id, sequence, participants: [{ endpoint: 'pg' }, said] },
    });
    await expect
      .poll(() => shown(id))
      .toMatchObject({
        ...{ status: outcome, sequence, guarantee: 'last-resource' },
        participants: [{ endpoint: 'pg', status: outcome }, said],
      });
    expect([await entries(name), await prepared(id)]).toEqual([count, []]);
    const action = `transaction.resolve.${outcome}`;
    await expect
      .poll(async () => (await organization.call('GET', `/audit?action=${action}`)).body)
      .toMatchObject({ entries: [{ action, actor: organization.username }] });
  });

  test('is refused of what is not in doubt, and a second time', async () => {
    const { id, resolve } = await doubtful();
    const closed = (status: string) =>
      refusal('TRANSACTION_CLOSED', `Transaction ${id} is ${status}`);
    expect(await resolve('committed', 'pg')).toEqual(closed('in_doubt'));
    expect(await resolve('committed', 'free')).toEqual(closed('in_doubt'));
    expect(await resolve('committed')).toMatchObject({ status: 200 });
    await expect.poll(() => shown(id)).toMatchObject({ status: 'committed' });
    expect(await resolve('rolled_back')).toEqual(closed('committed'));
  });

  test("is refused of an unknown one, and of another's to who is not Admin", async () => {
    const { id, resolve } = await doubtful();
    const body = { participant: 'list', outcome: 'committed' };
    const none = '4kTz0QmX8sVb2RcN6wYdJp';
    const missing = (of: string) =>
      refusal('TRANSACTION_NOT_FOUND', `Transaction ${of} does not exist`);
    const path = (of: string) => `/transactions/${of}/resolve`;
    expect(await organization.call('POST', path(none), body)).toEqual(missing(none));
    const Authorization = `Bearer ${await organization.member('Write')}`;
    const { gateway } = organization;
    expect(await ask(gateway, 'POST', path(id), body, { Authorization })).toEqual(missing(id));
    await resolve('rolled_back');
  });

  test('is refused to who sent it and is not Admin', async () => {
    const Authorization = `Bearer ${await organization.member('Write')}`;
    const own: Organization = {
      ...organization,
      call: (method, path, body) =>
        ask(organization.gateway, method, path, body, { Authorization }),
    };
    const admin = organization;
    organization = own;
    const { resolve, id } = await doubtful();
    expect(await resolve('committed')).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    organization = admin;
    expect(await shown(id)).toMatchObject({ status: 'in_doubt' });
    expect(await resolve('rolled_back')).toMatchObject({ status: 200 });
  });

  test.each([
    [{ participant: 'list' }],
    [{ participant: 'list', outcome: 'mixed' }],
    [{ outcome: 'committed' }],
  ])('refuses %j', async (body) => {
    const path = '/transactions/4kTz0QmX8sVb2RcN6wYdJp/resolve';
    expect(await organization.call('POST', path, body)).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    });
  });
});
