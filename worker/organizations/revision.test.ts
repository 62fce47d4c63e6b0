/** An organization's revision: its ETag, and what is held to it. */
import { describe, expect, test } from 'vitest';
import { ask, etagOf, STALE } from '../test/conditional.ts';
import { insertEndpoint, startGateway } from '../test/gateway.ts';

const PATH = '/organizations';

test('the ETag changes with the row, and not with what the organization has', async () => {
  const gateway = await startGateway('SuperAdmin');
  const first = await etagOf(gateway, PATH);
  await insertEndpoint(gateway);
  await gateway.addUser('Read');
  expect(await etagOf(gateway, '/org')).toBe(first);
  const changed = await ask(gateway, 'PATCH', PATH, { body: { description: 'x' } });
  expect(changed.etag).not.toBe(first);
  expect(await etagOf(gateway, PATH)).toBe(changed.etag);
});

test('a GET of what the client has is 304', async () => {
  const gateway = await startGateway('Read');
  const etag = await etagOf(gateway, PATH);
  const reply = await ask(gateway, 'GET', PATH, { ifNoneMatch: `"1.2", ${etag}` });
  expect(reply).toEqual({ status: 304, etag, body: undefined });
});

describe('a change held to a revision', () => {
  test('is done once of many at the same time', async () => {
    const gateway = await startGateway('SuperAdmin');
    const ifMatch = await etagOf(gateway, PATH);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const replies = await Promise.all(
      names.map((name) => ask(gateway, 'PATCH', PATH, { ifMatch, body: { name } })),
    );
    const done = replies.filter(({ status }) => status === 200);
    expect([done.length, replies.filter(({ status }) => status === 412).length]).toEqual([1, 4]);
    const name = names[replies.findIndex(({ status }) => status === 200)];
    expect((await ask(gateway, 'GET', PATH)).body).toMatchObject({ name });
  });

  test.each([
    ['changes something', { description: 'x' }],
    ['changes nothing', {}],
  ])('that %s is refused where it is another', async (_what, body) => {
    const gateway = await startGateway('SuperAdmin');
    const etag = await etagOf(gateway, PATH);
    expect(await ask(gateway, 'PATCH', PATH, { ifMatch: '"0"', body })).toEqual(STALE);
    expect(await etagOf(gateway, PATH)).toBe(etag);
    expect((await ask(gateway, 'PATCH', PATH, { ifMatch: etag, body })).status).toBe(200);
  });

  test('is refused first for what else is wrong with it', async () => {
    const gateway = await startGateway('SuperAdmin');
    const ifMatch = '"0"';
    const admin = await gateway.token(await gateway.addUser('Admin'));
    const asked = [
      ask(gateway, 'PATCH', PATH, { ifMatch, body: { colour: 1 } }),
      ask(gateway, 'PATCH', PATH, { ifMatch, body: {}, bearer: admin }),
      ask(gateway, 'PATCH', PATH, { ifMatch: '0', body: {} }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([400, 403, 400]);
  });
});

test('a removal held to another revision removes nothing', async () => {
  const gateway = await startGateway('SuperAdmin');
  expect(await ask(gateway, 'DELETE', PATH, { ifMatch: '"0"' })).toEqual(STALE);
  const ifMatch = await etagOf(gateway, PATH);
  expect((await ask(gateway, 'DELETE', PATH, { ifMatch })).status).toBe(200);
});
