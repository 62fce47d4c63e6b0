/** A template straight in the database. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { templates, templateVersions } from '../db/templates.ts';
import { NOW, type TestGateway } from './gateway.ts';

/** Answers its id. */
export async function insertTemplate({
  organization,
}: Pick<TestGateway, 'organization'>): Promise<string> {
  const uuid = crypto.randomUUID();
  const id = `template-${uuid}`;
  const db = drizzle(env.DB);
  const of = { orgUuid: organization.uuid, createdAt: NOW, createdBy: 'test', version: '1.0.0' };
  const definition = { name: id, description: '', version: '1.0.0', transformationRules: [] };
  await db.batch([
    db
      .insert(templates)
      .values({ ...of, uuid, id, name: id, updatedAt: NOW, lastModifiedBy: 'test' }),
    db
      .insert(templateVersions)
      .values({ ...of, templateUuid: uuid, definition: JSON.stringify(definition) }),
  ]);
  return id;
}
