/** Who may run a template, by what it sends; and what becomes of one whose endpoint is gone. Contract §4, §8. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from '../../gateway.ts';
import { ask, newOrganization, type Organization, type Reply } from '../../organization.ts';
import { redisEndpoint } from '../../redis-endpoint.ts';
import { backend } from '../../servers/backends.ts';
import { addDatabase, addEndpoint, type Templates, templatesOf } from './stand.ts';

let organization: Organization;
let templates: Templates;
let endpoint: string;
beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  templates = templatesOf(organization);
  endpoint = await addDatabase(organization, 'postgres', [
    { query: 'CREATE TABLE kept (id int PRIMARY KEY, name text)' },
    { query: "INSERT INTO kept VALUES (1, 'one')" },
  ]);
});

/** Somebody with a level on the organization; answers how they call. */
async function somebody(of: Organization, level: string) {
  const username = `${randomUUID().slice(0, 8)}@example.com`;
  const password = 'a long enough password';
  const body = { username, password, access_level: level };
  expect(await of.call('POST', '/iam/users', body)).toMatchObject({ status: 200 });
  const login = await ask(of.gateway, 'POST', '/auth/login', undefined, {
    Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    'X-Org-Id': of.id,
  });
  const { token } = login.body as { token: string };
  return {
    username,
    run: (id: string, input: object, path = ''): Promise<Reply> =>
      ask(of.gateway, 'POST', `/templates/${id}${path}`, input, {
        Authorization: `Bearer ${token}`,
      }),
  };
}

const SELECT = 'SELECT name FROM kept WHERE id = {{id}}';

describe('a template of Read', () => {
  test('works for who has Read only, also nested in a transformation', async () => {
    const read = await templates.make('Read', { endpoint, query: SELECT });
    const outer = `outer-${randomUUID().slice(0, 8)}`;
    const transformationRules = [
      { target: 'found', template: read, input: { id: 'which' } },
      { target: 'kept', source: 'found.rows[0].name' },
    ];
    const definition = { id: outer, name: outer, description: '', transformationRules };
    const made = await organization.call('POST', '/templates', definition);
    const { run } = await somebody(organization, 'Read');
    expect(await run(read, { id: 1 })).toMatchObject({
      status: 200,
      body: { rows: [{ name: 'one' }] },
    });
    expect(made).toMatchObject({ status: 200 });
    expect(await run(outer, { which: 1 })).toMatchObject({
      status: 200,
      body: { found: { rows: [{ name: 'one' }] } },
    });
  });

  test('does not for who has no right on its endpoint, and never writes', async () => {
    const read = await templates.make('Read', { endpoint, query: SELECT });
    const { run, username } = await somebody(organization, 'Read');
    const rule = { access_level: 'None', subject: username, endpoint_id: endpoint };
    const granted = await organization.call('POST', '/iam/rbac/endpoints/subjects', rule);
    expect(granted).toMatchObject({ status: 200 });
    expect(await run(read, { id: 1 })).toMatchObject({ status: 403 });
    const query = 'DELETE FROM kept WHERE id = {{id}}';
    const writes = await templates.make('Read', { endpoint, query });
    expect(await templates.run(writes, { id: 1 })).toMatchObject({ status: 400 });
    expect(await templates.output(read, { id: 1 })).toMatchObject({ rows: [{ name: 'one' }] });
  });
});

test('a template of Write needs Write, on itself and on its endpoint', async () => {
  const query = 'UPDATE kept SET name = name WHERE id = {{id}}';
  const write = await templates.make('Write', { endpoint, query });
  const reader = await somebody(organization, 'Read');
  expect(await reader.run(write, { id: 1 })).toMatchObject({ status: 403 });
  expect(await reader.run(write, { id: 1 }, '/render')).toMatchObject({ status: 200 });
  const writer = await somebody(organization, 'Write');
  expect(await writer.run(write, { id: 1 })).toMatchObject({ status: 200 });
  const rule = { access_level: 'Read', subject: writer.username, endpoint_id: endpoint };
  await organization.call('POST', '/iam/rbac/endpoints/subjects', rule);
  expect(await writer.run(write, { id: 1 })).toMatchObject({ status: 403 });
});

test('what needs Admin needs it in a template, too', async () => {
  const redis = await redisEndpoint(organization.gateway);
  const own = templatesOf(redis.organization);
  const at = redis.at('').split('/')[2] ?? '';
  const id = await own.make('Write', { endpoint: at, type: 'flushdb' });
  const writer = await somebody(redis.organization, 'Write');
  expect(await writer.run(id, {})).toMatchObject({ status: 403 });
  expect(await own.output(id, {})).toEqual({ result: 'OK' });
  await redis.drop();
});

test('two-phase templates are shown, and run with the rights of their caller', async () => {
  const operations = [{ endpoint, query: SELECT }];
  const id = `two-${randomUUID().slice(0, 8)}`;
  const body = { id, request: 'TwoPhaseTransaction', template: { operations } };
  expect(await organization.call('POST', '/templates', body)).toMatchObject({ status: 200 });
  expect(await organization.call('POST', `/templates/${id}/render`, { id: 1 })).toMatchObject({
    status: 200,
    body: {
      success: true,
      transformationSteps: [{ request: { request: { params: [1] } } }],
    },
  });
  expect(await templates.run(id, { id: 1 })).toMatchObject({
    status: 200,
    body: { guarantee: 'atomic', status: 'committed' },
  });
  const reader = await somebody(organization, 'Read');
  expect(await reader.run(id, { id: 1 })).toMatchObject({ status: 403 });
});

test("another organization's endpoint is not found, nor one that is not there", async () => {
  const other = await newOrganization(organization.gateway);
  const id = `t-${randomUUID().slice(0, 8)}`;
  const body = { id, request: 'Read', template: { endpoint, query: SELECT } };
  const nowhere = { ...body, template: { endpoint: 'nowhere', query: SELECT } };
  const answers = [
    await other.call('POST', '/templates', body),
    await other.call('POST', '/templates', nowhere),
  ];
  const shown = answers.map((each) => JSON.stringify(each).replaceAll(endpoint, 'nowhere'));
  const withoutId = (text: string | undefined) => text?.replace(/"request_id":"[^"]*"/, '');
  expect(withoutId(shown[0])).toBe(withoutId(shown[1]));
  expect(answers[0]?.status).not.toBe(200);
});

test('an endpoint that is gone, or of another kind now, fails clearly', async () => {
  const { url } = await backend('postgres');
  const name = await addEndpoint(organization, 'postgres', { write_conn: { url } });
  const id = await templates.make('Read', { endpoint: name, query: 'SELECT {{id}}::int AS id' });
  await templates.output(id, { id: 1 });
  const gone = await organization.call('DELETE', `/endpoints/${name}`);
  expect(gone).toMatchObject({ status: 200 });
  expect(await templates.run(id, { id: 1 })).toMatchObject({
    status: 404,
    body: { code: 'ENDPOINT_NOT_FOUND' },
  });
  const redis = await backend('redis');
  const config = { write_conn: { url: redis.url } };
  const again = { endpoint: name, kind: 'redis', config };
  expect(await organization.call('POST', '/endpoints', again)).toMatchObject({ status: 200 });
  expect(await templates.run(id, { id: 1 })).toMatchObject({
    status: 400,
    body: { code: 'TEMPLATE_FAILED', message: `Template ${id} no longer fits what it reaches` },
  });
});
