/** Runs of workflows in their real objects, without the operations around them: definitions lie in D1. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { expect } from 'vitest';
import { type Json, parseJson } from '../../../../proto/json.ts';
import { workflowReferences, workflows, workflowVersions } from '../../../db/workflows.ts';
import { NOW, startGateway } from '../../../test/gateway.ts';
import { readWorkflow } from '../../definition/read.ts';
import type { Shown } from '../../executions/show.ts';
import type { Order, WorkflowVersion } from '../head.ts';
import type { Started } from '../object.ts';
import { runsObject } from '../reachable.ts';

/** An organization with a template `echo` that answers its input, and the means to run workflows. */
export async function startRunner() {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  await gateway.call('POST', '/templates', {
    id: 'echo',
    name: 'Echo',
    transformationRules: [{ target: 'of', source: 'n' }],
  });
  const { organization, user } = gateway;
  const orgUuid = organization.uuid;
  const owner = { orgUuid, orgId: organization.id, sealedDataKey: organization.sealedDataKey };
  const versions = new Map<string, WorkflowVersion>();
  const store = async (id: string, definition: Definition) =>
    void versions.set(id, await stored(orgUuid, id, definition));

  function object(run: string) {
    return runsObject(env, orgUuid, run);
  }

  return {
    ...gateway,
    store,
    object,
    /** Starts a run, and waits for its end unless told otherwise. */
    async start(
      id: string,
      input: Json = {},
      more: Partial<Order> = {},
      isAwaited = true,
    ): Promise<Started> {
      const workflow = versions.get(id);
      if (!workflow) throw new Error(`There is no workflow ${id}`);
      const order: Order = {
        ...owner,
        id: crypto.randomUUID(),
        input: JSON.stringify(input),
        workflow,
        caller: {
          ...{ userUuid: user.uuid, userId: user.username, orgUuid, orgId: organization.id },
          ...{ issuedAt: Date.now(), loginAt: Date.now(), expiresAt: Date.now() + 60_000 },
        },
        startedBy: user.username,
        trigger: { type: 'api', id: 'test' },
        depth: 1,
        retentionMs: 86_400_000,
        pins: { templates: {}, workflows: {} },
        requestId: 'test',
        address: 'local',
        ...more,
      };
      return object(order.id).start(owner, JSON.stringify(order), isAwaited);
    },
    /** What is known of a run. */
    async shown(run: string): Promise<Shown> {
      const text = await object(run).record(run, { after: 0, limit: 1000 });
      if (text === undefined) throw new Error(`There is no run ${run}`);
      return JSON.parse(text) as Shown;
    },
    /** The output of a run. */
    async output(run: string): Promise<Json | undefined> {
      const { output } = (await this.shown(run)).record;
      return output && 'text' in output ? parseJson(output.text) : undefined;
    },
    /** Waits until a run is so. */
    async until(run: string, status: string): Promise<void> {
      await expect.poll(async () => (await this.shown(run)).record.status).toBe(status);
    },
  };
}

type Definition = { readonly [member: string]: Json };

/** Stores a workflow as its operations do. */
async function stored(
  orgUuid: string,
  id: string,
  definition: Definition,
): Promise<WorkflowVersion> {
  const whole = { name: id, ...definition };
  const { faults, references } = readWorkflow(whole, { kindOf: () => undefined, isStored: true });
  expect(faults).toEqual([]);
  const uuid = crypto.randomUUID();
  const version = '1.0.0';
  const db = drizzle(env.DB);
  await db.insert(workflows).values({
    ...{ orgUuid, uuid, id, name: id, version, status: 'active' },
    ...{ createdAt: NOW, createdBy: 'test', updatedAt: NOW, lastModifiedBy: 'test' },
  });
  const text = JSON.stringify(whole);
  await db.insert(workflowVersions).values({
    ...{ orgUuid, workflowUuid: uuid, version, definition: text, createdAt: NOW },
    createdBy: 'test',
  });
  for (const { kind, id: target } of references) {
    await db
      .insert(workflowReferences)
      .values({ orgUuid, workflowUuid: uuid, version, kind, target, level: 'Read' })
      .onConflictDoNothing();
  }
  return { uuid, id, version };
}
