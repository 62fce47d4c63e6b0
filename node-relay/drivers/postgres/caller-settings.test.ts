/** What a server is told of who calls, on every way in. Spec: keys-and-doors.md §3. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SessionSettings } from '../../../proto/driver.ts';
import { failureOf } from '../contract.ts';
import { CountedPort } from '../test/counted-port.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

const CLERK = 'causeway_test_clerk';
let database: TestDatabase;
let writer: PostgresClient;
let reader: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    DO $$ BEGIN CREATE ROLE ${CLERK} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
    CREATE TABLE notes (owner text NOT NULL DEFAULT current_setting('app.user', true), body text);
    CREATE TABLE log (who text, as_role text);
    CREATE TABLE copied (owner text DEFAULT current_setting('app.user', true), body text);
    GRANT ALL ON copied TO ${CLERK};
    CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN INSERT INTO log VALUES (current_setting('app.user', true), current_setting('role')); RETURN NEW; END $$;
    CREATE TRIGGER tell AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION tell();
    ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON notes USING (owner = current_setting('app.user', true))
      WITH CHECK (owner = current_setting('app.user', true));
    GRANT ALL ON notes TO ${CLERK};
    CREATE SCHEMA ${CLERK};
    CREATE FUNCTION ${CLERK}.who() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'of the role''s schema' $$;
    CREATE FUNCTION public.who() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'of the public schema' $$;
    GRANT USAGE ON SCHEMA ${CLERK} TO ${CLERK};`);
  const allowed = { allow_functions: ['who'] };
  writer = await database.open('write', { connections: 1, ...allowed });
  reader = await database.open('read', { connections: 1, ...allowed });
});
beforeEach(() => database.outside.query('TRUNCATE notes, log'));
afterAll(() => database.drop());

function by(user: string, more: Partial<SessionSettings> = {}): { session: SessionSettings } {
  const settings = [['app.user', user] as const, ['app.odd', `'"\\$1;--é\n`] as const];
  return { session: { settings, role: CLERK, maySet: false, ...more } };
}

const TOLD =
  "current_setting('app.user', true) AS who, current_setting('app.odd', true) AS odd, current_user::text AS role";
const ADA = { who: 'ada', odd: `'"\\$1;--é\n`, role: CLERK };

async function linesOf(pieces: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  let text = '';
  for await (const piece of pieces) text += Buffer.from(piece).toString();
  return text.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as unknown)));
}

describe('what is told of a caller', () => {
  test('is there for reads, and gone for the next call', async () => {
    const read = sql(`SELECT ${TOLD}`);
    expect((await run(reader, read, 'read', by('ada'))).rows).toEqual([ADA]);
    const [next] = (await run(reader, read, 'read')).rows;
    expect([next?.who ?? '', next?.role === CLERK]).toEqual(['', false]);
    expect((await run(reader, read, 'read', by('bob'))).rows).toEqual([{ ...ADA, who: 'bob' }]);
  });

  test('is there for writes, for those that answer nothing and their triggers too', async () => {
    const insert = "INSERT INTO notes (body) VALUES ('x')";
    const returning = sql(`${insert} RETURNING owner, ${TOLD}`);
    expect((await run(writer, returning, 'write', by('ada'))).rows).toEqual([
      { owner: 'ada', ...ADA },
    ]);
    await run(writer, sql(insert, [], { type: 'execute' }), 'write', by('bob'));
    expect((await database.outside.query('SELECT * FROM log')).rows).toEqual([
      { who: 'ada', as_role: CLERK },
      { who: 'bob', as_role: CLERK },
    ]);
  });

  test('holds in row-level security', async () => {
    await database.outside.query("INSERT INTO notes VALUES ('ada', 'hers'), ('bob', 'his')");
    const read = sql('SELECT owner, body FROM notes');
    expect((await run(reader, read, 'read', by('ada'))).rows).toEqual([
      { owner: 'ada', body: 'hers' },
    ]);
    const stolen = sql("UPDATE notes SET owner = 'eve' WHERE true");
    const failure = await failureOf(writer.run(stolen, callOf('write', by('ada'))));
    expect(failure).toMatchObject({ code: 'REQUEST_FAILED' });
    const gone = sql('DELETE FROM notes', [], { type: 'execute' });
    expect((await run(writer, gone, 'write', by('ada'))).rows_affected).toBe(1);
  });

  test('is there in several statements, transactions, streams, COPY and sessions', async () => {
    const told = `SELECT ${TOLD}`;
    const call = (mode: 'read' | 'write') => callOf(mode, by('ada'));
    const several = sql(`${told}; ${told}`, [], { type: 'simple' });
    expect(jsonOf(await writer.run(several, call('write')))).toMatchObject({
      results: [{ rows: [ADA] }, { rows: [ADA] }],
    });
    expect(jsonOf(await writer.transact([sql(told), sql(told)], call('write')))).toMatchObject([
      { rows: [ADA] },
      { rows: [ADA] },
    ]);
    expect(await linesOf(reader.stream(sql(told), call('read')))).toEqual([ADA]);
    expect(await linesOf(writer.stream(sql(told), call('write')))).toEqual([ADA]);
    const copied = sql(`COPY (SELECT current_setting('app.user'), current_user) TO STDOUT`, [], {
      type: 'copy_out',
    });
    expect(jsonOf(await reader.run(copied, call('read')))).toEqual({ value: `ada\t${CLERK}\n` });
    const copyIn = {
      type: 'copy_in',
      query: 'COPY copied (body) FROM STDIN',
      value: 'x\n',
    } as const;
    expect(jsonOf(await writer.run(copyIn, call('write')))).toEqual({ rows_affected: 1 });
    expect((await database.outside.query('SELECT owner FROM copied')).rows).toEqual([
      { owner: 'ada' },
    ]);
    const lease = await writer.lease(call('write'));
    try {
      for (const query of ['BEGIN', told, 'SAVEPOINT s', told, 'ROLLBACK TO s', told]) {
        const { rows } = await run(lease, sql(query), 'write', by('ada'));
        expect(rows).toEqual(query === told ? [ADA] : []);
      }
      await run(lease, sql('COMMIT'), 'write', by('ada'));
      expect((await run(lease, sql(told), 'write', by('bob'))).rows).toEqual([
        { ...ADA, who: 'bob' },
      ]);
    } finally {
      await lease.close();
    }
  });

  test('does not change what names mean: the role has no schema of its own in the search path', async () => {
    const read = sql('SELECT who()');
    expect((await run(reader, read, 'read', by('ada'))).rows).toEqual([
      { who: 'of the public schema' },
    ]);
  });

  test('a failure leaves none of it', async () => {
    await failureOf(writer.run(sql('SELECT 1/0'), callOf('write', by('ada'))));
    const [next] = (await run(writer, sql(`SELECT ${TOLD}`), 'write')).rows;
    expect([next?.who ?? '', next?.role === CLERK]).toEqual(['', false]);
  });

  test('a role that is none fails as the server says', async () => {
    const call = callOf('read', by('ada', { role: 'nobody at all' }));
    expect(await failureOf(reader.run(sql('SELECT 1'), call))).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ source: 'postgres', message: 'role "nobody at all" does not exist' }],
    });
  });

  test('an Admin may set, and VACUUM', async () => {
    const admin = by('ada', { maySet: true });
    const { role: _, ...own } = admin.session;
    const setting = sql("SELECT set_config('app.user', 'eve', true)");
    expect((await run(writer, setting, 'write', admin)).rows).toEqual([{ set_config: 'eve' }]);
    const vacuum = sql('VACUUM notes', [], { type: 'batch_execute' });
    const call = callOf('write', { session: own });
    expect(jsonOf(await writer.run(vacuum, call))).toMatchObject({ results: [{ rows: [] }] });
  });
});

test('a refusal names the function, and what would be right', async () => {
  const setting = sql("SELECT set_config('app.user', 'eve', false)");
  const failure = await failureOf(writer.run(setting, callOf('write', by('ada'))));
  const message =
    'Function pg_catalog.set_config needs Admin on this endpoint: config.session tells its database who calls';
  expect(failure).toMatchObject({
    code: 'FORBIDDEN',
    message,
    details: [
      { rule: 'session_settings', path: 'query', message, function: 'pg_catalog.set_config' },
    ],
  });
});

test.each([
  ['a read', 'read', 'SELECT 1 AS a', 'query'],
  ['a write', 'write', "INSERT INTO copied (body) VALUES ('x') RETURNING body", 'query'],
  ['a write without rows', 'write', "INSERT INTO copied (body) VALUES ('x')", 'execute'],
  ['several statements', 'write', 'SELECT 1; SELECT 2', 'simple'],
] as const)('%s takes as many round trips as without settings', async (_, mode, query, type) => {
  const url = new URL(database.url);
  const port = await CountedPort.to(url, 5432);
  try {
    const client = await database.open(mode, { connections: 1 }, port.urlOf(url, database.name));
    const request = sql(query, [], { type });
    const tripsWith = async (bounds: { session?: SessionSettings }) => {
      for (let time = 0; time < 2; time += 1) await client.run(request, callOf(mode, bounds)); // Prepares.
      const before = port.trips;
      await client.run(request, callOf(mode, bounds));
      return port.trips - before;
    };
    const bare = await tripsWith({});
    expect(bare).toBeGreaterThan(0);
    expect(await tripsWith(by('ada'))).toBe(bare);
  } finally {
    port.close();
  }
});
