/** Workflows that go, and what goes only after a confirmation because they use it. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { ErrorDetails } from '../../proto/errors.ts';
import { rules } from '../db/schema.ts';
import { workflowHooks, workflowReferences, workflows, workflowVersions } from '../db/workflows.ts';
import { GREETING, make as makeTemplate } from '../templates/test/definitions.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { hook, make, READING, WAITING } from './test/definitions.ts';

const GREETED = { name: 'Greeted', actions: [{ id: 'a', type: 'template', template: 'greeting' }] };

describe('DELETE /workflows/{workflow}', () => {
  test('removes all versions, references, paths and rules', async () => {
    const gateway = await startGateway('SuperAdmin');
    const reader = await gateway.addUser('Read');
    await makeTemplate(gateway, GREETING);
    await make(gateway, { ...GREETED, trigger: hook('path') });
    await gateway.call('PATCH', '/workflows/greeted', { description: 'once more' });
    const rule = { access_level: 'Write', subject: reader.username, workflow_id: 'greeted' };
    expect((await gateway.call('POST', '/iam/rbac/workflows/subjects', rule)).status).toBe(200);
    expect(await gateway.call('DELETE', '/workflows/greeted')).toEqual({
      status: 200,
      body: {
        message: 'Workflow greeted deleted',
        id: 'greeted',
        activeInstances: 0,
        terminationStatus: 'none',
      },
    });
    const db = drizzle(env.DB);
    const { uuid } = gateway.organization;
    const left = await db.batch([
      db.select().from(workflows).where(eq(workflows.orgUuid, uuid)),
      db.select().from(workflowVersions).where(eq(workflowVersions.orgUuid, uuid)),
      db.select().from(workflowReferences).where(eq(workflowReferences.orgUuid, uuid)),
      db.select().from(workflowHooks).where(eq(workflowHooks.orgUuid, uuid)),
      db.select().from(rules).where(eq(rules.subject, reader.uuid)),
    ]);
    // The reader's rule on the organization stays.
    expect(left.map((rows) => rows.length)).toEqual([0, 0, 0, 0, 1]);
    expect(await gateway.call('DELETE', '/workflows/greeted')).toEqual({
      status: 404,
      body: failure('WORKFLOW_NOT_FOUND', 'Workflow greeted does not exist'),
    });
  });

  test('needs what storing it needed, on all that is still there', async () => {
    const gateway = await startGateway('SuperAdmin');
    await insertEndpoint(gateway, 'orders');
    await makeTemplate(gateway, GREETING);
    await make(gateway, WAITING);
    const [reading] = READING.actions;
    const writing = { ...reading, operation: 'write', input: { query: 'delete from orders' } };
    await make(gateway, { name: 'Writing', actions: [writing] });
    await make(gateway, GREETED);
    const nested = [{ id: 'a', type: 'subworkflow', workflow: 'waiting' }];
    await make(gateway, { name: 'Nesting', actions: nested });
    const writer = await gateway.addUser('Write');
    const bearer = await gateway.token(writer);
    const remove = (id: string) =>
      gateway.call('DELETE', `/workflows/${id}?confirm=true`, undefined, bearer);
    for (const [kind, id, level, workflow] of [
      ['endpoint', 'orders', 'Write', 'writing'],
      ['template', 'greeting', 'Read', 'greeted'],
      ['workflow', 'waiting', 'Read', 'nesting'],
    ] as const) {
      const lower = level === 'Write' ? 'Read' : 'None';
      const rule = { access_level: lower, subject: writer.username, [`${kind}_id`]: id };
      const ruled = await gateway.call('POST', `/iam/rbac/${kind}s/subjects`, rule);
      expect(ruled.status).toBe(200);
      expect(await remove(workflow)).toEqual({
        status: 403,
        body: failure('FORBIDDEN', `This operation needs ${level} access on ${kind} ${id}`),
      });
      expect((await gateway.call('DELETE', `/${kind}s/${id}?confirm=true`)).status).toBe(200);
      expect((await remove(workflow)).status).toBe(200);
    }
  });

  test('may be removed by an Admin once what it names nests too much to be looked at', async () => {
    const gateway = await startGateway('SuperAdmin');
    const leaves = Array.from({ length: 102 }, (_, at) => `leaf-${at}`);
    for (const id of leaves) await makeTemplate(gateway, { ...GREETING, id });
    for (const id of ['one', 'two']) await makeTemplate(gateway, { ...GREETING, id });
    const use = (template: string) => ({ id: template, type: 'template', template });
    const actions = [{ ...use('one'), next: 'two' }, use('two')];
    await make(gateway, { name: 'Wide', actions });
    for (const [at, id] of ['one', 'two'].entries()) {
      const transformationRules = leaves
        .slice(at * 51, at * 51 + 51)
        .map((template, index) => ({ target: `x${index}`, template, input: '$' }));
      const patched = await gateway.call('PATCH', `/templates/${id}`, { transformationRules });
      expect(patched.status).toBe(200);
    }
    const bearer = await gateway.token(await gateway.addUser('Write'));
    expect(await gateway.call('DELETE', '/workflows/wide', undefined, bearer)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Admin access on the organization'),
    });
    expect((await gateway.call('DELETE', '/workflows/wide')).status).toBe(200);
  });

  test('is held to a revision', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, WAITING);
    const headers = { Authorization: `Bearer ${await gateway.token()}`, 'If-Match': '"1"' };
    const sent = await gateway.send('/workflows/waiting', { method: 'DELETE', headers });
    expect(sent.status).toBe(412);
    expect((await gateway.call('GET', '/workflows/waiting')).status).toBe(200);
  });
});

describe('DELETE of a workflow that others run', () => {
  const outer = (name: string, workflow: string) => ({
    ...{ name, actions: [{ id: 'a', type: 'subworkflow', workflow }] },
  });
  const refused = (details: ErrorDetails[]) => ({
    status: 409,
    body: failure(
      'WORKFLOW_IN_USE',
      'Workflow waiting is in use: delete it with ?confirm=true',
      details,
    ),
  });
  const used = { rule: 'in use', workflows: ['by-id', 'by-uuid'] };

  test('lists them, by id and by UUID, and its active runs', async () => {
    const gateway = await startGateway('Write');
    gateway.clock.now = Date.now();
    await make(gateway, WAITING);
    const { uuid } = (await gateway.call('GET', '/workflows/waiting')).body as { uuid: string };
    await make(gateway, outer('By id', 'waiting'));
    await make(gateway, outer('By uuid', uuid));
    expect(await gateway.call('DELETE', '/workflows/waiting')).toEqual(refused([used]));
    await gateway.call('POST', '/workflows/waiting', {});
    expect(await gateway.call('DELETE', '/workflows/waiting')).toEqual(
      refused([used, { rule: 'active runs', runs: 1 }]),
    );
    expect(await gateway.call('DELETE', '/workflows/waiting?confirm=true')).toMatchObject({
      status: 200,
      body: { activeInstances: 1 },
    });
  });

  test('takes no note of versions that are no longer in force, and of those that are gone', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, WAITING);
    await make(gateway, outer('By id', 'waiting'));
    await make(gateway, outer('Gone', 'waiting'));
    await gateway.call('PATCH', '/workflows/by-id', { actions: WAITING.actions });
    await gateway.call('DELETE', '/workflows/gone');
    expect(await gateway.call('DELETE', '/workflows/waiting')).toMatchObject({ status: 200 });
  });
});

describe('DELETE of a workflow whose runs began just now', () => {
  const begun = async () => {
    const gateway = await startGateway('Write');
    gateway.clock.now = Date.now();
    await make(gateway, WAITING);
    const started = await Promise.all(
      Array.from({ length: 5 }, () => gateway.call('POST', '/workflows/waiting', {})),
    );
    const runs = started.map((reply) => (reply.body as { run_id: string }).run_id);
    return { gateway, runs };
  };

  test('is refused', async () => {
    const { gateway } = await begun();
    const message = 'Workflow waiting has 5 active runs: cancel them with ?confirm=true';
    expect(await gateway.call('DELETE', '/workflows/waiting')).toEqual({
      status: 409,
      body: failure('WORKFLOW_RUNNING', message, [{ rule: 'active runs', runs: 5 }]),
    });
  });

  test('cancels each of them when it is confirmed', async () => {
    const { gateway, runs } = await begun();
    const { body } = await gateway.call('GET', '/workflows/waiting');
    const { uuid } = body as { uuid: string };
    expect(await gateway.call('DELETE', '/workflows/waiting?confirm=true')).toEqual({
      status: 200,
      body: {
        message: 'Workflow waiting deleted',
        id: 'waiting',
        activeInstances: 5,
        terminationStatus: 'cancelling',
      },
    });
    for (const run of runs) {
      const shown = await gateway.call('GET', `/workflows/${uuid}/executions/${run}`);
      expect(shown).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    }
  });
});

describe('DELETE of a workflow whose runs have done something', () => {
  const GREET = { type: 'template', template: 'greeting', input: {} };
  const DONE = { ...GREET, id: 'done', compensation: { ...GREET, id: 'undone' }, next: 'ask' };
  const ASK = { id: 'ask', type: 'humanTask', title: 'Go on?', assignees: { roles: ['Write'] } };

  test('compensates them, ends their tasks, and lets none that is queued begin', async () => {
    const gateway = await startGateway('Write');
    gateway.clock.now = Date.now();
    await makeTemplate(gateway, GREETING);
    const executionSettings = { maxConcurrency: 1 };
    await make(gateway, { name: 'Asking', executionSettings, actions: [DONE, ASK] });
    const { uuid } = (await gateway.call('GET', '/workflows/asking')).body as { uuid: string };
    const begin = async () =>
      (await gateway.call('POST', '/workflows/asking', {})).body as { run_id: string };
    const shown = async (run: string) =>
      (await gateway.call('GET', `/workflows/${uuid}/executions/${run}`)).body;
    const { run_id: asks } = await begin();
    await expect.poll(() => shown(asks)).toMatchObject({ status: 'waiting' });
    const { run_id: queued } = await begin();
    expect(await shown(queued)).toMatchObject({ status: 'queued' });
    expect(await gateway.call('DELETE', '/workflows/asking?confirm=true')).toMatchObject({
      status: 200,
      body: { activeInstances: 2, terminationStatus: 'cancelling' },
    });
    await expect
      .poll(() => shown(asks))
      .toMatchObject({
        ...{ status: 'cancelled', compensation: 'complete' },
        actions: [
          { path: 'done', status: 'compensated' },
          { path: 'ask', status: 'cancelled' },
          { path: expect.stringContaining('undone'), status: 'succeeded', compensates: 'done' },
        ],
      });
    await expect.poll(() => shown(queued)).toMatchObject({ status: 'cancelled', actions: [] });
    const tasks = async () =>
      (await gateway.call('GET', `/tasks?workflow=${uuid}`)).body as { tasks: object[] };
    await expect.poll(tasks).toMatchObject({ tasks: [{ run_id: asks, status: 'expired' }] });
    expect(await gateway.call('POST', '/workflows/asking', {})).toEqual({
      status: 404,
      body: failure('WORKFLOW_NOT_FOUND', 'Workflow asking does not exist'),
    });
  });
});

describe('what workflows use', () => {
  test('of templates, is listed, and goes when that is confirmed', async () => {
    const gateway = await startGateway('Write');
    await makeTemplate(gateway, GREETING);
    await make(gateway, GREETED);
    const { body } = await gateway.call('GET', '/templates/greeting');
    expect(body).toMatchObject({ usage: { directReferences: 1 } });
    expect(await gateway.call('DELETE', '/templates/greeting')).toEqual({
      status: 409,
      body: failure(
        'TEMPLATE_IN_USE',
        'Template greeting is in use: delete it with ?confirm=true',
        [{ rule: 'in use', templates: [], workflows: ['greeted'] }],
      ),
    });
    expect(await gateway.call('DELETE', '/templates/greeting?confirm=true')).toEqual({
      status: 200,
      body: {
        message: 'Template greeting deleted',
        id: 'greeting',
        affectedResources: { workflows: ['greeted'], templates: [] },
      },
    });
  });

  test('of endpoints, too', async () => {
    const gateway = await startGateway('Admin');
    await insertEndpoint(gateway, 'orders');
    await make(gateway, READING);
    expect(await gateway.call('DELETE', '/endpoints/orders')).toEqual({
      status: 409,
      body: failure('ENDPOINT_IN_USE', 'Endpoint orders is in use: delete it with ?confirm=true', [
        { rule: 'in use', workflows: ['reading'] },
      ]),
    });
    expect(await gateway.call('DELETE', '/endpoints/orders?confirm=true')).toEqual({
      status: 200,
      body: {
        status: 'success',
        data: {
          message: 'Endpoint orders deleted',
          affectedResources: { workflows: ['reading'] },
        },
      },
    });
    expect((await gateway.call('GET', '/workflows/reading')).status).toBe(200);
  });
});
