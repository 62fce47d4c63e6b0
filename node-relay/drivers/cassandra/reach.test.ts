/** Whom the driver reaches: the host that the endpoint names, by way of the relay alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { failureOf } from '../contract.ts';
import type { Host } from '../driver.ts';
import { callOf, testHost } from '../test/host.ts';
import { cql, run, TestDatabase } from './test/database.ts';

let database: TestDatabase;
const select = cql('SELECT key FROM system.local');

beforeAll(async () => {
  database = await TestDatabase.create();
});
afterAll(() => database.drop());

test('each connection is one that the relay dialled, to the host that the endpoint names', async () => {
  const dialled: string[] = [];
  const allowed = testHost(3);
  const host: Host = {
    ...allowed,
    dial(name, port, signal) {
      dialled.push(`${name}:${port}`);
      return allowed.dial(name, port, signal);
    },
  };
  const session = await database.open('read', 3, { url: database.url }, host);
  await Promise.all(Array.from({ length: 20 }, () => run(session, select, 'read')));
  expect(new Set(dialled)).toEqual(new Set([new URL(database.url).host]));
  expect(database.connections).toBe(dialled.length);
  expect(dialled.length).toBeLessThanOrEqual(3);
});

test('what the relay refuses to dial is not reached', async () => {
  const host: Host = {
    ...testHost(),
    async dial() {
      throw new GatewayError('ADDRESS_REFUSED', 'not there');
    },
  };
  const before = database.connections;
  const session = await database.open('read', 1, { url: database.url }, host);
  const failure = await failureOf(session.run(select, callOf('read')));
  expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED' });
  expect(database.connections).toBe(before);
});
