/** Changes of a PostgreSQL older than 18, which never comes past what changed while a publication was not there. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import { all, Reading } from '../test/reading.ts';
import type { PostgresClient } from './index.ts';
import { TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: PostgresClient;
let slot: string;
beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE one (id int PRIMARY KEY)', 'postgres-15');
  client = await database.open('write', { connections: 8 });
  slot = `causeway_${database.name.slice(-12)}`;
});
afterAll(async () => {
  await client.dropChanges(slot, callOf('write'));
  await database.drop();
});

test('a publication that somebody drops ends the reader, and changes begin again', async () => {
  const say = (text: string) => database.outside.query(text);
  const reader = { client, slot };
  const reading = await Reading.standing(reader, all('one'));
  await say(`DROP PUBLICATION "${slot}"`);
  await say('INSERT INTO one VALUES (1)');
  const until = async () => {
    while (reading.taken.length === 0) await reading.batch();
  };
  expect(await failureOf(until())).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringMatching(/publication was dropped/),
  });
  const asked = { slot, collections: all('one') };
  const { position } = await client.prepareChanges(asked, callOf('write'));
  await say('INSERT INTO one VALUES (2)');
  const next = new Reading(reader, all('one'), position);
  expect((await next.changes(1)).map(({ key }) => key)).toEqual([{ id: 2 }]);
  await next.end();
});
