/** What remains of a deleted organization, and what finishes an interrupted sweep. */
import {
  createExecutionContext,
  createScheduledController,
  env,
  runInDurableObject,
} from 'cloudflare:test';
import { Code, ConnectError } from '@connectrpc/connect';
import { eq, is, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, test, vi } from 'vitest';
import * as auditSchema from '../../db/audit.ts';
import * as keySchema from '../../db/keys.ts';
import * as schema from '../../db/schema.ts';
import * as tasks from '../../db/tasks.ts';
import * as templateSchema from '../../db/templates.ts';
import * as workflowSchema from '../../db/workflows.ts';
import worker from '../../index.ts';
import { chainOf, contextOf, numberAll } from '../../test/audit.ts';
import { insertEndpoint, NOW, startGateway, type TestGateway } from '../../test/gateway.ts';
import { makeKey } from '../../test/keys.ts';
import { pingingRelay } from '../../test/pinging-relay.ts';
import { insertTemplate } from '../../test/template.ts';
import { markDeleted } from '../store.ts';
import { sweepDeleted, sweepOrganization } from './sweep.ts';
import { furnishWorkflows } from './test/furnish-workflows.ts';

const db = drizzle(env.DB);
const { accounts, endpoints, endpointUsage, memberships, passwordResets, placements, rules } =
  schema;
const { templateReferences, templateRuns, templateUsage } = templateSchema;
const TEN_MINUTES = 10 * 60 * 1000;
const SCHEMAS = [schema, auditSchema, keySchema, templateSchema, workflowSchema, tasks];
/** Every table that has an organization's rows, with the column that says whose. */
const TABLES = SCHEMAS.flatMap((all) => Object.values<unknown>(all)).flatMap((each) => {
  if (!is(each, SQLiteTable)) return [];
  const { name, columns } = getTableConfig(each);
  const whose = name === 'organizations' ? 'uuid' : 'org_uuid';
  const column = columns.find((its) => its.name === whose);
  return column ? [{ name, table: each, column }] : [];
});

/** Rows of an organization by table; tables without any are left out. */
async function rowsOf(orgUuid: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name, table, column } of TABLES) {
    const rows = await db.$count(table, eq(column, orgUuid));
    if (rows > 0) counts[name] = rows;
  }
  return counts;
}

/** An organization with something of everything: three endpoints, three users. */
async function furnished(relay = pingingRelay().methods) {
  const gateway = await startGateway('SuperAdmin', { relay });
  const { organization, user } = gateway;
  const orgUuid = organization.uuid;
  await gateway.addUser('Read');
  await gateway.addUser(undefined);
  for (let at = 0; at < 3; at += 1) await insertEndpoint(gateway);
  const made = await db.select().from(endpoints).where(eq(endpoints.orgUuid, orgUuid));
  for (const { uuid } of made) {
    await db.insert(endpointUsage).values({ orgUuid, endpointUuid: uuid });
    await db.insert(placements).values({
      orgUuid,
      endpointUuid: uuid,
      nodeUuid: crypto.randomUUID(),
      poolRole: 'any',
      connectionStatus: 'available',
      priority: 0,
      weight: 1,
      metadata: {},
    });
    await db.insert(rules).values({
      orgUuid,
      resourceKind: 'endpoint',
      resourceUuid: uuid,
      subject: 'group:everybody',
      level: 'Read',
      createdAt: NOW,
      createdBy: 'test',
    });
  }
  await furnishTemplates(gateway);
  await furnishWorkflows(gateway);
  for (let at = 0; at < 3; at += 1) await makeKey(gateway);
  await startReset(user.uuid);
  await gateway.call('PATCH', '/organizations', { name: 'So that there is an audit' });
  await chainOf(orgUuid).head(orgUuid);
  return { ...gateway, gateway, orgUuid };
}

async function furnishTemplates(gateway: TestGateway): Promise<void> {
  const orgUuid = gateway.organization.uuid;
  await insertTemplate(gateway);
  const templateUuid = crypto.randomUUID();
  const of = { orgUuid, templateUuid, version: '1.0.0' };
  await db.batch([
    db.insert(templateReferences).values({ ...of, kind: 'template', target: 'x', level: 'Read' }),
    db.insert(templateUsage).values({ ...of, day: 1, invocations: 1, durationMs: 1 }),
    db.insert(templateRuns).values({
      ...of,
      uuid: crypto.randomUUID(),
      status: 'running',
      startedBy: 'test',
      startedAt: NOW,
    }),
  ]);
}

async function startReset(accountUuid: string): Promise<void> {
  const tokenDigest = crypto.randomUUID();
  await db.insert(passwordResets).values({ tokenDigest, accountUuid, expiresAt: NOW + 1000 });
}

async function resetsOf(accountUuid: string): Promise<number> {
  const rows = await db
    .select()
    .from(passwordResets)
    .where(eq(passwordResets.accountUuid, accountUuid));
  return rows.length;
}

/** What DELETE does, except for the reply. */
async function remove({ gateway, orgUuid }: { gateway: TestGateway; orgUuid: string }) {
  await markDeleted(db, orgUuid, gateway.clock.now);
  await sweepOrganization(contextOf(gateway), { uuid: orgUuid, deletedAt: gateway.clock.now });
}

/** What the clock does, so many milliseconds from now. */
async function sweepAfter(gateway: TestGateway, ms: number): Promise<void> {
  gateway.clock.now += ms;
  await sweepDeleted(contextOf(gateway));
}

const ALL = [
  'audit_entries',
  'audit_heads',
  'endpoint_usage',
  'endpoints',
  'member_activity',
  'memberships',
  'organizations',
  'placements',
  'rules',
  'template_references',
  'template_runs',
  'template_usage',
  'template_versions',
  'templates',
  'workflow_dead_letters',
  'workflow_hooks',
  'workflow_references',
  'workflow_runs',
  'workflow_tasks',
  'workflow_totals',
  'workflow_trigger_news',
  'workflow_triggers',
  'workflow_versions',
  'workflows',
];

test('everything goes: at once all but the mark, ten minutes later that too', async () => {
  const { gateway, orgUuid, user } = await furnished();
  const others = await furnished();
  // What users did is written after replies, by whichever request of the isolate comes to it; one
  // that was to and was ended is made up for by a later one.
  for (const each of [orgUuid, others.orgUuid]) {
    await vi.waitFor(
      async () => {
        // A write that is still planned after so long is given up, and planned again.
        gateway.clock.now += 6_000;
        await gateway.call('GET', '/organizations');
        expect(Object.keys(await rowsOf(each))).toEqual(expect.arrayContaining(ALL));
      },
      { timeout: 50_000, interval: 500 },
    );
  }
  const kept = await rowsOf(others.orgUuid);
  expect((await gateway.call('DELETE', '/organizations')).status).toBe(200);
  await gateway.settle();
  expect(await rowsOf(orgUuid)).toEqual({ organizations: 1 });
  await sweepAfter(gateway, TEN_MINUTES - 1);
  expect(await rowsOf(orgUuid)).toEqual({ organizations: 1 });
  await sweepAfter(gateway, 1);
  expect(await rowsOf(orgUuid)).toEqual({});
  await runInDurableObject(chainOf(orgUuid), async (_chain, state) => {
    expect([(await state.storage.list()).size, await state.storage.getAlarm()]).toEqual([0, null]);
  });
  expect(await db.select().from(accounts).where(eq(accounts.uuid, user.uuid))).toHaveLength(1);
  expect(await rowsOf(others.orgUuid)).toEqual(kept);
});

test('resets go of accounts that are members nowhere else', async () => {
  const { gateway, orgUuid, user } = await furnished();
  const elsewhere = await startGateway('Read');
  const both = await gateway.addUser('Read');
  await db.insert(memberships).values({
    orgUuid: elsewhere.organization.uuid,
    accountUuid: both.uuid,
    createdAt: NOW,
    createdBy: 'test',
    lastModifiedAt: NOW,
    lastModifiedBy: 'test',
  });
  await startReset(both.uuid);
  await startReset(elsewhere.user.uuid);
  await markDeleted(db, orgUuid, gateway.clock.now);
  await sweepAfter(gateway, 0);
  const left = [user, both, elsewhere.user].map(({ uuid }) => resetsOf(uuid));
  expect(await Promise.all(left)).toEqual([0, 1, 1]);
});

test('what was interrupted after the mark is finished by the cron trigger', async () => {
  const { gateway, orgUuid } = await furnished();
  await markDeleted(db, orgUuid, Date.now());
  const execution = createExecutionContext();
  const cron = createScheduledController({ cron: '* * * * *', scheduledTime: new Date() });
  await worker.scheduled(cron, gateway.bindings, execution);
  expect(await rowsOf(orgUuid)).toEqual({ organizations: 1 });
});

test('what a request writes that was under way when it was deleted goes with the mark', async () => {
  const { gateway, orgUuid } = await furnished();
  await remove({ gateway, orgUuid });
  await db.insert(rules).values({
    orgUuid,
    resourceKind: 'organization',
    resourceUuid: orgUuid,
    subject: 'group:late',
    level: 'SuperAdmin',
    createdAt: NOW,
    createdBy: 'test',
  });
  await insertEndpoint(gateway);
  await numberAll(orgUuid);
  await sweepAfter(gateway, TEN_MINUTES);
  expect(await rowsOf(orgUuid)).toEqual({});
});

test('a relay that does not answer is asked again, until the mark is old', async () => {
  const relay = pingingRelay();
  let asked = 0;
  let down = true;
  const release = (request: { endpoint: string }) => {
    asked += 1;
    if (down) throw new ConnectError('gone', Code.Unavailable);
    relay.released.push({ endpoint: request.endpoint, keepRevision: 0 });
    return { pools: 1 };
  };
  const { gateway, orgUuid } = await furnished({ ...relay.methods, release });
  await remove({ gateway, orgUuid });
  expect([asked, await rowsOf(orgUuid)]).toEqual([3, { endpoints: 3, organizations: 1 }]);
  down = false;
  await sweepAfter(gateway, 60_000);
  expect([relay.released.length, await rowsOf(orgUuid)]).toEqual([3, { organizations: 1 }]);
});

test('a relay that never answers holds nothing up', async () => {
  const release = () => {
    throw new ConnectError('gone', Code.Unavailable);
  };
  const { gateway, orgUuid } = await furnished({ ...pingingRelay().methods, release });
  await remove({ gateway, orgUuid });
  await sweepAfter(gateway, TEN_MINUTES);
  expect(await rowsOf(orgUuid)).toEqual({});
});

test('an organization that cannot be swept does not hold up the others', async () => {
  const stuck = await furnished();
  const { gateway, orgUuid } = await furnished();
  await markDeleted(db, stuck.orgUuid, NOW - TEN_MINUTES - 1);
  await markDeleted(db, orgUuid, NOW - TEN_MINUTES);
  const AUDIT_CHAIN = {
    getByName: (name: string) => ({
      forget: () =>
        name === stuck.orgUuid
          ? Promise.reject(new Error('not now'))
          : env.AUDIT_CHAIN.getByName(name).forget(),
    }),
  };
  const bindings = { ...gateway.bindings, AUDIT_CHAIN } as unknown as typeof gateway.bindings; // What the sweep asks of it.
  const sweeping = sweepDeleted(contextOf({ ...gateway, bindings }));
  await expect(sweeping).rejects.toThrow('Organizations were not swept');
  expect(await rowsOf(orgUuid)).toEqual({});
  await sweepDeleted(contextOf(gateway));
  expect(await rowsOf(stuck.orgUuid)).toEqual({});
});

test('12,000 users and rules go in steps', async () => {
  const { gateway, orgUuid } = await furnished();
  const many = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000) select i from n)`;
  await db.run(sql`insert into ${memberships} ("org_uuid", "account_uuid", "created_at", "created_by", "last_modified_at", "last_modified_by")
    select ${orgUuid}, 'account-' || i, 0, 'test', 0, 'test' from ${many}`);
  await db.run(sql`insert into ${rules} ("org_uuid", "resource_kind", "resource_uuid", "subject", "level", "created_at", "created_by")
    select ${orgUuid}, 'organization', ${orgUuid}, 'account-' || i, 'Read', 0, 'test' from ${many}`);
  await remove({ gateway, orgUuid });
  expect(await rowsOf(orgUuid)).toEqual({ organizations: 1 });
});
