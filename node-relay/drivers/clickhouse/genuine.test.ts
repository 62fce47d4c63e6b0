/** A genuine server, of 2018: logins, profiles, kept-alive connections and statements killed, as servers do them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backend } from '../../../test/servers/backends.ts';
import { failureOf } from '../contract.ts';
import { Gone } from '../one-socket.ts';
import { callOf, openClient, testHost } from '../test/host.ts';
import { Connection } from './connection.ts';
import { fromServer, type ServerFault } from './errors.ts';
import { clickhouse } from './index.ts';
import { settingsOf } from './settings.ts';
import { sql } from './test/database.ts';

let url: URL;
const open: Connection[] = [];

beforeAll(async () => {
  url = new URL((await backend('clickhouse-18')).url);
});
afterAll(() => Promise.all(open.map((each) => each.close())));

async function connection(user = 'default'): Promise<Connection> {
  const own = new URL(url);
  own.username = user;
  const settings = settingsOf({ url: own.href });
  const made = await Connection.open({ host: testHost(), settings }, AbortSignal.timeout(5_000));
  open.push(made);
  return made;
}

async function ask(on: Connection, body: string, query = ''): Promise<string> {
  const reply = await on.exchange({ body, query, id: crypto.randomUUID() });
  const pieces: Buffer[] = [];
  for await (const piece of reply as AsyncIterable<Buffer>) pieces.push(piece);
  on.ended();
  return Buffer.concat(pieces).toString();
}

const running = async () =>
  ask(
    await connection(),
    "SELECT count() FROM system.processes WHERE query LIKE '%system.numbers%' AND query NOT LIKE '%system.processes%'",
  );

describe('a genuine server', () => {
  test('answers one request after another on one connection', async () => {
    const one = await connection();
    expect([await ask(one, 'SELECT 1'), await ask(one, 'SELECT 2')]).toEqual(['1\n', '2\n']);
    expect(one.lost).toBe(false);
  });

  test('that keeps connections for no second request gets each on a new one', async () => {
    const one = await connection();
    await ask(one, 'SELECT 1', '&max_threads=1');
    one.cut();
    const failure = await failureOf(ask(one, 'SELECT 1'));
    expect(failure).toBeInstanceOf(Gone);
  });

  test('closes an idle connection, which is noticed', async () => {
    const one = await connection();
    await ask(one, 'SELECT 1');
    const { promise, resolve } = Promise.withResolvers<void>();
    one.onLost = resolve;
    await promise;
    expect(one.lost).toBe(true);
  });

  test('lets nobody in with another password', async () => {
    const wrong = new URL(url);
    wrong.password = 'not-the-password';
    for (const given of [wrong.href, wrong.href.replace('default:', 'nobody:')]) {
      const session = await openClient(clickhouse, { connection: { url: given }, mode: 'read' });
      expect(await failureOf(session.run(sql('SELECT 1'), callOf('read')))).toMatchObject({
        code: 'CONNECTION_FAILED',
        message: 'Unable to connect to database: password authentication failed',
        details: [],
      });
      await session.close();
    }
  });

  test('kills the statement of a connection that is interrupted', async () => {
    const one = await connection();
    const failure = failureOf(ask(one, 'SELECT max(number) FROM system.numbers'));
    await expect.poll(running).toBe('1\n');
    one.interrupt();
    await failure;
    await one.close();
    await expect.poll(running).toBe('0\n');
  });

  test.each([
    'CREATE TABLE made (a UInt8) ENGINE = Memory',
    'INSERT INTO made VALUES (1)',
    'DROP DATABASE default',
    'SET readonly = 0',
  ])('refuses under readonly = 1: %s', async (statement) => {
    const fault = (await failureOf(
      ask(await connection(), statement, '&max_threads=1&readonly=1'),
    )) as ServerFault;
    expect(fromServer(fault, true)).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ source: 'clickhouse', code: '164' }],
    });
  });

  test('says that a user who may not change settings cannot be used', async () => {
    const query = '&output_format_json_quote_denormals=1';
    const fault = (await failureOf(
      ask(await connection('reader'), 'SELECT 1', query),
    )) as ServerFault;
    expect(fromServer(fault, true)).toMatchObject({
      message: expect.stringContaining('readonly = 2'),
      details: [{ code: '164' }],
    });
  });
});
