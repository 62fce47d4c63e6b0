/** What callers of PostgreSQL at Neon are told of faults, and how many trips requests take. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PostgresRequest } from '../kinds/postgres/index.ts';
import { failureOf } from '../node-relay/drivers/contract.ts';
import { run, sql, TestDatabase } from '../node-relay/drivers/postgres/test/database.ts';
import { callOf } from '../node-relay/drivers/test/host.ts';
import type { Call, Mode } from '../proto/driver.ts';
import { neon } from '../worker/drivers/edge/neon/index.ts';
import type { LateClient } from '../worker/drivers/edge/sql/late-client.ts';
import { openNetwork } from './stand-ins/edge-host.ts';
import { type Fault, NeonStandIn } from './stand-ins/neon/server.ts';

let database: TestDatabase;
let standIn: NeonStandIn;
let session: LateClient<PostgresRequest>;

beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE log (id int GENERATED ALWAYS AS IDENTITY, what text)',
  );
  standIn = await NeonStandIn.start(database.url);
  session = open(database.url);
  await session.ping(callOf('read'));
});
beforeEach(() => {
  standIn.faults.length = 0;
});
afterAll(async () => {
  await standIn?.stop();
  await database?.drop();
});

function open(url: string): LateClient<PostgresRequest> {
  return neon.open({ connection: { url: standIn.url(url) }, settings: {} }, openNetwork);
}
const logged = async (what: string) => {
  const { rows } = await database.outside.query('SELECT FROM log WHERE what = $1', [what]);
  return rows.length;
};
const insert = (what: string) => sql('INSERT INTO log (what) VALUES ($1)', [what]);

describe('trips', () => {
  const tripsOf = async (request: PostgresRequest, mode: Mode) => {
    const before = standIn.seen.length;
    await run(session, request, mode);
    return standIn.seen.length - before;
  };
  test.each<[string, Mode, PostgresRequest, first: number]>([
    ['a read', 'read', sql('SELECT what FROM log WHERE id = $1', [1]), 3],
    ['a write', 'write', insert('trips'), 1],
    ['a write of an array', 'write', sql('SELECT $1::text[]', [['a']]), 2],
    ['a read of an extension’s or user’s type', 'read', sql('SELECT NULL::log'), 3],
    [
      'one row of a change',
      'write',
      sql("INSERT INTO log (what) VALUES ('one') RETURNING id", [], { type: 'query_one' }),
      1,
    ],
    ['several reads', 'read', sql('SELECT 1; SELECT 2', [], { type: 'simple_read_only' }), 1],
  ])('%s takes one, once what it needs is known', async (_, mode, request, first) => {
    expect([await tripsOf(request, mode), await tripsOf(request, mode)]).toEqual([first, 1]);
  });

  test('a transaction takes one', async () => {
    const before = standIn.seen.length;
    await session.transact([insert('t1'), insert('t2')], callOf('write'));
    expect(standIn.seen.length - before).toBe(1);
  });
});

describe('a fault of the endpoint', () => {
  const body = '{"message":"of ep-cool-name-123 at 10.0.0.1"}';
  const of = (status: number, message: string, code = '', severity = ''): Fault => ({
    status,
    body: JSON.stringify({ message, code, severity, detail: null, position: null }),
  });
  test.each<[string, Fault, read: string, write: string]>([
    ['nobody answered', 'drop-before', 'CONNECTION_FAILED', 'OUTCOME_UNKNOWN'],
    ['the reply was lost', 'drop-after', 'CONNECTION_FAILED', 'OUTCOME_UNKNOWN'],
    ['an internal error', { status: 500, body }, 'CONNECTION_FAILED', 'OUTCOME_UNKNOWN'],
    [
      'a reply that is none',
      { status: 200, body: '<html>' },
      'CONNECTION_FAILED',
      'OUTCOME_UNKNOWN',
    ],
    ['no login', { status: 401, body }, 'CONNECTION_FAILED', 'CONNECTION_FAILED'],
    ['no endpoint', { status: 404, body }, 'CONNECTION_FAILED', 'CONNECTION_FAILED'],
    ['what it does not explain', { status: 400, body }, 'CONNECTION_FAILED', 'OUTCOME_UNKNOWN'],
    [
      'a lost line to the database',
      of(400, 'connection closed'),
      'CONNECTION_FAILED',
      'OUTCOME_UNKNOWN',
    ],
    [
      'a cancelled statement',
      {
        status: 400,
        body: '{"message":"Query cancelled, connection was terminated","code":"08P01"}',
      },
      'CONNECTION_FAILED',
      'OUTCOME_UNKNOWN',
    ],
    [
      'a database that shuts down',
      of(400, 'terminating connection', '57P01', 'FATAL'),
      'CONNECTION_FAILED',
      'OUTCOME_UNKNOWN',
    ],
    [
      'too many connections to the database',
      of(400, 'sorry, too many clients already', '53300', 'FATAL'),
      'SERVICE_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
    ],
    [
      'a wrong password',
      of(400, "password authentication failed for user 'ep-cool-name-123'"),
      'CONNECTION_FAILED',
      'CONNECTION_FAILED',
    ],
    [
      'an unknown endpoint',
      of(400, 'The requested endpoint could not be found, or you have no access to it'),
      'CONNECTION_FAILED',
      'CONNECTION_FAILED',
    ],
    [
      'too many attempts',
      of(500, 'Too many connections attempts'),
      'SERVICE_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
    ],
    [
      'a database that does not start',
      of(500, 'Control plane request failed'),
      'CONNECTION_FAILED',
      'CONNECTION_FAILED',
    ],
    ['too many', { status: 429, body }, 'SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'],
  ])('%s', async (_, fault, onRead, onWrite) => {
    const known = sql('SELECT 1 AS known');
    await run(session, known, 'read');
    standIn.faults.push(fault);
    const failures = [await failureOf(session.run(known, callOf('read')))];
    standIn.faults.push(fault);
    failures.push(await failureOf(session.run(insert('fault'), callOf('write'))));
    expect(failures).toMatchObject([{ code: onRead }, { code: onWrite }]);
    // The log gets all of it, causes too.
    const { password } = new URL(database.url);
    const said = inspect(failures, { depth: 9 });
    expect(said).not.toMatch(/ep-cool|10\.0|postgresql:/);
    expect(said).not.toContain(password);
  });

  test('a look-up that was lost has changed nothing, ahead of a write too', async () => {
    standIn.faults.push('drop-after');
    const request = sql('INSERT INTO log (what) SELECT unnest($1::text[])', [['lookup']]);
    expect(await failureOf(session.run(request, callOf('write')))).toMatchObject({
      code: 'CONNECTION_FAILED',
    });
    expect(await logged('lookup')).toBe(0);
  });

  test('the deadline passes', async () => {
    const late = (mode: Mode): Call => callOf(mode, { signal: AbortSignal.timeout(1_000) });
    const known = sql('SELECT 1 AS known');
    standIn.faults.push({ delayMs: 4_000 });
    expect(await failureOf(session.run(known, late('read')))).toMatchObject({ code: 'TIMED_OUT' });
    standIn.faults.push({ delayMs: 4_000 });
    expect(await failureOf(session.run(insert('late'), late('write')))).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
  });
});

describe('a large result', () => {
  const rows = (count: number) =>
    sql(`SELECT repeat('x', 1000) AS r FROM generate_series(1, ${count})`);

  test('is refused, and no more of it is read than may be', async () => {
    const bounds = callOf('read', { resultMaxBytes: 50_000 });
    for (const count of [60, 5_000]) {
      expect(await failureOf(session.run(rows(count), bounds))).toMatchObject({
        code: 'RESULT_TOO_LARGE',
        message: expect.stringContaining('50000 bytes'),
      });
    }
  });

  test('of a change says that the change stands', async () => {
    for (const length of [5, 50]) {
      const request = sql(
        `INSERT INTO log (what) SELECT 'large${length}' FROM generate_series(1, 10) RETURNING repeat('x', ${length}000)`,
      );
      const bounds = callOf('write', { resultMaxBytes: 20_000 });
      expect(await failureOf(session.run(request, bounds))).toMatchObject({
        code: 'RESULT_TOO_LARGE',
        details: [{ source: 'postgres', applied: true }],
      });
      expect(await logged(`large${length}`)).toBe(10);
    }
  });

  test('of which Neon hands on no more is refused, and a change undone with it', async () => {
    standIn.replyMaxBytes = 10_000;
    const change = sql(
      "INSERT INTO log (what) SELECT 'undone' FROM generate_series(1, 20) RETURNING repeat('x', 1000)",
    );
    const failures = [
      await failureOf(session.run(rows(20), callOf('read'))),
      await failureOf(session.run(change, callOf('write'))),
    ];
    standIn.replyMaxBytes = Number.POSITIVE_INFINITY;
    const refused = { code: 'RESULT_TOO_LARGE', details: [] };
    expect(failures).toMatchObject([refused, refused]);
    expect(await logged('undone')).toBe(0);
  });
});

test('callers at once meet each their own database', async () => {
  const other = await TestDatabase.create();
  const sessions = [session, open(other.url)];
  const names = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const { rows } = await run(
        sessions[at % 2] ?? session,
        sql('SELECT current_database() AS name'),
        'read',
      );
      return rows[0]?.name;
    }),
  );
  expect(names).toEqual(names.map((_, at) => (at % 2 === 0 ? database.name : other.name)));
  await standIn.release();
  await other.drop();
});

test.each([
  ['a host that is none', { host: 'no host', auth: 'u:s3cr3t', db: 'd' }],
  ['an option that is none', { url: 'postgresql://u:s3cr3t@h.neon.tech/d?sslkey=/etc/passwd' }],
  ['no user', { url: 'postgresql://h.neon.tech/d' }],
])('%s is told before anything is sent, and never with the password', (_, connection) => {
  const opening = () => neon.open({ connection, settings: {} }, openNetwork);
  expect(opening).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }));
  expect(opening).not.toThrow(/s3cr3t/);
});

test("the vendor's hosts are asked where the vendor says, and others at themselves", async () => {
  const asked: string[] = [];
  const host = {
    fetch: async ({ url, headers }: Request) => {
      asked.push(url, headers.get('neon-connection-string') ?? '');
      throw new Error('not there');
    },
  };
  for (const url of [
    'postgresql://u:p%40@ep-a-b-123.eu-central-1.aws.neon.tech/shop?sslmode=require&channel_binding=require',
    'postgres://u:p@proxy.example.com:4444/shop',
    'postgres://u:p@proxy.example.com:4444/shop?sslmode=disable&channel_binding=prefer',
  ]) {
    const line = neon.open({ connection: { url }, settings: {} }, host);
    await failureOf(line.ping(callOf('read')));
  }
  const [first, string = '', ...others] = asked;
  expect(first).toBe('https://api.eu-central-1.aws.neon.tech/sql');
  expect(string).toMatch(
    /^postgresql:\/\/u:p%40@ep-a-b-123\.eu-central-1\.aws\.neon\.tech:5432\/shop/,
  );
  expect([others[0], others[2]]).toEqual([
    'https://proxy.example.com:4444/sql',
    'http://proxy.example.com:4444/sql',
  ]);
});
