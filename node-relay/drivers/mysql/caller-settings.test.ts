/** What a MySQL or MariaDB server is told of who calls, on every way in. Spec: keys-and-doors.md §3. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SessionSettings } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { failureOf } from '../contract.ts';
import { beginning, share, shareName } from '../contract-shares.ts';
import { CountedPort } from '../test/counted-port.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let writer: MysqlClient;
let reader: MysqlClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE notes (owner varchar(100), body varchar(100));
    CREATE TABLE log (who varchar(100));
    CREATE TABLE items (a int, b varchar(100));
    CREATE TRIGGER own BEFORE INSERT ON notes FOR EACH ROW SET NEW.owner = @app_user;
    CREATE TRIGGER tell AFTER INSERT ON notes FOR EACH ROW INSERT INTO log VALUES (@app_user);
    CREATE PROCEDURE forges() SET @app_user = 'eve'`);
  writer = await database.open('write', { connections: 1 });
  reader = await database.open('read', { connections: 1 });
});
beforeEach(() => database.outside.query('DELETE FROM notes; DELETE FROM log; DELETE FROM items'));
afterAll(() => database.drop());

const ODD = `'"\\\`;--é\n\u{1F600}`;

function by(user: string, maySet = false): { session: SessionSettings } {
  const settings = [['@app_user', user] as const, ['@app.odd', ODD] as const];
  return { session: { settings, maySet } };
}

const TOLD = 'SELECT @app_user AS who, @app.odd AS odd';
const ADA = { who: 'ada', odd: ODD };
const NOBODY = { who: null, odd: null };

async function drained(pieces: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  let text = '';
  for await (const piece of pieces) text += Buffer.from(piece).toString();
  return text.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as unknown)));
}

describe('what is told of a caller', () => {
  test('is there for reads, prepared or not, and gone for the next call', async () => {
    for (const params of [undefined, [1]]) {
      const read = sql(params ? `${TOLD} WHERE 1 = ?` : TOLD, params);
      expect((await run(reader, read, 'read', by('ada'))).rows).toEqual([ADA]);
      expect((await run(reader, read, 'read')).rows).toEqual([NOBODY]);
      expect((await run(reader, read, 'read', by('bob'))).rows).toEqual([{ ...ADA, who: 'bob' }]);
    }
  });

  test('is there for writes and their triggers, and gone after a failure', async () => {
    const insert = sql("INSERT INTO notes (body) VALUES ('x')");
    expect((await run(writer, insert, 'write', by('ada'))).rows_affected).toBe(1);
    const typed = sql('INSERT INTO notes (body) VALUES (?)', ['y'], { type: 'execute' });
    expect((await run(writer, typed, 'write', by('bob'))).rows_affected).toBe(1);
    expect(await database.look('SELECT owner, body FROM notes ORDER BY body')).toEqual([
      { owner: 'ada', body: 'x' },
      { owner: 'bob', body: 'y' },
    ]);
    expect(await database.look('SELECT who FROM log ORDER BY who')).toEqual([
      { who: 'ada' },
      { who: 'bob' },
    ]);
    const failing = sql('SELECT * FROM no_table');
    expect(await failureOf(writer.run(failing, callOf('write', by('ada'))))).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: '1146' }],
    });
    expect((await run(writer, sql(TOLD), 'write')).rows).toEqual([NOBODY]);
  });

  test('is there in several statements, transactions, shares, streams and sessions', async () => {
    const call = (mode: 'read' | 'write') => callOf(mode, by('ada'));
    const several = sql(`${TOLD}; ${TOLD}`, undefined, { type: 'simple' });
    expect(jsonOf(await writer.run(several, call('write')))).toMatchObject({
      results: [{ rows: [ADA] }, { rows: [ADA] }],
    });
    expect(jsonOf(await writer.transact([sql(TOLD), sql(TOLD)], call('write')))).toMatchObject([
      { rows: [ADA] },
      { rows: [ADA] },
    ]);
    const participant = await writer.join(beginning(shareName()), call('write'));
    const { results } = await participant.perform(share([sql(TOLD)]), call('write'));
    expect(jsonOf(results)).toMatchObject([{ rows: [ADA] }]);
    await participant.commit(call('write'));
    await participant.close();
    expect(await drained(reader.stream(sql(TOLD), call('read')))).toEqual([ADA]);
    expect(await drained(writer.stream(sql(TOLD), call('write')))).toEqual([ADA]);
    const lease = await writer.lease(call('write'));
    try {
      for (const query of ['BEGIN', TOLD, 'SAVEPOINT s', TOLD, 'ROLLBACK TO s', TOLD, 'COMMIT']) {
        const { rows } = await run(lease, sql(query), 'write', by('ada'));
        expect([query, rows]).toEqual([query, query === TOLD ? [ADA] : []]);
      }
      expect((await run(lease, sql(TOLD), 'write', by('bob'))).rows).toEqual([
        { ...ADA, who: 'bob' },
      ]);
    } finally {
      await lease.close();
    }
  });

  test('an Admin may set, and what they set is gone for the next call', async () => {
    const procedure = sql('CALL forges()');
    expect(await run(writer, procedure, 'write', by('ada', true))).toMatchObject({ rows: [] });
    const setting = sql("SET @app_user = 'eve', @other = 1");
    expect(await run(writer, setting, 'write', by('ada', true))).toMatchObject({ rows: [] });
    const other = sql('SELECT @app_user AS who, @other AS other');
    expect((await run(writer, other, 'write', by('bob'))).rows).toEqual([
      { who: 'bob', other: null },
    ]);
  });
});

test.each([
  ['a read', 'read', 'SELECT 1 AS a', 'query'],
  ['a write', 'write', "INSERT INTO items (b) VALUES ('x')", 'query'],
  ['a write that answers rows', 'write', "INSERT INTO items (b) VALUES ('x') RETURNING b", 'query'],
  ['several statements', 'write', 'SELECT 1; SELECT 2', 'simple'],
] as const)('%s takes as many round trips as without settings', async (_, mode, query, type) => {
  const url = new URL(database.url);
  const port = await CountedPort.to(url, 3306);
  try {
    const client = await database.open(mode, { connections: 1 }, port.urlOf(url, database.name));
    const request = sql(query, undefined, { type });
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

test('a server that cannot be told fails the call, and what runs then runs as nobody', async () => {
  const large = {
    session: { settings: [['@app_user', 'x'.repeat(40 * 1024 * 1024)]], maySet: false },
  };
  const failure = await failureOf(
    writer.run(sql("INSERT INTO notes (body) VALUES ('x')"), callOf('write', large as never)),
  );
  expect(failure).toBeInstanceOf(GatewayError);
  expect(await database.look('SELECT owner FROM notes WHERE owner IS NOT NULL')).toEqual([]);
  expect((await run(writer, sql(TOLD), 'write', by('ada'))).rows).toEqual([ADA]);
});
