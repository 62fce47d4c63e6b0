/** Who may store, change and remove templates with their author's rights, and what those nest. Spec: keys-and-doors.md §2. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { failure, insertEndpoint } from '../../test/gateway.ts';
import { DOOR, type Doors, nesting, type Person, ROWS, startDoors, WRITING } from './test/doors.ts';

const NEEDS_ADMIN = {
  status: 403,
  body: failure('FORBIDDEN', 'This operation needs Admin access on endpoint orders'),
};
/** Says no names: who asks may know neither the doors nor what they reach. */
const CHANGES_A_DOOR = {
  status: 403,
  body: failure(
    'FORBIDDEN',
    'It is, or is nested in, what runs with the rights of its author: a change needs Admin access on each endpoint that is reached so, or on the organization',
    [{ rule: 'run_as', needed: 'Admin' }],
  ),
};
/** Names no grant: none makes a key an author. */
const NEEDS_ACCOUNT = {
  status: 403,
  body: failure(
    'FORBIDDEN',
    'runAs author needs an author with an account here: its runs have the rights of that account. No grant to a key or a group ' +
      'is enough: somebody who logs in here, with Admin access on each endpoint that is reached or on the organization, has to store it',
    [{ rule: 'run_as', path: 'runAs' }],
  ),
};
const PURE = { transformationRules: [{ target: 'made', expression: '1' }] };
const READS = { request: 'Read', template: { endpoint: 'orders', query: 'select 1' } };

/** The same as another person does it. */
const as = ({ call }: Doors, by: Person | undefined) => ({
  create: (body: Json) => call('POST', '/templates', body, by),
  change: (id: string, body: Json) => call('PATCH', `/templates/${id}`, body, by),
  remove: (id: string) => call('DELETE', `/templates/${id}?confirm=true`, undefined, by),
});

describe('a door is stored by', () => {
  test.each([
    ['Admin of the organization', 'Admin', undefined, 200],
    ['Admin of the endpoint', 'Write', 'Admin', 200],
    ['nobody with Write alone', 'Write', undefined, 403],
    ['nobody whose Admin is elsewhere', 'Write', 'Write', 403],
  ] as const)('%s', async (_, level, onEndpoint, status) => {
    const doors = await startDoors();
    const person = await doors.person(level);
    if (onEndpoint) await doors.grant(person, onEndpoint, 'endpoint', 'orders');
    const reply = await as(doors, person).create(WRITING);
    if (status === 200) expect(reply.status).toBe(200);
    else expect(reply).toEqual(NEEDS_ADMIN);
  });

  test('Admin of each endpoint that it reaches, nested too', async () => {
    const doors = await startDoors();
    await insertEndpoint(doors.gateway, 'stock');
    await doors.demand('POST', '/templates', { id: 'leaf', ...READS });
    const person = await doors.person('Write');
    await doors.grant(person, 'Admin', 'endpoint', 'stock');
    const { create } = as(doors, person);
    expect(await create(nesting('door', 'leaf', { runAs: 'author' }))).toEqual(NEEDS_ADMIN);
    await doors.grant(person, 'Admin', 'endpoint', 'orders');
    expect((await create(nesting('door', 'leaf', { runAs: 'author' }))).status).toBe(200);
  });

  test('no key, whatever its level', async () => {
    const doors = await startDoors();
    const { key } = await doors.demand('POST', '/iam/keys', { name: 'k', access_level: 'Admin' });
    const person = { uuid: '', username: '', token: String(key) };
    expect(await as(doors, person).create(DOOR)).toEqual(NEEDS_ACCOUNT);
    await doors.demand('POST', '/templates', DOOR);
    const { change } = as(doors, person);
    expect(await change('door', { description: 'mine' })).toEqual(NEEDS_ACCOUNT);
  });

  test.each(['Read', 'Write'])('no key with %s on it, which is told of no grant', async (level) => {
    const doors = await startDoors();
    await doors.demand('POST', '/templates', DOOR);
    await doors.demand('POST', '/templates', { ...READS, id: 'open' });
    const action = { id: 'ask', type: 'template', template: 'door', input: {} };
    const flow = { id: 'flow', name: 'flow', runAs: 'author', actions: [action] };
    await doors.demand('POST', '/workflows', flow);
    const { key } = await doors.demand('POST', '/iam/keys', {
      name: 'k',
      templates: { door: level, open: 'Read' },
      workflows: { flow: level },
    });
    const person = { uuid: '', username: '', token: String(key) };
    const patch = (path: string) => doors.call('PATCH', path, { description: 'mine' }, person);
    expect(await patch('/templates/door')).toEqual(NEEDS_ACCOUNT);
    expect(await patch('/workflows/flow')).toEqual(NEEDS_ACCOUNT);
    expect(await patch('/templates/open')).toMatchObject({
      status: 403,
      body: { details: [{ grant: { access_level: 'Write', template_id: 'open' } }] },
    });
  });

  test('nobody in a spelling of runAs that is none', async () => {
    const doors = await startDoors();
    expect(await as(doors, undefined).create({ ...DOOR, runAs: 'Author' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'runAs' }] },
    });
  });
});

test('shows runAs, and is another author’s once they change it', async () => {
  const doors = await startDoors({ POLICY_TTL_MS: 0 });
  const [first, second] = [await doors.person('Admin'), await doors.person('Admin')];
  await doors.demand('POST', '/templates', DOOR, first);
  expect(await doors.demand('GET', '/templates/door')).toMatchObject({ runAs: 'author' });
  await doors.demand('PATCH', '/templates/door', { description: 'mine now' }, second);
  expect(await doors.demand('GET', '/templates/door')).toMatchObject({
    runAs: 'author',
    lastModifiedBy: second.username,
  });
  await doors.setLevel(first, 'None');
  expect(await doors.run('door')).toEqual({ status: 200, body: ROWS });
  await doors.setLevel(second, 'None');
  expect((await doors.run('door')).status).toBe(403);
});

describe('who may only write templates', () => {
  test.each<readonly [string, Json]>([
    ['change its words', { description: 'x' }],
    ['take runAs away', { runAs: null }],
    ['set it to caller', { runAs: 'caller' }],
    ['lead it elsewhere', { template: { endpoint: 'stock', query: 'select 1' } }],
  ])('cannot %s', async (_, patch) => {
    const doors = await startDoors();
    await insertEndpoint(doors.gateway, 'stock');
    await doors.demand('POST', '/templates', DOOR);
    const writer = await doors.person('Write');
    await doors.grant(writer, 'Admin', 'endpoint', 'stock');
    expect((await as(doors, writer).change('door', patch)).status).toBe(403);
    expect(await doors.demand('GET', '/templates/door')).toMatchObject({ version: '1.0.0' });
  });

  test('cannot remove it, and so make another of its name', async () => {
    const doors = await startDoors();
    await doors.demand('POST', '/templates', DOOR);
    const { remove } = as(doors, await doors.person('Write'));
    expect(await remove('door')).toEqual(CHANGES_A_DOOR);
    expect((await as(doors, undefined).remove('door')).status).toBe(200);
  });

  test('cannot change what a door nests, at whatever depth, nor make what it names anew', async () => {
    const doors = await startDoors();
    const writer = await doors.person('Write');
    const { create, change, remove } = as(doors, writer);
    expect((await create({ id: 'leaf', name: 'leaf', ...PURE })).status).toBe(200);
    expect((await create(nesting('stem', 'leaf'))).status).toBe(200);
    const door = {
      ...nesting('door', 'stem', { runAs: 'author' }),
      transformationRules: [
        { target: 'of', template: 'stem', input: '$' },
        { target: 'rows', template: 'order', input: '$' },
      ],
    };
    await doors.demand('POST', '/templates', { ...READS, id: 'order' });
    await doors.demand('POST', '/templates', door);
    const nestsOrder = [{ target: 'o', template: 'order', input: '$' }];
    for (const [id, patch] of [
      ['leaf', { transformationRules: [{ target: 'made', expression: '2' }] }],
      ['leaf', { transformationRules: nestsOrder }],
      ['leaf', { runAs: 'author' }],
      ['stem', { description: 'x' }],
      ['order', { template: { endpoint: 'orders', query: 'select 2' } }],
    ] as const) {
      expect(await change(id, patch as Json)).toEqual(CHANGES_A_DOOR);
    }
    // It may go: the door fails then. What takes its name is a change of the door.
    expect((await remove('leaf')).status).toBe(200);
    expect((await doors.run('door')).status).toBe(404);
    expect(await create({ id: 'leaf', name: 'leaf', ...PURE })).toEqual(CHANGES_A_DOOR);
    expect((await as(doors, undefined).create({ id: 'leaf', name: 'leaf', ...PURE })).status).toBe(
      200,
    );
    expect((await doors.run('door')).status).toBe(200);
  });

  test('may change what no door nests any more, and what only calls a door', async () => {
    const doors = await startDoors();
    const { create, change } = as(doors, await doors.person('Write'));
    expect((await create({ id: 'leaf', name: 'leaf', ...PURE })).status).toBe(200);
    await doors.demand('POST', '/templates', DOOR);
    await doors.demand('POST', '/templates', {
      ...nesting('outer', 'leaf', { runAs: 'author' }),
      transformationRules: [
        { target: 'a', template: 'leaf', input: '$' },
        { target: 'b', template: 'door', input: '$' },
      ],
    });
    expect(await change('leaf', { description: 'x' })).toEqual(CHANGES_A_DOOR);
    const freed = { transformationRules: [{ target: 'b', template: 'door', input: '$' }] };
    await doors.demand('PATCH', '/templates/outer', freed);
    expect((await change('leaf', { description: 'x' })).status).toBe(200);
    expect((await create(nesting('calls', 'door'))).status).toBe(200);
    expect((await change('calls', { description: 'x' })).status).toBe(200);
  });

  test('cannot nest a door that they may not open, nor reach by a computed name', async () => {
    const doors = await startDoors();
    await doors.demand('POST', '/templates', WRITING);
    const writer = await doors.person('Write');
    await doors.grant(writer, 'Read', 'template', 'door');
    const { create } = as(doors, writer);
    expect(await create(nesting('mine', 'door'))).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Write access on template door'),
    });
    const computed = { ...DOOR, id: 'any', template: { endpoint: '{{e}}', query: 'select 1' } };
    expect((await create(computed)).status).toBe(400);
    const rule = { target: 'x', template: { expression: 'name' }, input: '$' };
    const nested = { id: 'any', name: 'any', runAs: 'author', transformationRules: [rule] };
    expect((await create(nested)).status).toBe(400);
  });
});
