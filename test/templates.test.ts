/** Templates from their creation to their end, over a socket. Contract §2, §8. */
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization, type Reply, refusal } from './organization.ts';
import { addPerson } from './templates/person.ts';

const TOTAL = {
  name: 'Order total',
  inputSchema: { type: 'object', required: ['items'], properties: { items: { type: 'array' } } },
  outputSchema: { properties: { total: { maximum: 1000 } } },
  transformationRules: [
    {
      target: 'total',
      expression: 'items.reduce((sum, item) => sum + item.price, 0) * parameters.factor',
    },
  ],
  parameters: { factor: { type: 'number', default: 1 } },
};
const INPUT = { items: [{ price: 40 }, { price: 2 }] };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let organization: Organization;
let stranger: Organization;

beforeAll(async () => {
  const gateway = await sharedGateway();
  [organization, stranger] = await Promise.all([
    newOrganization(gateway),
    newOrganization(gateway),
  ]);
});

const call: Organization['call'] = (...asked) => organization.call(...asked);
const ok = (body: unknown): Reply => ({ status: 200, body });

test('a template lives: created, shown, run, changed, run as it was, deleted', async () => {
  expect(await call('POST', '/templates', TOTAL)).toEqual(
    ok({
      id: 'order-total',
      name: 'Order total',
      version: '1.0.0',
      message: 'Template order-total created',
    }),
  );
  expect(await call('POST', '/templates', TOTAL)).toEqual(
    refusal('TEMPLATE_EXISTS', expect.any(String)),
  );
  expect(await call('POST', '/templates/order-total', INPUT)).toEqual(ok({ total: 42 }));
  expect(await call('POST', '/templates/order-total?parameters.factor=2', INPUT)).toEqual(
    ok({ total: 84 }),
  );

  const changed = {
    transformationRules: [{ target: 'count', source: 'items', transformers: ['length'] }],
  };
  expect(await call('PATCH', '/templates/order-total', changed)).toEqual(
    ok({
      id: 'order-total',
      name: 'Order total',
      version: '1.1.0',
      message: 'Template order-total is at version 1.1.0',
      updatedFields: ['transformationRules'],
    }),
  );
  expect(await call('PATCH', '/templates/order-total', { ...changed, version: '1.0.0' })).toEqual(
    refusal('TEMPLATE_VERSION_EXISTS', expect.any(String)),
  );
  expect(await call('POST', '/templates/order-total', INPUT)).toEqual(ok({ count: 2 }));
  expect(await call('POST', '/templates/order-total?version=1.0.0', INPUT)).toEqual(
    ok({ total: 42 }),
  );
  expect(await call('POST', '/templates/order-total?version=9', INPUT)).toEqual(
    refusal('TEMPLATE_NOT_FOUND', 'Template order-total has no version 9'),
  );

  expect(await call('GET', '/templates/order-total')).toEqual(
    ok({
      ...TOTAL,
      ...changed,
      id: 'order-total',
      uuid: expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/),
      description: '',
      version: '1.1.0',
      created: TIME,
      createdBy: organization.username,
      lastModified: TIME,
      lastModifiedBy: organization.username,
      usage: {
        directReferences: 0,
        invocationsLast30Days: expect.any(Number),
        averageProcessingTime: expect.any(Number),
      },
      versions: [
        { version: '1.1.0', created: TIME, active: true },
        { version: '1.0.0', created: TIME, active: false },
      ],
    }),
  );
  const listed = {
    id: 'order-total',
    name: 'Order total',
    version: '1.1.0',
    created: TIME,
    lastModified: TIME,
  };
  expect(await call('GET', '/templates')).toEqual(ok({ templates: [listed] }));

  const nesting = {
    name: 'Outer',
    transformationRules: [{ target: 'inner', template: 'order-total', input: '$' }],
  };
  expect(await call('POST', '/templates', nesting)).toMatchObject({ status: 200 });
  expect(await call('POST', '/templates/outer', INPUT)).toEqual(ok({ inner: { count: 2 } }));
  expect(await call('DELETE', '/templates/order-total')).toEqual(
    refusal('TEMPLATE_IN_USE', expect.any(String), expect.any(Array)),
  );
  expect(await call('DELETE', '/templates/order-total?confirm=true')).toEqual(
    ok({
      message: 'Template order-total deleted',
      id: 'order-total',
      affectedResources: { workflows: [], templates: ['outer'] },
    }),
  );
  const gone = refusal('TEMPLATE_NOT_FOUND', 'Template order-total does not exist');
  expect(await call('POST', '/templates/order-total', INPUT)).toEqual(gone);
  expect(await call('POST', '/templates/order-total?version=1.0.0', INPUT)).toEqual(gone);
  expect(await call('POST', '/templates/outer', INPUT)).toEqual(gone);
});

describe('a run', () => {
  beforeAll(async () => {
    await call('POST', '/templates', { ...TOTAL, id: 'total' });
  });

  test('of an input that does not fit is 400, a render tells the same with 200', async () => {
    const errors = [{ path: 'items', message: 'is required' }];
    expect(await call('POST', '/templates/total', {})).toEqual(
      refusal('BAD_REQUEST', expect.any(String), errors),
    );
    expect(await call('POST', '/templates/total/render', {})).toMatchObject(
      ok({ success: false, inputValidation: { valid: false, errors } }),
    );
  });

  test('whose output does not fit its schema is 400 Template failed', async () => {
    const input = { items: [{ price: 1001 }] };
    expect(await call('POST', '/templates/total', input)).toMatchObject({
      status: 400,
      body: { error: 'Template failed', code: 'TEMPLATE_FAILED', details: [{ path: 'total' }] },
    });
    expect(await call('POST', '/templates/total/render', input)).toMatchObject(
      ok({ success: false, outputValidation: { valid: false, errors: [{ path: 'total' }] } }),
    );
  });

  test('that spends its budget is 400 with the line and column, and the next is unharmed', async () => {
    const endless = {
      name: 'Endless',
      transformationRules: [{ target: 'n', function: 'spin' }],
      functions: { spin: '() => {\n  while (true) {}\n}' },
    };
    await call('POST', '/templates', endless);
    const started = performance.now();
    expect(await call('POST', '/templates/endless', {})).toMatchObject({
      status: 400,
      body: {
        code: 'TEMPLATE_FAILED',
        details: [{ path: 'transformationRules.0', line: 2, column: 3 }],
      },
    });
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(await call('POST', '/templates/total', INPUT)).toEqual(ok({ total: 42 }));
  });

  test('keeps every digit of what it moves', async () => {
    const moving = { name: 'Moving', transformationRules: [{ target: 'id', source: 'id' }] };
    await call('POST', '/templates', moving);
    const reply = await organization.send(
      'POST',
      '/templates/moving',
      '{"id":12345678901234567890.123}',
    );
    expect(await reply.text()).toBe('{"id":12345678901234567890.123}');
  });

  test.each([
    ['?async=true', {}],
    ['', { Prefer: 'respond-async' }],
  ])('goes on by itself with %s %o, and tells how it went', async (query, headers) => {
    const started = await call('POST', `/templates/total${query}`, INPUT, headers);
    expect(started).toEqual({
      status: 202,
      body: { run_id: expect.any(String), status: 'running', location: expect.any(String) },
    });
    const { run_id: id, location } = started.body as { run_id: string; location: string };
    expect(location).toBe(`/api/v1/templates/total/runs/${id}`);
    await expect
      .poll(() => call('GET', `/templates/total/runs/${id}`))
      .toEqual(
        ok({ run_id: id, status: 'succeeded', output: { total: 42 }, started: TIME, ended: TIME }),
      );
    const [other, admin] = await Promise.all([
      addPerson(organization, 'Read'),
      addPerson(organization, 'Admin'),
    ]);
    expect((await other.call('GET', `/templates/total/runs/${id}`)).status).toBe(404);
    expect((await admin.call('GET', `/templates/total/runs/${id}`)).status).toBe(200);
  });

  test('that goes on by itself and fails tells its error', async () => {
    const started = await call('POST', '/templates/total?async=true', { items: [{ price: 5000 }] });
    const { run_id: id } = started.body as { run_id: string };
    await expect
      .poll(() => call('GET', `/templates/total/runs/${id}`))
      .toMatchObject(ok({ status: 'failed', error: { code: 'TEMPLATE_FAILED' } }));
  });
});

test('a definition is refused with all of its faults, each with its path', async () => {
  const wrong = {
    name: 'Wrong',
    transformationRules: [
      { target: 'a', expression: 'items.map(' },
      { target: 'b', source: 'x', transformers: ['shout'] },
      { source: 'x' },
      { target: 'd', template: 'nowhere' },
    ],
    functions: { f: 'class {}' },
    inputSchema: { type: 'nothing' },
  };
  const reply = await call('POST', '/templates', wrong);
  expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  const { details } = reply.body as { details: { path: string }[] };
  expect(details.map(({ path }) => path).toSorted()).toEqual([
    'functions.f',
    'inputSchema.type',
    'transformationRules.0.expression',
    'transformationRules.1.transformers.0',
    'transformationRules.2.target',
    'transformationRules.3.template',
  ]);
});

test("another organization's token finds nothing", async () => {
  await call('POST', '/templates', { ...TOTAL, id: 'mine' });
  const { body } = await call('POST', '/templates/mine?async=true', INPUT);
  const { run_id: run } = body as { run_id: string };
  const missing = refusal('TEMPLATE_NOT_FOUND', 'Template mine does not exist');
  for (const [method, path, sent] of [
    ['GET', '/templates/mine', undefined],
    ['GET', `/templates/mine/runs/${run}`, undefined],
    ['POST', '/templates/mine', INPUT],
    ['POST', '/templates/mine/render', INPUT],
    ['PATCH', '/templates/mine', { description: 'x' }],
    ['DELETE', '/templates/mine?confirm=true', undefined],
  ] as const) {
    expect([path, await stranger.call(method, path, sent)]).toEqual([path, missing]);
  }
  expect(await stranger.call('GET', '/templates')).toEqual(ok({ templates: [] }));
});
