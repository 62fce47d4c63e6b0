/** Rules on templates, as those on endpoints. Spec: "RBAC". */
import { expect, test } from 'vitest';
import { failure, startGateway } from '../test/gateway.ts';
import { insertTemplate } from '../test/template.ts';

test('a rule on a template lets its subject run, list and see it, and goes with it', async () => {
  const gateway = await startGateway('SuperAdmin');
  const [id, other] = [await insertTemplate(gateway), await insertTemplate(gateway)];
  const subject = await gateway.addUser(undefined);
  const bearer = await gateway.token(subject);
  const run = (named: string) => gateway.call('POST', `/templates/${named}`, {}, bearer);
  expect(await run(id)).toEqual({
    status: 403,
    body: failure('FORBIDDEN', `This operation needs Read access on template ${id}`),
  });
  const rule = { access_level: 'Read', subject: subject.username, template_id: id };
  expect(await gateway.call('POST', '/iam/rbac/templates/subjects', rule)).toEqual({
    status: 200,
    body: {
      message: expect.any(String),
      subject: subject.username,
      accessLevel: 'Read',
      templateId: id,
    },
  });
  expect(await run(id)).toEqual({ status: 200, body: {} });
  expect((await run(other)).status).toBe(403);
  const list = await gateway.call('GET', '/templates', undefined, bearer);
  expect(list.body).toMatchObject({ templates: [{ id }] });
  expect(await gateway.call('GET', `/iam/rbac/templates/${id}`)).toEqual({
    status: 200,
    body: { template_id: id, users: { [subject.username]: 'Read' }, groups: {} },
  });
  const mine = await gateway.call('GET', `/iam/rbac/subjects/${subject.username}/templates`);
  expect(mine).toEqual({
    status: 200,
    body: { subject: subject.username, templates: { [id]: 'Read' } },
  });
  expect(
    await gateway.call(
      'DELETE',
      `/iam/rbac/templates/subjects/${subject.username}?template_id=${id}`,
    ),
  ).toEqual({
    status: 200,
    body: { message: expect.any(String), subject: subject.username, templateId: id },
  });
  expect((await run(id)).status).toBe(403);
});

test('a denial on one template leaves the others', async () => {
  const gateway = await startGateway('SuperAdmin');
  const [id, other] = [await insertTemplate(gateway), await insertTemplate(gateway)];
  const writer = await gateway.addUser('Write');
  const rule = { access_level: 'None', subject: writer.username, template_id: id };
  await gateway.call('POST', '/iam/rbac/templates/subjects', rule);
  const bearer = await gateway.token(writer);
  expect((await gateway.call('POST', `/templates/${id}`, {}, bearer)).status).toBe(403);
  expect((await gateway.call('POST', `/templates/${other}`, {}, bearer)).status).toBe(200);
});
