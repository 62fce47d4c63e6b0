/** Changes of a workflow: versions, status, secrets, and what they are held to. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { workflowRuns } from '../db/workflows.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';
import { hook, make, WAITING } from './test/definitions.ts';

const details = (body: Json) => (body as { details: unknown }).details; // Of a failure.

describe('PATCH /workflows/{workflow}', () => {
  test('puts a version in force that has what is given instead of its own', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, { ...WAITING, key: '$.input.id', documentation: { url: 'x' } });
    const patch = { description: 'once more', key: null };
    expect(await gateway.call('PATCH', '/workflows/waiting', patch)).toEqual({
      status: 200,
      body: {
        id: 'waiting',
        name: 'Waiting',
        version: '1.1.0',
        message: 'Workflow waiting is at version 1.1.0',
        updatedFields: ['description', 'key'],
      },
    });
    const { body } = await gateway.call('GET', '/workflows/waiting');
    expect(body).toMatchObject({
      ...WAITING,
      description: 'once more',
      documentation: { url: 'x' },
      versions: [
        { version: '1.1.0', active: true },
        { version: '1.0.0', active: false },
      ],
    });
    expect(body).not.toHaveProperty('key');
    const { body: before } = await gateway.call('GET', '/workflows/waiting?version=1.0.0');
    expect(before).toMatchObject({ version: '1.0.0', description: '', key: '$.input.id' });
  });

  test('of the status alone makes no version', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, WAITING);
    expect(await gateway.call('PATCH', '/workflows/waiting', { status: 'paused' })).toEqual({
      status: 200,
      body: {
        id: 'waiting',
        name: 'Waiting',
        version: '1.0.0',
        message: 'Workflow waiting is paused',
        updatedFields: ['status'],
      },
    });
    const { body } = await gateway.call('GET', '/workflows/waiting');
    expect(body).toMatchObject({ status: 'paused', versions: [{ version: '1.0.0' }] });
    const wrong = await gateway.call('PATCH', '/workflows/waiting', { status: 'stopped' });
    expect([wrong.status, details(wrong.body)]).toEqual([
      400,
      [{ path: 'status', message: 'must be one of active, paused' }],
    ]);
  });

  test('is checked as a new workflow is', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, WAITING);
    const patch = { id: 'other', name: null, colour: 'red', output: '$.actions.gone.output' };
    const { status, body } = await gateway.call('PATCH', '/workflows/waiting', patch);
    expect([status, details(body)]).toEqual([
      400,
      [
        { path: 'id', message: 'cannot be changed' },
        { path: 'colour', message: expect.stringMatching(/^is no member of a workflow/) },
        { path: 'name', message: 'must be a string, not null' },
        {
          path: 'output',
          message: 'names no action: "gone"; known are wait',
          line: 1,
          column: 1,
        },
      ],
    ]);
    expect((await gateway.call('PATCH', '/workflows/waiting', {})).status).toBe(400);
  });

  test('to a version that exists is 409, of another revision 412', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, WAITING);
    const patch = { version: '1.0.0', description: 'x' };
    expect(await gateway.call('PATCH', '/workflows/waiting', patch)).toEqual({
      status: 409,
      body: failure('WORKFLOW_VERSION_EXISTS', 'Workflow waiting has a version 1.0.0 already'),
    });
    const headers = { Authorization: `Bearer ${await gateway.token()}`, 'If-Match': '"1"' };
    for (const change of [{ description: 'x' }, { status: 'paused' }]) {
      const body = JSON.stringify(change);
      const sent = {
        method: 'PATCH',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body,
      };
      expect((await gateway.send('/workflows/waiting', sent)).status).toBe(412);
    }
  });

  test('that sends a hidden secret back keeps it, and another changes it', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, { ...WAITING, trigger: [hook('one'), hook('two')] });
    const kept = { trigger: [hook('two', '***'), hook('three', ['***', 'another secret'])] };
    expect((await gateway.call('PATCH', '/workflows/waiting', kept)).status).toBe(400);
    const right = { trigger: [hook('two', '***'), hook('three', 'another secret')] };
    expect((await gateway.call('PATCH', '/workflows/waiting', right)).status).toBe(200);
    const { body } = await gateway.call('GET', '/workflows/waiting');
    expect(body).toMatchObject({ trigger: [hook('two', '***'), hook('three', '***')] });
    // The path that is no longer named is free.
    await make(gateway, { ...WAITING, id: 'other', trigger: hook('one') });
    const taken = { trigger: hook('one') };
    expect(await gateway.call('PATCH', '/workflows/waiting', taken)).toEqual({
      status: 409,
      body: failure('WORKFLOW_PATH_TAKEN', 'Another workflow has the path one'),
    });
  });

  test('cannot make a workflow contain itself, not even by another', async () => {
    const gateway = await startGateway('Write');
    const calling = (workflow: string): Json => [{ id: 'call', type: 'subworkflow', workflow }];
    await make(gateway, WAITING);
    await make(gateway, { name: 'Middle', actions: calling('waiting') });
    await make(gateway, { name: 'Outer', actions: calling('middle') });
    for (const [named, message] of [
      ['waiting', 'names the workflow itself: it would never end'],
      ['outer', 'leads back to the workflow itself: outer'],
      ['nobody', 'names no workflow of the organization: nobody'],
    ] as const) {
      const reply = await gateway.call('PATCH', '/workflows/waiting', { actions: calling(named) });
      expect([reply.status, details(reply.body)]).toEqual([
        400,
        [{ path: 'actions.0.workflow', message }],
      ]);
    }
  });
});

/** Runs that ended so many milliseconds after they began, and so; the last is active. */
async function insertRuns(gateway: TestGateway, uuid: string): Promise<void> {
  const now = gateway.clock.now;
  const run = (startedAt: number, status: 'succeeded' | 'failed' | 'running', ms?: number) => ({
    orgUuid: gateway.organization.uuid,
    uuid: crypto.randomUUID(),
    workflowUuid: uuid,
    version: '1.0.0',
    status,
    cause: 'api' as const,
    startedBy: gateway.user.uuid,
    startedByName: gateway.user.username,
    startedAt,
    endedAt: ms === undefined ? null : startedAt + ms,
  });
  const old = now - 2 * 86_400_000;
  await drizzle(env.DB)
    .insert(workflowRuns)
    .values([
      run(old, 'succeeded', 100),
      run(old, 'succeeded', 200),
      run(now - 5_000, 'failed', 600),
      run(now - 1_000, 'running'),
    ]);
}

describe('what became of the runs', () => {
  test('stands in GET, over those that ended', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, WAITING);
    const { body } = await gateway.call('GET', '/workflows/waiting');
    await insertRuns(gateway, (body as { uuid: string }).uuid);
    expect((await gateway.call('GET', '/workflows/waiting')).body).toMatchObject({
      execution: {
        totalExecutions: 4,
        successRate: 0.6667,
        averageDuration: 300,
        last24Hours: { executions: 2, successRate: 0 },
      },
    });
  });

  test('keeps a workflow from going unless that is confirmed', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, WAITING);
    const { body } = await gateway.call('GET', '/workflows/waiting');
    const { uuid } = body as { uuid: string };
    await insertRuns(gateway, uuid);
    expect(await gateway.call('DELETE', '/workflows/waiting')).toEqual({
      status: 409,
      body: failure(
        'WORKFLOW_RUNNING',
        'Workflow waiting has 1 active runs: cancel them with ?confirm=true',
        [{ rule: 'active runs', runs: 1 }],
      ),
    });
    expect(await gateway.call('DELETE', '/workflows/waiting?confirm=true')).toEqual({
      status: 200,
      body: {
        message: 'Workflow waiting deleted',
        id: 'waiting',
        activeInstances: 1,
        terminationStatus: 'cancelling',
      },
    });
    for (const named of ['waiting', uuid]) {
      expect((await gateway.call('GET', `/workflows/${named}`)).status).toBe(404);
    }
    expect((await gateway.call('GET', '/workflows')).body).toEqual({ workflows: [] });
    await make(gateway, WAITING);
  });
});
