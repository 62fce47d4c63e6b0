/** What becomes of a new workflow, and what is refused. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../proto/json.ts';
import { workflowVersions } from '../db/workflows.ts';
import { GREETING, make as makeTemplate } from '../templates/test/definitions.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { hook, make, READING, WAITING } from './test/definitions.ts';

describe('a new workflow', () => {
  test('has its name in lower case with hyphens for an id, and version 1.0.0', async () => {
    const gateway = await startGateway('Write');
    const made = await gateway.call('POST', '/workflows', { ...WAITING, name: 'Größe prüfen' });
    const identity = { id: 'gro-e-prufen', name: 'Größe prüfen', version: '1.0.0' };
    expect(made).toEqual({
      status: 200,
      body: { ...identity, message: 'Workflow gro-e-prufen created' },
    });
    expect(await gateway.call('GET', '/workflows/gro-e-prufen')).toEqual({
      status: 200,
      body: {
        ...identity,
        uuid: expect.any(String),
        description: '',
        actions: WAITING.actions,
        status: 'active',
        created: expect.any(String),
        createdBy: gateway.user.username,
        lastModified: expect.any(String),
        lastModifiedBy: gateway.user.username,
        execution: {
          totalExecutions: 0,
          successRate: 0,
          averageDuration: 0,
          last24Hours: { executions: 0, successRate: 0 },
        },
        versions: [{ version: '1.0.0', created: expect.any(String), active: true }],
      },
    });
  });

  test('over 1 MiB is 413, counted in bytes', async () => {
    const gateway = await startGateway('Write');
    const documentation = { text: 'é'.repeat(600_000) };
    expect(await gateway.call('POST', '/workflows', { ...WAITING, documentation })).toEqual({
      status: 413,
      body: failure('PAYLOAD_TOO_LARGE', 'The definition is larger than 1048576 bytes'),
    });
  });

  test('of an id that is taken is 409, in its organization alone', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, WAITING);
    expect(await gateway.call('POST', '/workflows', WAITING)).toEqual({
      status: 409,
      body: failure('WORKFLOW_EXISTS', 'Workflow waiting already exists'),
    });
    await make(await startGateway('Write'), WAITING);
  });

  test('beyond the quota is 403, and counts in the record of the organization', async () => {
    const bindings = { QUOTAS: JSON.stringify({ workflows: 1 }) };
    const gateway = await startGateway('Write', { bindings });
    await make(gateway, WAITING);
    expect(await gateway.call('POST', '/workflows', { ...WAITING, id: 'other' })).toEqual({
      status: 403,
      body: failure('QUOTA_EXCEEDED', 'The organization has as many workflows as it may have'),
    });
    const { body } = await gateway.call('GET', '/organizations');
    expect(body).toMatchObject({
      usage: { workflows: { count: 1, limit: 1 } },
      resources: { resourceCounts: { workflows: 1 } },
    });
  });

  test('needs Write on the organization', async () => {
    const gateway = await startGateway('Read');
    expect(await gateway.call('POST', '/workflows', WAITING)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Write access on the organization'),
    });
  });

  test('needs on an endpoint what its action needs there, once nothing else is wrong', async () => {
    const gateway = await startGateway('SuperAdmin');
    await insertEndpoint(gateway, 'orders');
    const writer = await gateway.addUser('Write');
    const rule = { access_level: 'Read', subject: writer.username, endpoint_id: 'orders' };
    expect((await gateway.call('POST', '/iam/rbac/endpoints/subjects', rule)).status).toBe(200);
    const bearer = await gateway.token(writer);
    expect((await gateway.call('POST', '/workflows', READING, bearer)).status).toBe(200);
    const [action] = READING.actions;
    const writing = {
      name: 'Writing',
      actions: [{ ...action, operation: 'write', input: { query: 'delete from orders' } }],
    };
    expect(await gateway.call('POST', '/workflows', writing, bearer)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Write access on endpoint orders'),
    });
    const wrong = { ...writing, colour: 'red' };
    expect((await gateway.call('POST', '/workflows', wrong, bearer)).status).toBe(400);
  });

  test('needs Read on a template and a workflow that it names', async () => {
    const gateway = await startGateway('SuperAdmin');
    await makeTemplate(gateway, GREETING);
    await make(gateway, WAITING);
    const writer = await gateway.addUser('Write');
    const bearer = await gateway.token(writer);
    const using = (id: string, action: { readonly [name: string]: string }) => ({
      id,
      name: id,
      actions: [{ id: 'use', ...action }],
    });
    const template = using('one', { type: 'template', template: 'greeting' });
    const workflow = using('two', { type: 'subworkflow', workflow: 'waiting' });
    for (const body of [template, workflow]) {
      expect((await gateway.call('POST', '/workflows', body, bearer)).status).toBe(200);
    }
    const subject = writer.username;
    const none = { access_level: 'None', subject };
    await gateway.call('POST', '/iam/rbac/templates/subjects', {
      ...none,
      template_id: 'greeting',
    });
    await gateway.call('POST', '/iam/rbac/workflows/subjects', { ...none, workflow_id: 'waiting' });
    expect(await gateway.call('POST', '/workflows', { ...template, id: 'three' }, bearer)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Read access on template greeting'),
    });
    expect(await gateway.call('POST', '/workflows', { ...workflow, id: 'four' }, bearer)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Read access on workflow waiting'),
    });
  });
});

describe('a workflow of the insert shape', () => {
  const uuid = (letter: string) => `${letter}0000000-0000-4000-8000-000000000000`;
  const [a, b, c] = [uuid('a'), uuid('b'), uuid('c')];
  const node = (id: string, source: string[], children: string[], rest = {}): JsonObject => ({
    id,
    source,
    children,
    template_uuid: 'greeting',
    ...rest,
  });
  const nodes = {
    [a]: node(a, [], [c]),
    [b]: node(b, [], [c], { output_op: '$.hello // who' }),
    [c]: node(c, [a, b], [], { input_op: `({name: $["${b}"]})` }),
  };

  test('is a graph of template actions', async () => {
    const gateway = await startGateway('Write');
    await makeTemplate(gateway, GREETING);
    const schema = { id: 'joined', dag: { nodes } };
    const body = { org_uuid: gateway.organization.uuid, workflow_schema: schema };
    expect(await gateway.call('POST', '/workflows', body)).toEqual({
      status: 200,
      body: { id: 'joined', name: 'joined', version: '1.0.0', message: 'Workflow joined created' },
    });
    const { body: shown } = await gateway.call('GET', '/workflows/joined');
    expect(shown).toMatchObject({
      workflow_schema: schema,
      actions: [
        { id: a, type: 'template', template: 'greeting', after: [], input: '$.input' },
        {
          id: b,
          type: 'template',
          template: 'greeting',
          after: [],
          input: '$.input',
          output: '$((($) => ($.hello // who\n))($.output))',
        },
        {
          id: c,
          type: 'template',
          template: 'greeting',
          after: [a, b],
          input: `$((($) => (({name: $["${b}"]})\n))(({"${a}": $.actions["${a}"].output, "${b}": $.actions["${b}"].output})))`,
        },
      ],
    });
  });

  test('gets a new word for an id, and its name is the id', async () => {
    const gateway = await startGateway('Write');
    await makeTemplate(gateway, GREETING);
    const body = { workflow_schema: { dag: { nodes: { [a]: node(a, [], []) } } } };
    const { body: made } = await gateway.call('POST', '/workflows', body);
    const { id, name } = made as { id: string; name: string };
    expect(id).toMatch(/^wf-[a-z0-9]{12}$/);
    expect(name).toBe(id);
  });

  test('may be a definition, which is shown as it was given', async () => {
    const gateway = await startGateway('Write');
    const body = { org_uuid: gateway.organization.uuid, workflow_schema: WAITING };
    expect((await gateway.call('POST', '/workflows', body)).status).toBe(200);
    const { body: shown } = await gateway.call('GET', '/workflows/waiting');
    expect(shown).toMatchObject({ ...WAITING, workflow_schema: WAITING });
  });

  test('is told every fault where it stands', async () => {
    const gateway = await startGateway('Write');
    const broken = {
      [a]: node(b, ['nobody'], [], { input_op: '1 +' }),
      [c]: node(c, [a], []),
    };
    const body = { workflow_schema: { dag: { nodes: broken } } };
    const { status, body: reply } = await gateway.call('POST', '/workflows', body);
    const at = (id: string) => `workflow_schema.dag.nodes.${id}`;
    expect([status, (reply as { details: unknown }).details]).toEqual([
      400,
      [
        { path: `${at(a)}.id`, message: `must be the key of the node: ${a}` },
        { path: `${at(a)}.input_op`, message: 'unexpected token', line: 1, column: 4 },
        { path: `${at(a)}.source.0`, message: 'names no node: nobody' },
        { path: `${at(c)}.source.0`, message: `names ${a}, whose children do not name this node` },
        {
          path: `${at(a)}.template_uuid`,
          message: 'names no template of the organization: greeting',
        },
        {
          path: `${at(c)}.template_uuid`,
          message: 'names no template of the organization: greeting',
        },
      ],
    ]);
  });

  test("of another organization's UUID is 404", async () => {
    const gateway = await startGateway('Write');
    const other = crypto.randomUUID();
    const body = { org_uuid: other, workflow_schema: WAITING };
    expect(await gateway.call('POST', '/workflows', body)).toEqual({
      status: 404,
      body: failure('NOT_FOUND', `Organization ${other} does not exist`),
    });
  });
});

describe('webhooks', () => {
  test('have paths of their own, and secrets that never come back', async () => {
    const gateway = await startGateway('Write');
    const hooks = [hook('/shop/paid', ['first secret', 'second secret']), hook('other')];
    await make(gateway, { ...WAITING, trigger: hooks });
    const { body } = await gateway.call('GET', '/workflows/waiting');
    expect(body).toMatchObject({
      trigger: [hook('/shop/paid', ['***', '***']), hook('other', '***')],
    });
    const [row] = await drizzle(env.DB)
      .select()
      .from(workflowVersions)
      .where(eq(workflowVersions.orgUuid, gateway.organization.uuid));
    expect(row?.definition).not.toMatch(/first secret|second secret|a secret of tests/);
    const again = { ...WAITING, id: 'again', trigger: hook('shop/paid') };
    expect(await gateway.call('POST', '/workflows', again)).toEqual({
      status: 409,
      body: failure('WORKFLOW_PATH_TAKEN', 'Another workflow has the path shop/paid'),
    });
    const open = { type: 'api', authentication: { required: false } };
    const schema = { schema: { type: 'object' } };
    const named = { ...WAITING, id: 'other', trigger: open, input: schema };
    expect(await gateway.call('POST', '/workflows', named)).toEqual({
      status: 409,
      body: failure('WORKFLOW_PATH_TAKEN', 'Another workflow has the path other'),
    });
    await make(await startGateway('Write'), { ...WAITING, trigger: hook('shop/paid') });
  });

  test.each([
    ['two webhooks', [hook('paid'), hook('/paid')], 'paid'],
    [
      'a webhook and the start by anyone',
      [hook('waiting'), { type: 'api', authentication: { required: false } }],
      'waiting',
    ],
  ])('do not share a path within a workflow: %s', async (_which, trigger, path) => {
    const gateway = await startGateway('Write');
    const body = { ...WAITING, trigger, input: { schema: { type: 'object' } } };
    expect(await gateway.call('POST', '/workflows', body)).toEqual({
      status: 409,
      body: failure('WORKFLOW_PATH_TAKEN', `Two triggers of the workflow have the path ${path}`),
    });
  });
});
