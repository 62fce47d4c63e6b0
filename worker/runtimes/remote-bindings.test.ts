/** The owner's bindings, asked from another runtime: they do what they do where they are. */
import { createExecutionContext, env } from 'cloudflare:test';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { Bindings } from '../context.ts';
import type { IdempotencyKeysObject } from '../idempotency/object.ts';
import { Owner } from './owner.ts';
import { OwnerLine } from './owner-line.ts';
import { remoteDatabase, remoteLimit, remoteObjects } from './remote-bindings.ts';

// The bindings of wrangler.toml.
const owner = new Owner(createExecutionContext(), env as unknown as Bindings);
const line = new OwnerLine(owner as unknown as ConstructorParameters<typeof OwnerLine>[0]);

describe('D1', () => {
  test.each([
    { what: 'here', database: env.DB },
    { what: 'at the owner', database: remoteDatabase(line) },
  ])('$what answers statements and batches, and tells failures', async ({ database }) => {
    const db = drizzle(database);
    const id = crypto.randomUUID();
    const insert = () =>
      db.run(
        sql`insert into organizations (uuid, id, name, settings, sealed_data_key, created_at, updated_at, last_modified_by)
            values (${id}, ${id}, 'née', '{}', '', 1, 2, 'test')`,
      );
    expect(await insert()).toMatchObject({ success: true, meta: { changes: 1 } });
    const rows = sql`select name, created_at as made, deleted_at as gone from organizations where uuid = ${id}`;
    expect(await db.all(rows)).toEqual([{ name: 'née', made: 1, gone: null }]);
    expect(await db.values(rows)).toEqual([['née', 1, null]]);
    const session = drizzle(database.withSession('first-primary') as unknown as D1Database);
    expect(await session.all(rows)).toHaveLength(1);
    const statement = (text: string) => database.prepare(text).bind(id);
    const failing = [
      statement('delete from organizations where uuid = ?'),
      statement('insert into organizations (uuid) values (?)'),
    ];
    await expect(database.batch(failing)).rejects.toThrow(/^D1_ERROR: NOT NULL constraint failed/);
    await expect(insert()).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/^D1_ERROR: UNIQUE constraint failed/) },
    });
    const read = statement('select count(*) as n from organizations where uuid = ?');
    expect(await database.batch([read, read])).toMatchObject([
      { results: [{ n: 1 }] },
      { results: [{ n: 1 }] },
    ]);
  });
});

describe('objects', () => {
  const namespace = remoteObjects(line, 'IDEMPOTENCY_KEYS');
  // Its methods are those of the class that wrangler.toml names.
  const keysOf = (name: string) =>
    namespace.getByName(name) as unknown as IdempotencyKeysObject & { readonly name: string };
  const call = { name: 'key', attempt: 'first' };
  const claim = { ...call, body: 'sealed', lastsMs: 30_000, reads: false };

  test('are the same, by whatever way they are asked', async () => {
    const name = crypto.randomUUID();
    const remote = keysOf(name);
    expect(remote.name).toBe(name);
    expect(await remote.begin(claim)).toEqual({ state: 'begun' });
    await remote.finish(call, new Uint8Array([1, 2]));
    const here = await env.IDEMPOTENCY_KEYS.getByName(name).look('key');
    expect(here).toMatchObject({ state: 'answered', body: 'sealed' });
    expect(await remote.look('key')).toEqual(here);
    expect(await keysOf(crypto.randomUUID()).look('key')).toBeUndefined();
  });

  test('get requests as they were sent', async () => {
    const seen: Request[] = [];
    const bindings = {
      THINGS: {
        getByName: (name: string) => ({
          async fetch(request: Request) {
            seen.push(request);
            return new Response(`${name} ${await request.text()}`);
          },
        }),
      },
    };
    const other = new Owner(createExecutionContext(), bindings as unknown as Bindings);
    const things = remoteObjects(
      new OwnerLine({ fetch: (...args: [string]) => other.fetch(new Request(...args)) } as never),
      'THINGS',
    );
    const reply = await things
      .getByName('a:b/c')
      .fetch('http://relay/x?y', { method: 'POST', body: 'body', headers: { 'X-One': '1' } });
    expect(await reply.text()).toBe('a:b/c body');
    const [request] = seen;
    expect(request?.url).toBe('http://relay/x?y');
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({
      'content-type': 'text/plain;charset=UTF-8',
      'x-one': '1',
    });
  });

  test.each([
    { what: 'of no namespace', binding: 'DB', method: 'begin', says: 'There are no objects DB' },
    {
      what: 'of no binding',
      binding: 'NOTHING',
      method: 'a',
      says: 'There are no objects NOTHING',
    },
  ])('$what are refused', async ({ binding, method, says }) => {
    expect(() => owner.call(binding, 'name', method, [])).toThrow(says);
  });
});

test('limits are counted at the owner', async () => {
  const [key, limit] = [crypto.randomUUID(), remoteLimit(line, 'LIMIT_BY_USER')];
  const outcomes: boolean[] = [];
  for (let asked = 0; asked < 31; asked += 1) {
    const binding = asked % 2 === 0 ? limit : env.LIMIT_BY_USER;
    outcomes.push((await binding.limit({ key })).success);
  }
  expect(outcomes.filter((success) => success)).toHaveLength(30);
  expect(() => owner.limit('DB', key)).toThrow('There is no limit DB');
});
