/** Templates that go, and what uses them. */
import { env } from 'cloudflare:test';
import { and, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import { rules } from '../db/schema.ts';
import { templateReferences, templates, templateVersions } from '../db/templates.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { GREETING, make, nesting, ORDER } from './test/definitions.ts';

describe('DELETE /templates/{template}', () => {
  test('removes all versions, references and rules', async () => {
    const gateway = await startGateway('SuperAdmin');
    const reader = await gateway.addUser('Read');
    await make(gateway, GREETING);
    await make(gateway, nesting('outer', 'greeting'));
    await gateway.call('PATCH', '/templates/outer', { description: 'once more' });
    const rule = { access_level: 'Write', subject: reader.username, template_id: 'outer' };
    expect((await gateway.call('POST', '/iam/rbac/templates/subjects', rule)).status).toBe(200);
    expect(await gateway.call('DELETE', '/templates/outer')).toEqual({
      status: 200,
      body: {
        message: 'Template outer deleted',
        id: 'outer',
        affectedResources: { workflows: [], templates: [] },
      },
    });
    expect((await gateway.call('GET', '/templates/outer')).status).toBe(404);
    const db = drizzle(env.DB);
    const { uuid } = gateway.organization;
    const left = await db.batch([
      db.select().from(templateReferences).where(eq(templateReferences.orgUuid, uuid)),
      db.select().from(templateVersions).where(eq(templateVersions.orgUuid, uuid)),
      db
        .select()
        .from(rules)
        .where(and(eq(rules.orgUuid, uuid), eq(rules.resourceKind, 'template'))),
    ]);
    expect(left.map((rows) => rows.length)).toEqual([0, 1, 0]);
  });

  test('needs on an endpoint what a run needs there, while it is there', async () => {
    const gateway = await startGateway('SuperAdmin');
    await insertEndpoint(gateway, 'orders');
    const writer = await gateway.addUser('Write');
    const bearer = await gateway.token(writer);
    await make(gateway, { ...ORDER, id: 'place', request: 'Write' });
    await make(gateway, nesting('outer', 'place'));
    const rule = { access_level: 'Read', subject: writer.username, endpoint_id: 'orders' };
    expect((await gateway.call('POST', '/iam/rbac/endpoints/subjects', rule)).status).toBe(200);
    const refused = {
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Write access on endpoint orders'),
    };
    for (const id of ['place', 'outer']) {
      const path = `/templates/${id}?confirm=true`;
      expect(await gateway.call('DELETE', path, undefined, bearer)).toEqual(refused);
    }
    await gateway.call('DELETE', '/endpoints/orders?confirm=true');
    expect((await gateway.call('DELETE', '/templates/place?confirm=true')).status).toBe(200);
    // What it nests is gone, and keeps nobody from its removal.
    expect((await gateway.call('DELETE', '/templates/outer', undefined, bearer)).status).toBe(200);
  });

  test('is for an Admin where it has come to nest more than can be looked at', async () => {
    const gateway = await startGateway('Write');
    const { uuid } = gateway.organization;
    const admin = await gateway.token(await gateway.addUser('Admin'));
    await make(gateway, { ...GREETING, id: 'inner' });
    await make(gateway, nesting('outer', 'inner'));
    const others = JSON.stringify(Array.from({ length: 100 }, (_, at) => `other${at}`));
    const db = drizzle(env.DB);
    const all = sql`${templates} t, (select value from json_each(${others})) other
      where t.org_uuid = ${uuid} and t.id = 'inner'`;
    await db.run(sql`insert into ${templates} select t.org_uuid, other.value, other.value, t.name,
      t.version, t.created_at, t.created_by, t.updated_at, t.last_modified_by, t.revision from ${all}`);
    await db.run(sql`insert into ${templateReferences}
      select t.org_uuid, t.uuid, t.version, 'template', other.value, 'Read' from ${all}`);
    expect(await gateway.call('DELETE', '/templates/outer')).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Admin access on the organization'),
    });
    expect((await gateway.call('DELETE', '/templates/outer', undefined, admin)).status).toBe(200);
  });

  test('of one in use lists what uses it, and goes when that is confirmed', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, GREETING);
    await make(gateway, nesting('outer', 'greeting'));
    expect(await gateway.call('DELETE', '/templates/greeting')).toEqual({
      status: 409,
      body: failure(
        'TEMPLATE_IN_USE',
        'Template greeting is in use: delete it with ?confirm=true',
        [{ rule: 'in use', templates: ['outer'], workflows: [] }],
      ),
    });
    expect(await gateway.call('DELETE', '/templates/greeting?confirm=true')).toEqual({
      status: 200,
      body: {
        message: 'Template greeting deleted',
        id: 'greeting',
        affectedResources: { workflows: [], templates: ['outer'] },
      },
    });
    expect(await gateway.call('POST', '/templates/outer', { name: 'Ada' })).toEqual({
      status: 404,
      body: failure('TEMPLATE_NOT_FOUND', 'Template greeting does not exist'),
    });
  });

  test('is held to a revision', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, GREETING);
    const bearer = await gateway.token();
    const response = await gateway.send('/templates/greeting', {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${bearer}`, 'If-Match': '"1"' },
    });
    expect(response.status).toBe(412);
    expect((await gateway.call('GET', '/templates/greeting')).status).toBe(200);
  });
});
