/** Runs of templates with their author's rights: who may open a door, and what it opens. Spec: keys-and-doors.md §2. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { failure } from '../../test/gateway.ts';
import { countTrips } from '../../test/trips.ts';
import { DOOR, nesting, ROWS, startDoors, WRITING } from './test/doors.ts';

const OPEN = { status: 200, body: ROWS };
const runAs = (message: string, more: object = {}) => ({
  status: 403,
  body: failure('FORBIDDEN', message, [{ rule: 'run_as', ...more }]),
});
const lowered = (template: string, author: string, held: string, needed = 'Read') =>
  runAs(
    `The author of template ${template}, whose rights it runs with, needs ${needed} access on endpoint orders and has ${held}`,
    { author, level: held, needed },
  );

describe('a caller of a door', () => {
  test('needs Read on it alone where it reads, whatever they hold on what it reaches', async () => {
    const doors = await startDoors();
    await doors.demand('POST', '/templates', DOOR);
    const reader = await doors.person(undefined);
    await doors.grant(reader, 'Read', 'template', 'door');
    await doors.grant(reader, 'None', 'endpoint', 'orders');
    expect(await doors.run('door', reader)).toEqual(OPEN);
    const read = { query: 'select 1' };
    expect((await doors.call('POST', '/endpoints/orders/read', read, reader)).status).toBe(403);
  });

  test('needs Write on it where it writes, itself or nested', async () => {
    const doors = await startDoors();
    await doors.demand('POST', '/templates', { ...WRITING, runAs: 'caller', id: 'place' });
    await doors.demand('POST', '/templates', WRITING);
    await doors.demand('POST', '/templates', nesting('around', 'place', { runAs: 'author' }));
    const person = await doors.person(undefined);
    for (const id of ['door', 'around']) {
      await doors.grant(person, 'Read', 'template', id);
      const message = `This operation needs Write access on template ${id}`;
      expect(await doors.run(id, person)).toEqual({
        status: 403,
        body: failure('FORBIDDEN', message),
      });
      await doors.grant(person, 'Write', 'template', id);
      expect((await doors.run(id, person)).status).toBe(200);
    }
    expect(doors.seen).toHaveLength(2);
  });

  test("is denied by the organization's own None, and by None on the door", async () => {
    const doors = await startDoors();
    await doors.demand('POST', '/templates', DOOR);
    const shut = await doors.person('None');
    await doors.grant(shut, 'Write', 'template', 'door');
    expect((await doors.run('door', shut)).status).toBe(403);
    const other = await doors.person('Write');
    await doors.grant(other, 'None', 'template', 'door');
    expect((await doors.run('door', other)).status).toBe(403);
    expect(doors.seen).toEqual([]);
  });

  test('runs its version in force only, below Admin; an Admin others as their own author', async () => {
    const doors = await startDoors();
    const author = await doors.person('Admin');
    await doors.demand('POST', '/templates', { ...DOOR, runAs: 'caller' }, author);
    const { version } = await doors.demand('PATCH', '/templates/door', { runAs: 'author' });
    const writer = await doors.person('Write');
    expect(await doors.run('door', writer, `?version=${version}`)).toEqual(OPEN);
    expect(await doors.run('door', writer, '?version=1.0.0')).toEqual(
      runAs(
        "Template door runs with its author's rights: below Admin only its version in force can be run",
        { level: 'Write', needed: 'Admin' },
      ),
    );
    expect(await doors.run('door', undefined, '?version=1.0.0')).toEqual(OPEN);
    await doors.setLevel(author, 'None');
    const gone = await doors.run('door', undefined, '?version=1.0.0');
    expect(gone).toEqual(lowered('door', author.username, 'None'));
  });

  test('has their own rights once the version in force says caller', async () => {
    const doors = await startDoors();
    await doors.demand('POST', '/templates', DOOR);
    await doors.demand('PATCH', '/templates/door', { runAs: null });
    const reader = await doors.person('Read');
    await doors.grant(reader, 'None', 'endpoint', 'orders');
    for (const query of ['', '?version=1.0.0']) {
      expect(await doors.run('door', reader, query)).toEqual({
        status: 403,
        body: failure('FORBIDDEN', 'This operation needs Read access on endpoint orders'),
      });
    }
    expect(await doors.demand('GET', '/templates/door')).not.toHaveProperty('runAs');
    const before = await doors.demand('GET', '/templates/door?version=1.0.0');
    expect(before).toMatchObject({ runAs: 'author' });
  });

  test('may be a key, which is no author', async () => {
    const doors = await startDoors();
    await doors.demand('POST', '/templates', DOOR);
    const { key } = await doors.demand('POST', '/iam/keys', {
      name: 'shop',
      templates: { door: 'Read' },
    });
    const reply = await doors.run('door', { uuid: '', username: '', token: String(key) });
    expect(reply).toEqual(OPEN);
  });
});

describe('the author of a door', () => {
  test('is looked up at each run: lowered for a door that writes, and raised again', async () => {
    const doors = await startDoors({ POLICY_TTL_MS: 0 });
    const author = await doors.person('Admin');
    await doors.demand('POST', '/templates', WRITING, author);
    await doors.demand('POST', '/templates', { ...DOOR, id: 'reading' }, author);
    const writer = await doors.person('Write');
    await doors.setLevel(author, 'Read');
    expect(await doors.run('door', writer)).toEqual(
      lowered('door', author.username, 'Read', 'Write'),
    );
    expect(await doors.run('reading', writer)).toEqual(OPEN);
    await doors.grant(author, 'Write', 'endpoint', 'orders');
    expect(await doors.run('door', writer)).toEqual(OPEN);
  });

  test('who is removed closes it, and is somebody with new rights when invited again', async () => {
    const doors = await startDoors();
    const author = await doors.person('Admin');
    await doors.demand('POST', '/templates', DOOR, author);
    const reader = await doors.person('Read');
    expect(await doors.run('door', reader)).toEqual(OPEN);
    await doors.demand('DELETE', `/iam/users/${author.username}`);
    const gone = `The author of template door, whose rights it runs with, is no longer a member of the organization`;
    expect(await doors.run('door', reader)).toEqual(runAs(gone, { author: author.uuid }));
    await doors.demand('POST', '/iam/users', ['None', author.username]);
    expect(await doors.run('door', reader)).toEqual(lowered('door', author.username, 'None'));
    await doors.setLevel(author, 'Read');
    expect(await doors.run('door', reader)).toEqual(OPEN);
  });

  test('is an account of this organization: one who takes their name elsewhere, or here, has no part in it', async () => {
    const doors = await startDoors();
    const author = await doors.person('Admin');
    await doors.demand('POST', '/templates', DOOR, author);
    await doors.demand('DELETE', `/iam/users/${author.username}`);
    const other = await startDoors();
    await other.demand('POST', '/iam/users', ['Admin', author.username]);
    expect((await doors.run('door')).status).toBe(403);
    const same = author.username.replace('user-', 'User-');
    const taken = { username: `x${same}`, password: 'a password of tests', access_level: 'Write' };
    await doors.demand('POST', '/iam/users', taken);
    expect((await doors.run('door')).status).toBe(403);
  });

  test('and who called are both in what the audit tells', async () => {
    const doors = await startDoors();
    const author = await doors.person('Admin');
    await doors.demand('POST', '/templates', DOOR, author);
    const reader = await doors.person('Read');
    await doors.setLevel(author, 'None');
    expect((await doors.run('door', reader)).status).toBe(403);
    await doors.settle();
    const { entries } = await doors.demand('GET', '/audit?outcome=denied');
    expect(entries).toEqual([
      expect.objectContaining({
        actor: reader.username,
        action: 'template.run',
        details: { actor_uuid: reader.uuid, author: author.username, code: 'FORBIDDEN' },
      }),
    ]);
  });
});

describe('a nested template', () => {
  test('with author is a door of its own, which asks of the outer run what it asks of callers', async () => {
    const doors = await startDoors();
    const [inner, outer] = [await doors.person('Admin'), await doors.person('Admin')];
    await doors.demand('POST', '/templates', { ...WRITING, id: 'inner' }, inner);
    await doors.demand('POST', '/templates', nesting('outer', 'inner', { runAs: 'author' }), outer);
    await doors.demand('POST', '/templates', nesting('plain', 'inner'));
    await doors.grant(outer, 'None', 'endpoint', 'orders');
    const writer = await doors.person('Write');
    await doors.grant(writer, 'None', 'template', 'inner');
    expect((await doors.run('outer', writer)).status).toBe(200);
    expect((await doors.run('plain', writer)).status).toBe(403);
    await doors.grant(writer, 'Read', 'template', 'inner');
    expect(await doors.run('plain', writer)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Write access on template inner'),
    });
    await doors.grant(outer, 'Read', 'template', 'inner');
    const message =
      'The author of template outer, whose rights it runs with, needs Write access on template inner and has Read';
    const more = { author: outer.username, level: 'Read', needed: 'Write' };
    expect(await doors.run('outer', writer)).toEqual(runAs(message, more));
    await doors.grant(outer, 'Write', 'template', 'inner');
    await doors.setLevel(inner, 'Read');
    const low = await doors.run('outer', writer);
    expect(low).toEqual(lowered('inner', inner.username, 'Read', 'Write'));
  });

  test('with caller has the rights of the run around, beside the same one in another door', async () => {
    const doors = await startDoors();
    const strong = await doors.person('Admin');
    await doors.demand('POST', '/templates', { ...DOOR, id: 'leaf', runAs: 'caller' });
    await doors.demand('POST', '/templates', nesting('inner', 'leaf', { runAs: 'author' }), strong);
    const both = {
      id: 'both',
      name: 'both',
      transformationRules: [
        { target: 'door', template: 'inner', input: '$' },
        { target: 'own', template: 'leaf', input: '$' },
      ],
    };
    await doors.demand('POST', '/templates', both);
    const reader = await doors.person('Read');
    expect((await doors.run('both', reader)).body).toEqual({ door: { inner: ROWS }, own: ROWS });
    await doors.grant(reader, 'None', 'endpoint', 'orders');
    expect((await doors.run('inner', reader)).status).toBe(200);
    expect((await doors.run('both', reader)).status).toBe(403);
  });
});

test('a kept output is told behind its own door alone, and to nobody once the door is shut', async () => {
  const doors = await startDoors();
  const author = await doors.person('Admin');
  const caching = { performanceSettings: { caching: { enabled: true, ttl: 600 } } };
  await doors.demand('POST', '/templates', { ...DOOR, id: 'leaf', runAs: 'caller' });
  const kept = nesting('kept', 'leaf', { runAs: 'author', ...caching });
  await doors.demand('POST', '/templates', kept, author);
  const reader = await doors.person('Read');
  for (const _ of [1, 2]) expect((await doors.run('kept', reader)).status).toBe(200);
  expect(doors.seen).toHaveLength(1);
  await doors.grant(author, 'None', 'endpoint', 'orders');
  expect((await doors.run('kept', reader)).status).toBe(403);
});

test('a reply that was kept for a repeat is told again only while its author may', async () => {
  const doors = await startDoors();
  const author = await doors.person('Admin');
  await doors.demand('POST', '/templates', WRITING, author);
  const writer = await doors.person('Write');
  const repeat = async () => {
    const headers = { Authorization: `Bearer ${writer.token}`, 'Idempotency-Key': 'once' };
    const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' } };
    return (await doors.send('/templates/door', { ...init, body: '{"id":7}' })).status;
  };
  expect([await repeat(), await repeat(), doors.seen.length]).toEqual([200, 200, 1]);
  await doors.grant(author, 'Read', 'endpoint', 'orders');
  expect([await repeat(), doors.seen.length]).toEqual([403, 1]);
});

test('a run costs no trip to D1 once it is known, with a door or without', async () => {
  const trips = countTrips(env.DB);
  const doors = await startDoors({ DB: trips.binding, POLICY_TTL_MS: 60_000 });
  await doors.demand('POST', '/templates', DOOR);
  for (const id of ['first', 'plain']) {
    await doors.demand('POST', '/templates', { ...DOOR, id, runAs: 'caller' });
  }
  const reader = await doors.person('Read');
  // Usage is written at once after the first run of all, and a second later after the next ones.
  await doors.run('first', reader);
  const costs: number[] = [];
  for (const id of ['plain', 'plain', 'door', 'door']) {
    await doors.settle();
    const before = trips.count();
    expect((await doors.run(id, reader)).status).toBe(200);
    costs.push(trips.count() - before);
  }
  // The row, the reach, the definition; with a door the rights of its author too.
  expect(costs).toEqual([3, 0, 4, 0]);
});

test('an asynchronous run has the rights that the author has when it begins', async () => {
  const doors = await startDoors();
  await doors.demand('POST', '/templates', DOOR);
  const reader = await doors.person('Read');
  await doors.grant(reader, 'None', 'endpoint', 'orders');
  expect((await doors.run('door', reader, '?async=true')).status).toBe(202);
});

test('a render shows what is nested to those who may read that, and sends nothing', async () => {
  const doors = await startDoors();
  await doors.demand('POST', '/templates', { ...DOOR, id: 'leaf', runAs: 'caller' });
  await doors.demand('POST', '/templates', nesting('outer', 'leaf', { runAs: 'author' }));
  const reader = await doors.person('Read');
  await doors.grant(reader, 'None', 'endpoint', 'orders');
  const render = () => doors.call('POST', '/templates/outer/render', { id: 7 }, reader);
  expect(await render()).toMatchObject({ status: 200, body: { success: true } });
  await doors.grant(reader, 'None', 'template', 'leaf');
  expect((await render()).status).toBe(403);
  expect(doors.seen).toEqual([]);
});
