/** What becomes of a new template, and what is refused. */
import { describe, expect, test } from 'vitest';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { GREETING, make, nesting, ORDER } from './test/definitions.ts';

describe('a new template', () => {
  test('has its name in lower case with hyphens for an id, and version 1.0.0', async () => {
    const gateway = await startGateway('Write');
    const made = await gateway.call('POST', '/templates', {
      ...GREETING,
      name: 'Größe der Bestellung',
    });
    expect(made).toEqual({
      status: 200,
      body: {
        id: 'gro-e-der-bestellung',
        name: 'Größe der Bestellung',
        version: '1.0.0',
        message: 'Template gro-e-der-bestellung created',
      },
    });
    const run = await gateway.call('POST', '/templates/gro-e-der-bestellung', { name: 'Ada' });
    expect(run).toEqual({ status: 200, body: { hello: 'Ada' } });
  });

  test('of the constructor shape is called by its id', async () => {
    const gateway = await startGateway('Write');
    await insertEndpoint(gateway, 'orders');
    expect(await gateway.call('POST', '/templates', ORDER)).toEqual({
      status: 200,
      body: { id: 'order', name: 'order', version: '1.0.0', message: 'Template order created' },
    });
  });

  test('shows its UUID, by which a graph of templates names it', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, GREETING);
    const { uuid } = (await gateway.call('GET', '/templates/greeting')).body as { uuid: string };
    const run = await gateway.call('POST', `/templates/${uuid}`, { name: 'Ada' });
    expect(run).toEqual({ status: 200, body: { hello: 'Ada' } });
    const node = { id: 'a', source: [], children: [], template_uuid: uuid };
    const made = await gateway.call('POST', '/workflows', {
      org_uuid: gateway.organization.uuid,
      workflow_schema: { id: 'flow', dag: { nodes: { a: node } } },
    });
    expect(made).toMatchObject({ status: 200, body: { id: 'flow' } });
  });

  test('of an id that is taken is 409, in its organization alone', async () => {
    const gateway = await startGateway('Write');
    await make(gateway, GREETING);
    expect(await gateway.call('POST', '/templates', GREETING)).toEqual({
      status: 409,
      body: failure('TEMPLATE_EXISTS', 'Template greeting already exists'),
    });
    await make(await startGateway('Write'), GREETING);
  });

  test('beyond the quota is 403', async () => {
    const bindings = { QUOTAS: JSON.stringify({ templates: 1 }) };
    const gateway = await startGateway('Write', { bindings });
    await make(gateway, GREETING);
    expect(await gateway.call('POST', '/templates', { ...GREETING, id: 'other' })).toEqual({
      status: 403,
      body: failure('QUOTA_EXCEEDED', 'The organization has as many templates as it may have'),
    });
  });

  test('needs Write on the organization', async () => {
    const gateway = await startGateway('Read');
    expect(await gateway.call('POST', '/templates', GREETING)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Write access on the organization'),
    });
  });

  test('needs on an endpoint what a run needs there', async () => {
    const gateway = await startGateway('SuperAdmin');
    await insertEndpoint(gateway, 'orders');
    const writer = await gateway.addUser('Write');
    const rule = { access_level: 'Read', subject: writer.username, endpoint_id: 'orders' };
    expect((await gateway.call('POST', '/iam/rbac/endpoints/subjects', rule)).status).toBe(200);
    const bearer = await gateway.token(writer);
    expect((await gateway.call('POST', '/templates', ORDER, bearer)).status).toBe(200);
    const write = { ...ORDER, id: 'place', request: 'Write' };
    expect(await gateway.call('POST', '/templates', write, bearer)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Write access on endpoint orders'),
    });
  });
});

describe('a definition that cannot be', () => {
  test('is refused with every fault and its path', async () => {
    const gateway = await startGateway('Write');
    const { status, body } = await gateway.call('POST', '/templates', {
      description: 5,
      inputSchema: { type: 'no such type' },
      transformationRules: [
        { target: 'a', expression: '1 +' },
        { target: 'b', source: 'x', transformers: ['shout'] },
        { target: 'c', colour: 'red' },
      ],
    });
    expect(status).toBe(400);
    const { details } = body as { details: { path: string }[] };
    const paths = details.map(({ path }) => path);
    for (const expected of ['name', 'description', 'transformationRules.0.expression']) {
      expect(paths).toContain(expected);
    }
    expect(paths.some((path) => path.startsWith('transformationRules.1.transformers'))).toBe(true);
    expect(paths.some((path) => path.startsWith('transformationRules.2'))).toBe(true);
    expect(await gateway.call('GET', '/templates')).toEqual({
      status: 200,
      body: { templates: [] },
    });
  });

  test('names no template or endpoint of another organization', async () => {
    const other = await startGateway('SuperAdmin');
    await insertEndpoint(other, 'orders');
    await make(other, GREETING);
    const gateway = await startGateway('Write');
    expect(await gateway.call('POST', '/templates', nesting('outer', 'greeting'))).toEqual({
      status: 400,
      body: failure(
        'BAD_REQUEST',
        'transformationRules.0.template: names no template of the organization: greeting',
        [
          {
            path: 'transformationRules.0.template',
            message: 'names no template of the organization: greeting',
          },
        ],
      ),
    });
    expect(await gateway.call('POST', '/templates', ORDER)).toEqual({
      status: 400,
      body: failure(
        'BAD_REQUEST',
        'template.endpoint: names no endpoint of the organization: orders',
        [
          {
            path: 'template.endpoint',
            message: 'names no endpoint of the organization: orders',
          },
        ],
      ),
    });
  });

  test('may not nest itself, nor lead back to itself', async () => {
    const gateway = await startGateway('Write');
    expect((await gateway.call('POST', '/templates', nesting('a', 'a'))).status).toBe(400);
    await make(gateway, { ...GREETING, id: 'a' });
    await make(gateway, nesting('b', 'a'));
    await make(gateway, nesting('c', 'b'));
    const rules = { transformationRules: [{ target: 'x', template: 'c', input: '$' }] };
    expect(await gateway.call('PATCH', '/templates/a', rules)).toEqual({
      status: 400,
      body: failure(
        'BAD_REQUEST',
        'transformationRules.0.template: leads back to the template itself: c',
        [
          {
            path: 'transformationRules.0.template',
            message: 'leads back to the template itself: c',
          },
        ],
      ),
    });
  });

  test('has no name that is a UUID for an id', async () => {
    const gateway = await startGateway('Write');
    const name = '7b0e8e24-5f0e-4f7c-9f9e-0b8c58e2d7a1';
    const message = 'is required: the name makes a UUID, which no id may be';
    expect(await gateway.call('POST', '/templates', { ...GREETING, name })).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', `id: ${message}`, [{ path: 'id', message }]),
    });
  });

  test('has nothing that would be dropped without a word', async () => {
    const gateway = await startGateway('Write');
    const text =
      '{"name":"n","transformationRules":[],"__proto__":{},"parameters":{"__proto__":{"default":1}},"functions":{"__proto__":"() => 1"}}';
    const message = 'is a name that is not taken';
    expect(await gateway.call('POST', '/templates', JSON.parse(text))).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', `parameters.__proto__: ${message}`, [
        { path: 'parameters.__proto__', message },
        { path: 'functions.__proto__', message },
        { path: 'body', message: expect.stringMatching(/^"__proto__" is not known; known are /) },
      ]),
    });
  });

  test('tells what is wrong with a parameter once', async () => {
    const gateway = await startGateway('Write');
    const reply = await gateway.call('POST', '/templates', {
      ...GREETING,
      parameters: { a: { type: 'float' }, b: { min: 1 }, c: { type: 'number', default: 'x' } },
    });
    const { details } = reply.body as { details: { path: string }[] };
    expect(details.map(({ path }) => path)).toEqual([
      'parameters.a.type',
      'parameters.b',
      'parameters.c.default',
    ]);
  });

  test('over 1 MiB is 413', async () => {
    const gateway = await startGateway('Write');
    const rules = [{ target: 'a', value: 'é'.repeat(600_000) }];
    const body = { name: 'big', transformationRules: rules };
    expect(await gateway.call('POST', '/templates', body)).toEqual({
      status: 413,
      body: failure('PAYLOAD_TOO_LARGE', 'The definition is larger than 1048576 bytes'),
    });
  });
});
