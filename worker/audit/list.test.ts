/** GET /audit and its head, and what can never be in an entry. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { selectStored } from '../limits/quotas/store.ts';
import { entriesOf, exportOf, numberAll, writeEntry } from '../test/audit.ts';
import { failure, insertEndpoint, NOW, startGateway, type TestGateway } from '../test/gateway.ts';
import type { NewEntry } from './entry.ts';

const db = drizzle(env.DB);

async function write(gateway: TestGateway, entry: Partial<NewEntry>) {
  await writeEntry({
    orgUuid: gateway.organization.uuid,
    time: NOW,
    actor: 'ada',
    action: 'endpoint.create',
    resource: 'endpoint:1',
    outcome: 'success',
    address: 'local',
    requestId: 'r',
    details: {},
    repeats: 1,
    ...entry,
  });
}

/** Request ids of what a query lists. */
async function listed(gateway: TestGateway, query: string) {
  const { body } = await gateway.call('GET', `/audit${query}`);
  const { entries } = body as unknown as { entries: { request_id: string }[] };
  return entries.map(({ request_id }) => request_id);
}

describe('GET /audit', () => {
  test('shows whole entries, newest first, those not chained yet with null', async () => {
    const gateway = await startGateway('Admin');
    await write(gateway, { requestId: 'first' });
    await numberAll(gateway.organization.uuid);
    await write(gateway, { requestId: 'second', details: { id: 'orders', level: 'Read' } });
    const common = {
      org_uuid: gateway.organization.uuid,
      time: new Date(NOW).toISOString(),
      actor: 'ada',
      action: 'endpoint.create',
      resource: 'endpoint:1',
      outcome: 'success',
      address: 'local',
      repeats: 1,
    };
    expect(await gateway.call('GET', '/audit')).toEqual({
      status: 200,
      body: {
        entries: [
          {
            ...common,
            request_id: 'second',
            details: { id: 'orders', level: 'Read' },
            seq: null,
            hash: null,
          },
          {
            ...common,
            request_id: 'first',
            details: {},
            seq: 1,
            hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          },
        ],
      },
    });
  });

  test.each([
    ['?actor=grace', ['2']],
    ['?actor=6F1C1F6E-0D3E-4E54-9F55-3A2F0D9C9A01', ['3']],
    ['?action=auth.login', ['4']],
    ['?resource=endpoint:5', ['5']],
    ['?outcome=denied', ['6']],
    ['?from=2026-01-01T00:00:01Z', ['7']],
    ['?from=2026-01-01T01:00:01%2B01:00', ['7']],
    ['?to=2025-12-31T23:59:59.999Z', ['8']],
    ['?actor=ada&outcome=denied&action=auth.login', []],
  ])('%s lists what fits', async (query, expected) => {
    const gateway = await startGateway('Admin');
    const uuid = '6f1c1f6e-0d3e-4e54-9f55-3a2f0d9c9a01';
    await write(gateway, { requestId: '1' });
    await write(gateway, { requestId: '2', actor: 'grace' });
    await write(gateway, { requestId: '3', details: { actor_uuid: uuid } });
    await write(gateway, { requestId: '4', action: 'auth.login' });
    await write(gateway, { requestId: '5', resource: 'endpoint:5' });
    await write(gateway, { requestId: '6', outcome: 'denied' });
    await write(gateway, { requestId: '7', time: NOW + 1000 });
    await write(gateway, { requestId: '8', time: NOW - 1 });
    expect(await listed(gateway, query)).toEqual(expected);
  });

  test('gives every entry once over its pages, also while they get their numbers', async () => {
    const gateway = await startGateway('Admin');
    for (let at = 0; at < 7; at += 1) await write(gateway, { requestId: String(at) });
    const { body } = await gateway.call('GET', '/audit?limit=3');
    const page = body as unknown as { next_cursor: string };
    await numberAll(gateway.organization.uuid);
    await write(gateway, { requestId: 'later' });
    const cursor = encodeURIComponent(page.next_cursor);
    expect(await listed(gateway, `?limit=10&cursor=${cursor}`)).toEqual(['3', '2', '1', '0']);
    expect((await exportOf(gateway, 3)).entries).toHaveLength(8);
  });

  test('takes no cursor of other filters or of another organization', async () => {
    const [gateway, other] = [await startGateway('Admin'), await startGateway('Admin')];
    for (let at = 0; at < 3; at += 1) await write(gateway, {});
    const { body } = await gateway.call('GET', '/audit?limit=1');
    const cursor = encodeURIComponent((body as unknown as { next_cursor: string }).next_cursor);
    const refusal = {
      status: 400,
      body: failure('BAD_REQUEST', 'cursor: is not one of this list', [
        { path: 'cursor', message: 'is not one of this list' },
      ]),
    };
    expect(await gateway.call('GET', `/audit?actor=ada&cursor=${cursor}`)).toEqual(refusal);
    expect(await other.call('GET', `/audit?cursor=${cursor}`)).toEqual(refusal);
  });

  test.each(['?from=yesterday', '?outcome=maybe', '?limit=0', '?limit=1001', '?order=asc'])(
    'refuses %s',
    async (query) => {
      const gateway = await startGateway('Admin');
      expect((await gateway.call('GET', `/audit${query}`)).status).toBe(400);
    },
  );

  test("never shows another organization's entries, nor its head", async () => {
    const [owner, stranger] = [await startGateway('Admin'), await startGateway('Admin')];
    await write(owner, { requestId: 'of the owner' });
    await numberAll(owner.organization.uuid);
    expect(await listed(stranger, '')).toEqual([]);
    const [own, others] = await Promise.all([
      owner.call('GET', '/audit/head'),
      stranger.call('GET', '/audit/head'),
    ]);
    expect([own.body, others.body]).toMatchObject([{ seq: 1 }, { seq: 0 }]);
  });
});

test('GET /audit/head is the head of the last entry, made new when there is a newer one', async () => {
  const gateway = await startGateway('Admin');
  for (const seq of [1, 2]) {
    await write(gateway, {});
    const head = await gateway.call('GET', '/audit/head');
    const [last] = await entriesOf(gateway.organization.uuid);
    expect(head).toEqual({
      status: 200,
      body: {
        seq,
        hash: last?.hash,
        time: expect.stringMatching(/Z$/),
        key_id: expect.stringMatching(/^[\w-]{43}$/),
        signature: expect.stringMatching(/^[\w-]{86}$/),
      },
    });
    expect(await gateway.call('GET', '/audit/head')).toEqual(head);
  }
});

describe('an entry', () => {
  test('of a change of an endpoint tells names and no value of it', async () => {
    const relay = { ping: () => ({}), release: () => ({}) };
    const secret = fc.string({
      unit: fc.constantFrom(...'abcdefghijkmnpqrstuvwxyz23456789'),
      minLength: 12,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(secret, secret, async (password, text) => {
        const gateway = await startGateway('Admin', { relay });
        const id = await insertEndpoint(gateway);
        const url = `postgresql://app:${password}@db.test:5432/d`;
        const patch = { config: { write_conn: { url } }, description: text };
        expect((await gateway.call('PATCH', `/endpoints/${id}`, patch)).status).toBe(200);
        const [entry] = await entriesOf(gateway.organization.uuid);
        expect(entry?.details).toEqual({
          actor_uuid: gateway.user.uuid,
          id,
          fields: ['config.write_conn', 'description'],
        });
        expect(JSON.stringify(entry)).not.toContain(password);
        expect(JSON.stringify(entry)).not.toContain(text);
      }),
      { numRuns: 15 },
    );
  });

  test('keeps nothing besides the known members, and only names among the fields', async () => {
    const gateway = await startGateway('Admin');
    const details = {
      id: 'orders',
      fields: ['description', 'config.write_conn', 'postgresql://u:hunter2@h/d', 'a b'],
      password: 'hunter2',
      config: { url: 'postgresql://u:hunter2@h/d' },
    };
    await write(gateway, { details });
    const [entry] = await entriesOf(gateway.organization.uuid);
    expect(entry?.details).toEqual({ id: 'orders', fields: ['description', 'config.write_conn'] });
  });

  test('is bounded and can be chained, whatever its texts hold', async () => {
    const gateway = await startGateway('Admin');
    const { uuid } = gateway.organization;
    await write(gateway, { actor: `\u0000\ud800${'x'.repeat(10_000)}`, requestId: '\u001b[31m' });
    await numberAll(uuid);
    const [entry] = await entriesOf(uuid);
    expect(entry).toMatchObject({
      seq: 1,
      actor: ` \ufffd${'x'.repeat(254)}`,
      request_id: ' [31m',
    });
    const [stored] = await selectStored(db, uuid);
    expect(stored?.bytes).toBeGreaterThan(256);
  });
});
