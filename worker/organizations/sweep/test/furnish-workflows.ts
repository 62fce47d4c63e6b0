/** Rows of workflows, as many as there are sorts of them. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { workflowTasks } from '../../../db/tasks.ts';
import {
  workflowDeadLetters,
  workflowHooks,
  workflowReferences,
  workflowRuns,
  workflowTriggerNews,
  workflowTriggers,
} from '../../../db/workflows.ts';
import { NOW, type TestGateway } from '../../../test/gateway.ts';
import { insertWorkflow } from '../../../test/workflow.ts';

const db = drizzle(env.DB);

/** A workflow with a run, a task and a dead letter, and what else is kept of it. */
export async function furnishWorkflows(gateway: TestGateway): Promise<void> {
  const orgUuid = gateway.organization.uuid;
  const { uuid: workflowUuid } = await insertWorkflow(gateway);
  const of = { orgUuid, workflowUuid, version: '1.0.0' };
  const [uuid, runUuid] = [crypto.randomUUID(), crypto.randomUUID()];
  await db.batch([
    db.insert(workflowReferences).values({ ...of, kind: 'template', target: 'x', level: 'Read' }),
    db.insert(workflowHooks).values({ ...of, path: 'hook', trigger: 0 }),
    db.insert(workflowTriggers).values({ ...of, index: 0, type: 'schedule', detail: '{}' }),
    db
      .insert(workflowTriggerNews)
      .values({ orgUuid, type: 'schedule', endpointUuid: '', change: 'x', at: NOW }),
    db.insert(workflowRuns).values({
      ...of,
      uuid: runUuid,
      status: 'running',
      cause: 'api',
      startedBy: 'test',
      startedByName: 'test',
      startedAt: NOW,
    }),
    db.insert(workflowTasks).values({
      ...of,
      uuid,
      runUuid,
      action: 'approve',
      path: 'approve',
      status: 'open',
      sealedContent: 'sealed',
      createdAt: NOW,
    }),
    db.insert(workflowDeadLetters).values({
      ...of,
      uuid,
      runUuid,
      sealedError: 'sealed',
      retryable: true,
      createdAt: NOW,
      expiresAt: NOW,
    }),
  ]);
}
