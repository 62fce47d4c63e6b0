/** A workflow straight in the database. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { workflows, workflowVersions } from '../db/workflows.ts';
import { NOW, type TestGateway } from './gateway.ts';

/** Answers its id and UUID; it waits for an hour. */
export async function insertWorkflow({ organization }: Pick<TestGateway, 'organization'>) {
  const uuid = crypto.randomUUID();
  const id = `workflow-${uuid}`;
  const db = drizzle(env.DB);
  const of = { orgUuid: organization.uuid, createdAt: NOW, createdBy: 'test', version: '1.0.0' };
  const actions = [{ id: 'wait', type: 'wait', mode: 'duration', duration: 'PT1H' }];
  const definition = JSON.stringify({ name: id, description: '', version: '1.0.0', actions });
  const rest = { status: 'active', updatedAt: NOW, lastModifiedBy: 'test' } as const;
  await db.batch([
    db.insert(workflows).values({ ...of, ...rest, uuid, id, name: id }),
    db.insert(workflowVersions).values({ ...of, workflowUuid: uuid, definition }),
  ]);
  return { id, uuid };
}
