/** Writes that PostgreSQL keeps once: what is lost where, whose table it is, who may what. Spec: transactions.md §7. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OnceMark } from '../../../proto/once.ts';
import { failureOf } from '../contract.ts';
import { digestOf } from '../contract-once.ts';
import { type CuttingProxy, cuttingProxy } from '../test/cutting-proxy.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

const CLERK = `once_clerk_${process.pid}`;
let database: TestDatabase;
let proxy: CuttingProxy;

beforeAll(async () => {
  database = await TestDatabase.create(
    `CREATE TABLE orders (name text, by text DEFAULT current_user);
     CREATE TABLE checked (n int CONSTRAINT positive CHECK (n > 0));
     CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO orders (name) VALUES ('late ' || new.n); RETURN NULL; END $$;
     CREATE CONSTRAINT TRIGGER late AFTER INSERT ON checked DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION late();
     CREATE ROLE ${CLERK} NOLOGIN;
     GRANT INSERT, SELECT ON orders, checked TO ${CLERK};`,
  );
  proxy = await cuttingProxy(database.url);
});
afterAll(async () => {
  proxy.close();
  await database.outside.query(`DROP OWNED BY ${CLERK}; DROP ROLE ${CLERK}`);
  await database.drop();
});

let last = 0;

function mark(place = 'causeway_once', body = 'body'): OnceMark {
  last += 1;
  const [key, secret] = [digestOf(`key ${last}`), digestOf(`secret ${last}`)];
  return { key, body: digestOf(body), place, secret };
}

function add(name: string) {
  return { request: sql('INSERT INTO orders (name) VALUES ($1) RETURNING name, by', [name]) };
}

async function named(name: string): Promise<unknown[]> {
  const { rows } = await database.outside.query('SELECT name, by FROM orders WHERE name = $1', [
    name,
  ]);
  return rows;
}

describe('a connection that is lost', () => {
  test.each([
    { at: 'BEGIN', when: 'before' },
    { at: 'BEGIN', when: 'after' },
    { at: 'INSERT INTO orders', when: 'before' },
    { at: 'INSERT INTO orders', when: 'after' },
    { at: 'COMMIT', when: 'before' },
    { at: 'COMMIT', when: 'after' },
  ] as const)('$when the server has $at leaves nothing in doubt', async ({ at, when }) => {
    const name = `${at} ${when}`;
    const write = await database.open('write', {}, proxy.url);
    await write.once(add(`${name} opens`), mark(), callOf('write'));
    proxy.cutAt(at, when);
    const own = mark();
    const { result } = await write.once(add(name), own, callOf('write'));
    expect(jsonOf(result)).toMatchObject({ rows: [{ name }] });
    const again = await write.once(add(name), own, callOf('write'));
    expect([jsonOf(again.result), again.isReplay]).toEqual([jsonOf(result), true]);
    expect(await named(name)).toHaveLength(1);
  });

  test('for good is told as what the same key finds out', async () => {
    const write = await database.open('write', { connections: 1 }, proxy.url);
    await write.once(add('opens'), mark(), callOf('write'));
    const own = mark();
    proxy.cutAt('COMMIT', 'after');
    const running = write.once(add('gone'), own, callOf('write'));
    await expect.poll(() => named('gone'), { interval: 5 }).toHaveLength(1);
    proxy.close();
    expect(await failureOf(running)).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfter: 1,
      message:
        'The connection to the database was lost: send the request again with the same Idempotency-Key, which tells what became of it',
    });
    const direct = await database.open('write');
    const again = await direct.once(add('gone'), own, callOf('write'));
    expect([again.isReplay, (await named('gone')).length]).toEqual([true, 1]);
    proxy = await cuttingProxy(database.url);
  });
});

describe('the table of marks', () => {
  test('is made by the first that asks, also of several at once, in a schema that is named', async () => {
    await database.outside.query('CREATE SCHEMA marks');
    const write = await database.open('write');
    const all = Array.from({ length: 4 }, (_, at) =>
      write.once(add(`schema ${at}`), mark('marks.Kept'), callOf('write')),
    );
    await Promise.all(all);
    const { rows } = await database.outside.query('SELECT count(*)::int AS n FROM marks."Kept"');
    expect(rows).toEqual([{ n: 4 }]);
  });

  test('is made again where it was removed meanwhile, with its schema or without', async () => {
    await database.outside.query('CREATE SCHEMA removed');
    const write = await database.open('write');
    for (const place of ['removed.once', 'removed_once']) {
      await write.once(add(`first in ${place}`), mark(place), callOf('write'));
      await database.outside.query(`DROP TABLE ${place}`);
      const own = mark(place);
      const { isReplay } = await write.once(add(`anew in ${place}`), own, callOf('write'));
      const again = await write.once(add(`anew in ${place}`), own, callOf('write'));
      expect([isReplay, again.isReplay]).toEqual([false, true]);
      expect(await named(`anew in ${place}`)).toHaveLength(1);
    }
  });

  test('that the credential may not make is 400 with the statement that makes it', async () => {
    const role = `once_poor_${process.pid}`;
    await database.outside.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'poor'; GRANT ALL ON orders TO ${role}`,
    );
    const url = new URL(database.url);
    url.username = role;
    url.password = 'poor';
    const write = await database.open('write', {}, url.href);
    const failure = await failureOf(write.once(add('poor'), mark('poor_once'), callOf('write')));
    const make =
      'CREATE TABLE IF NOT EXISTS "poor_once" (id text PRIMARY KEY, body text NOT NULL, reply bytea, made_at timestamptz NOT NULL); CREATE INDEX IF NOT EXISTS "poor_once_made_at" ON "poor_once" (made_at)';
    expect(failure).toMatchObject({
      code: 'BAD_REQUEST',
      message: `config.once needs table poor_once, and the database says: permission denied for schema public. Make it with: ${make}`,
      details: [{ path: 'config.once', message: 'needs table poor_once' }],
    });
    await database.outside.query(`${make}; GRANT ALL ON poor_once TO ${role}`);
    await write.once(add('poor'), mark('poor_once'), callOf('write'));
    expect(await named('poor')).toEqual([{ name: 'poor', by: role }]);
    await database.outside.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  test('that was dropped is made again by the call that finds out', async () => {
    const write = await database.open('write');
    await write.once(add('drop'), mark('dropped'), callOf('write'));
    await database.outside.query('DROP TABLE dropped');
    await write.once(add('drop'), mark('dropped'), callOf('write'));
    expect(await named('drop')).toHaveLength(2);
  });

  test('is the same whatever path a statement sets', async () => {
    const write = await database.open('write');
    await database.outside.query('CREATE SCHEMA elsewhere');
    const request = {
      type: 'simple',
      query: "SET LOCAL search_path = 'elsewhere'; SELECT 1",
    } as const;
    const own = mark();
    await write.once({ request }, own, callOf('write'));
    expect(await write.once({ request }, own, callOf('write'))).toMatchObject({ isReplay: true });
  });

  test('shows nobody a reply, and passes on none that somebody else wrote', async () => {
    const write = await database.open('write');
    const [own, other] = [mark('sealed'), mark('sealed')];
    await write.once(add('confidential'), own, callOf('write'));
    await write.once(add('of another'), other, callOf('write'));
    const { rows } = await database.outside.query('SELECT * FROM sealed');
    expect(rows.map(({ reply }) => String(reply)).join()).not.toContain('confidential');
    await database.outside.query(
      'UPDATE sealed SET reply = (SELECT reply FROM sealed WHERE id = $1) WHERE id = $2',
      [other.key, own.key],
    );
    const failure = await failureOf(write.once(add('confidential'), own, callOf('write')));
    expect(failure).toMatchObject({ code: 'REPLY_NOT_KEPT' });
    expect(await named('confidential')).toHaveLength(1);
  });

  test('keeps a mark for 7 days, and loses older ones', async () => {
    const write = await database.open('write');
    const own = mark('aged');
    await write.once(add('aged'), own, callOf('write'));
    const age = (interval: string) =>
      database.outside.query(`UPDATE aged SET made_at = now() - interval '${interval}'`);
    await age('6 days 23 hours');
    expect(await write.once(add('aged'), own, callOf('write'))).toMatchObject({ isReplay: true });
    await age('7 days 1 minute');
    expect(await write.once(add('aged'), own, callOf('write'))).toMatchObject({ isReplay: false });
    await age('8 days');
    const other = await database.open('write');
    await other.once(add('aged'), mark('aged'), callOf('write'));
    await expect
      .poll(async () => (await database.outside.query('SELECT count(*)::int AS n FROM aged')).rows)
      .toEqual([{ n: 1 }]);
  });
});

describe('a statement', () => {
  test.each([
    'VACUUM orders',
    'CREATE INDEX CONCURRENTLY ON orders (name)',
    'CREATE DATABASE other',
  ])('that commits by itself has no key: %s', async (query) => {
    const write = await database.open('write');
    const request = sql(query, [], { type: 'execute' });
    expect(await failureOf(write.once({ request }, mark(), callOf('write')))).toMatchObject({
      code: 'BAD_REQUEST',
      message:
        'The statement commits by itself, so config.once cannot keep its Idempotency-Key with it: send it without the key',
    });
  });

  test.each([
    [
      'batch_execute',
      {
        type: 'batch_execute',
        query: "INSERT INTO orders VALUES ('several'); INSERT INTO orders VALUES ('several')",
      },
    ],
    [
      'copy_in',
      { type: 'copy_in', query: 'COPY orders (name) FROM STDIN', value: 'several\nseveral\n' },
    ],
  ] as const)('of type %s has one effect', async (_type, request) => {
    const write = await database.open('write');
    await database.outside.query("DELETE FROM orders WHERE name = 'several'");
    const own = mark();
    const first = await write.once({ request }, own, callOf('write'));
    const again = await write.once({ request }, own, callOf('write'));
    expect([again.isReplay, jsonOf(again.result)]).toEqual([true, jsonOf(first.result)]);
    expect(await named('several')).toHaveLength(2);
  });

  test('that only reads leaves no mark', async () => {
    const write = await database.open('write');
    const request = sql('SELECT clock_timestamp()::text AS now', [], { type: 'query_read_only' });
    const own = mark();
    const first = await write.once({ request }, own, callOf('write'));
    const again = await write.once({ request }, own, callOf('write'));
    expect(again.isReplay).toBe(false);
    expect(jsonOf(again.result)).not.toEqual(jsonOf(first.result));
  });

  test('that is stopped leaves neither mark nor effect', async () => {
    const write = await database.open('write');
    const own = mark();
    const request = sql("INSERT INTO orders (name) SELECT 'stopped' FROM pg_sleep(20)");
    const call = callOf('write', { signal: AbortSignal.timeout(100) });
    await failureOf(write.once({ request }, own, call));
    expect(await named('stopped')).toEqual([]);
    const again = await write.once(add('stopped'), own, callOf('write'));
    expect(again.isReplay).toBe(false);
  });
});

describe('config.session', () => {
  const session = { settings: [['app.user', 'ann']], role: CLERK, maySet: false } as const;
  const call = () => callOf('write', { session });
  let write: PostgresClient;
  beforeAll(async () => {
    write = await database.open('write');
  });

  test('holds for the statement, and not for its mark', async () => {
    const own = mark();
    const { result } = await write.once(add('session'), own, call());
    expect(jsonOf(result)).toMatchObject({ rows: [{ name: 'session', by: CLERK }] });
    expect(await write.once(add('session'), own, call())).toMatchObject({ isReplay: true });
    await expect(
      run(write, sql('SELECT * FROM causeway_once'), 'write', { session }),
    ).rejects.toMatchObject({ code: 'REQUEST_FAILED', details: [{ code: '42501' }] });
  });

  test('holds for what runs at the end of the transaction', async () => {
    const request = sql('INSERT INTO checked VALUES (1)');
    await write.once({ request }, mark(), call());
    expect(await named('late 1')).toEqual([{ name: 'late 1', by: CLERK }]);
  });

  test('guards a statement with a key as one without', async () => {
    const request = sql("SELECT set_config('app.user', 'eve', true)");
    expect(await failureOf(write.once({ request }, mark(), call()))).toMatchObject({
      code: 'FORBIDDEN',
    });
    const operations = [sql('SELECT 1'), request];
    expect(await failureOf(write.once({ operations }, mark(), call()))).toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});
