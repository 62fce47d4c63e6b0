/** Entries besides the changes they tell of. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import { deleteEndpointRow } from '../endpoints/store.ts';
import { contextOf, entriesOf } from '../test/audit.ts';
import { insertEndpoint, NOW, startGateway, type TestGateway } from '../test/gateway.ts';
import { auditPasswordStatements, auditStatement, recordAfterReply } from './record.ts';

const CHANGE = { action: 'endpoint.delete', resource: 'endpoint:of-the-test' };
const db = drizzle(env.DB);

/** Deletes by uuid. */
function remove({ organization }: TestGateway, uuid: string) {
  const row = { orgUuid: organization.uuid, uuid, id: 'any' };
  return deleteEndpointRow(db, row, { ifMatch: undefined, confirmed: true });
}

/** Deletes by uuid, with the entry right after. */
async function deleteWithEntry(gateway: TestGateway, uuid: string) {
  const ctx = contextOf(gateway);
  await db.batch([remove(gateway, uuid), auditStatement(ctx, CHANGE)]);
}

async function endpointUuid(gateway: TestGateway): Promise<string> {
  const id = await insertEndpoint(gateway);
  const row = await env.DB.prepare('select uuid from endpoints where id = ?').bind(id).first();
  return String(row?.uuid);
}

describe('the entry of a change', () => {
  test('is written with it, and tells who, what, on what, from where and by which request', async () => {
    const gateway = await startGateway('Admin');
    await deleteWithEntry(gateway, await endpointUuid(gateway));
    expect(await entriesOf(gateway.organization.uuid)).toEqual([
      {
        org_uuid: gateway.organization.uuid,
        seq: null,
        time: new Date(NOW).toISOString(),
        actor: gateway.user.username,
        action: 'endpoint.delete',
        resource: 'endpoint:of-the-test',
        outcome: 'success',
        address: 'local',
        request_id: 'request-of-the-test',
        details: { actor_uuid: gateway.user.uuid },
        repeats: 1,
        hash: null,
      },
    ]);
  });

  test('is not written when nothing changed', async () => {
    const gateway = await startGateway('Admin');
    await deleteWithEntry(gateway, crypto.randomUUID());
    expect(await entriesOf(gateway.organization.uuid)).toEqual([]);
  });

  test('is not written when a later statement of the batch fails', async () => {
    const gateway = await startGateway('Admin');
    const uuid = await endpointUuid(gateway);
    const batch = db.batch([
      remove(gateway, uuid),
      auditStatement(contextOf(gateway), CHANGE),
      db.run('insert into no_such_table values (1)'),
    ]);
    await expect(batch).rejects.toThrow();
    expect(await entriesOf(gateway.organization.uuid)).toEqual([]);
  });

  test.each([
    ['changed something', true, 2],
    ['changed nothing', false, 0],
  ])('hands on that the statement before it %s', async (_what, changes, expected) => {
    const gateway = await startGateway('Admin');
    const uuid = changes ? await endpointUuid(gateway) : crypto.randomUUID();
    const ctx = contextOf(gateway);
    await db.batch([
      remove(gateway, uuid),
      auditStatement(ctx, CHANGE),
      auditStatement(ctx, CHANGE),
    ]);
    expect(await entriesOf(gateway.organization.uuid)).toHaveLength(expected);
  });

  test('of a password stands in each of its organizations and in no other', async () => {
    const [first, second, other] = [
      await startGateway('Read'),
      await startGateway('Read'),
      await startGateway('Read'),
    ];
    await env.DB.prepare(
      `insert into memberships (org_uuid, account_uuid, created_at, created_by, last_modified_at, last_modified_by)
       values (?, ?, 0, 't', 0, 't')`,
    )
      .bind(second.organization.uuid, first.user.uuid)
      .run();
    const { user } = first;
    const change = { ...user, passwordHash: 'made by the test' };
    const touch = (hash: string) =>
      db.run(`update accounts set password_hash = '${hash}' where uuid = '${user.uuid}'`);
    const statements = () =>
      auditPasswordStatements(contextOf(first), change, 'auth.password.reset');
    await db.batch([touch('of another change'), ...statements()]);
    await db.batch([touch(change.passwordHash), ...statements()]);
    const counts = await Promise.all(
      [first, second, other].map(async (each) => (await entriesOf(each.organization.uuid)).length),
    );
    expect(counts).toEqual([1, 1, 0]);
  });
});

/** By which request, and how often. */
async function written(orgUuid: string) {
  const entries = await entriesOf(orgUuid);
  return entries.map(({ request_id, repeats }) => [request_id, repeats]);
}

describe('an entry after the reply', () => {
  test('counts repeats of what was refused, and tells of the first', async () => {
    const gateway = await startGateway('Read');
    const { organization, user } = gateway;
    for (const requestId of ['first', 'second', 'third']) {
      const ctx = { ...contextOf(gateway), requestId };
      recordAfterReply(
        ctx,
        { orgUuid: organization.uuid, username: user.username },
        { ...CHANGE, outcome: 'denied' },
      );
    }
    await expect.poll(() => written(organization.uuid)).toEqual([['first', 3]]);
  });

  test('stands for itself when it succeeded', async () => {
    const gateway = await startGateway('Read');
    const { organization, user } = gateway;
    for (const requestId of ['first', 'second']) {
      const ctx = { ...contextOf(gateway), requestId };
      recordAfterReply(
        ctx,
        { orgUuid: organization.uuid, username: user.username },
        { action: 'auth.login', resource: `organization:${organization.uuid}`, outcome: 'success' },
      );
    }
    await expect
      .poll(() => written(organization.uuid))
      .toEqual([
        ['second', 1],
        ['first', 1],
      ]);
  });

  test('is not written for an organization that does not exist', async () => {
    const gateway = await startGateway('Read');
    const orgUuid = crypto.randomUUID();
    recordAfterReply(
      contextOf(gateway),
      { orgUuid, username: 'nobody' },
      { ...CHANGE, outcome: 'denied' },
    );
    recordAfterReply(
      contextOf(gateway),
      { orgUuid: gateway.organization.uuid, username: 'nobody' },
      { ...CHANGE, outcome: 'denied' },
    );
    await expect.poll(() => written(gateway.organization.uuid)).toHaveLength(1);
    expect(await entriesOf(orgUuid)).toEqual([]);
  });
});
