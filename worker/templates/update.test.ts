/** New versions of templates, and those before them. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { failure, startGateway } from '../test/gateway.ts';
import { GREETING, make, nesting } from './test/definitions.ts';
import { nextVersion } from './version.ts';

const LOUD = { transformationRules: [{ target: 'hello', value: 'HELLO' }] };

describe('PATCH /templates/{template}', () => {
  test('puts a new version in force, and keeps the ones before', async () => {
    const gateway = await startGateway('Write');
    const id = await make(gateway, GREETING);
    expect(await gateway.call('PATCH', `/templates/${id}`, LOUD)).toEqual({
      status: 200,
      body: {
        id,
        name: 'Greeting',
        version: '1.1.0',
        message: 'Template greeting is at version 1.1.0',
        updatedFields: ['transformationRules'],
      },
    });
    const run = (query: string) =>
      gateway.call('POST', `/templates/${id}${query}`, { name: 'Ada' });
    expect(await run('')).toEqual({ status: 200, body: { hello: 'HELLO' } });
    expect(await run('?version=1.0.0')).toEqual({ status: 200, body: { hello: 'Ada' } });
    expect(await run('?version=9.0')).toEqual({
      status: 404,
      body: failure('TEMPLATE_NOT_FOUND', 'Template greeting has no version 9.0'),
    });
    const { body } = await gateway.call('GET', `/templates/${id}`);
    expect(body).toMatchObject({
      version: '1.1.0',
      transformationRules: LOUD.transformationRules,
      versions: [
        { version: '1.1.0', active: true },
        { version: '1.0.0', active: false },
      ],
    });
    expect((await gateway.call('GET', `/templates/${id}?version=1.0.0`)).body).toMatchObject({
      version: '1.0.0',
      transformationRules: GREETING.transformationRules,
    });
  });

  test('takes the version that it is given, unless that exists', async () => {
    const gateway = await startGateway('Write');
    const id = await make(gateway, GREETING);
    const patch = { ...LOUD, version: '2.0' };
    expect(await gateway.call('PATCH', `/templates/${id}`, patch)).toMatchObject({
      status: 200,
      body: { version: '2.0', updatedFields: ['version', 'transformationRules'] },
    });
    expect(await gateway.call('PATCH', `/templates/${id}`, { version: '3.0' })).toMatchObject({
      status: 200,
      body: { version: '3.0', updatedFields: ['version'] },
    });
    expect(await gateway.call('PATCH', `/templates/${id}`, { ...LOUD, version: '1.0.0' })).toEqual({
      status: 409,
      body: failure('TEMPLATE_VERSION_EXISTS', 'Template greeting has a version 1.0.0 already'),
    });
  });

  test('takes members away with null, and demands that something changes', async () => {
    const gateway = await startGateway('Write');
    const id = await make(gateway, { ...GREETING, inputSchema: { required: ['name'] } });
    expect((await gateway.call('POST', `/templates/${id}`, {})).status).toBe(400);
    expect((await gateway.call('PATCH', `/templates/${id}`, { inputSchema: null })).status).toBe(
      200,
    );
    expect(await gateway.call('POST', `/templates/${id}`, {})).toEqual({ status: 200, body: {} });
    expect(await gateway.call('PATCH', `/templates/${id}`, {})).toMatchObject({ status: 400 });
    expect(await gateway.call('PATCH', `/templates/${id}`, { request: 'Read' })).toMatchObject({
      status: 400,
    });
  });

  test('of many at once, one wins and the others are 409', async () => {
    const gateway = await startGateway('Write');
    const id = await make(gateway, GREETING);
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => gateway.call('PATCH', `/templates/${id}`, LOUD)),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    const { body } = await gateway.call('GET', `/templates/${id}`);
    const { versions } = body as { versions: unknown[] };
    expect(versions).toHaveLength(1 + statuses.filter((status) => status === 200).length);
  });

  test('does not find another organization’s template', async () => {
    const id = await make(await startGateway('Write'), GREETING);
    const gateway = await startGateway('SuperAdmin');
    for (const method of ['GET', 'PATCH', 'DELETE', 'POST']) {
      const body = method === 'PATCH' ? LOUD : method === 'POST' ? {} : undefined;
      expect(await gateway.call(method, `/templates/${id}`, body)).toEqual({
        status: 404,
        body: failure('TEMPLATE_NOT_FOUND', `Template ${id} does not exist`),
      });
    }
  });
});

test('an older version that leads back to itself by now says so', async () => {
  const gateway = await startGateway('Write');
  await make(gateway, { ...GREETING, id: 'a' });
  await make(gateway, nesting('b', 'a'));
  const patch = (id: string, rule: object) =>
    gateway.call('PATCH', `/templates/${id}`, { transformationRules: [rule as Json] });
  await patch('b', { target: 'n', value: 2 });
  expect((await patch('a', { target: 'n', template: 'b' })).status).toBe(200);
  for (const path of ['b?version=1.0.0', 'b/render?version=1.0.0', 'b?version=1.0.0&async=true']) {
    expect(await gateway.call('POST', `/templates/${path}`, {})).toEqual({
      status: 400,
      body: failure('TEMPLATE_FAILED', 'Version 1.0.0 of b would never end: a nests b by now'),
    });
  }
  const now = { status: 200, body: { n: { n: 2 } } };
  expect(await gateway.call('POST', '/templates/a', {})).toEqual(now);
});

test.each([
  ['1.0.0', [], '1.1.0'],
  ['1.9', [], '1.10'],
  ['2.3.4', ['2.4.0'], '2.5.0'],
])('after %s comes the next that is not taken', (inForce, taken, next) => {
  expect(nextVersion(inForce, taken)).toBe(next);
});

test('no version follows a name by itself', () => {
  expect(() => nextVersion('stable', [])).toThrow('version: is required');
});
