/** What `/read` lets through can change nothing, whatever the credential. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needsAdmin } from '../../../kinds/mongo/admin.ts';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf, openClient } from '../test/host.ts';
import { type MongoBackend, mongo } from './index.ts';
import { ATTACKS } from './test/attacks.ts';
import { request, TestDatabase } from './test/database.ts';

describe('a read as the server’s superuser', () => {
  let database: TestDatabase;
  let session: MongoBackend;

  async function state(): Promise<unknown> {
    const names = (await database.db.listCollections().toArray()).map(({ name }) => name);
    return { names, victims: await database.db.collection('victims').find().toArray() };
  }

  beforeAll(async () => {
    database = await TestDatabase.create();
    await database.db.collection<{ _id: number; n: number }>('victims').insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    session = await openClient(mongo, { connection: { url: database.url }, mode: 'read' });
  });
  afterAll(async () => {
    await session.close();
    await database.drop();
  });

  test.each(ATTACKS)('is refused: $name ($because)', async ({ request: attack }) => {
    const before = await state();
    const failure = await failureOf(session.run(request(attack), callOf('read')));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await state()).toEqual(before);
  });

  test.each([
    [{ ping: 1 }],
    [{ find: 'victims', filter: {} }],
    [{ aggregate: 'victims', pipeline: [{ $match: { n: 1 } }], cursor: {} }],
    [{ count: 'victims' }],
    [{ buildInfo: 1 }],
    [{ explain: { find: 'victims' }, verbosity: 'queryPlanner' }],
    [{ dbStats: 1 }],
  ])('may run %j', async (command) => {
    const result = await session.run(request({ type: 'run_command', command }), callOf('read'));
    expect(jsonOf(result)).toMatchObject({ document: { ok: 1 } });
  });

  test('finds values that are named like operators', async () => {
    const filter = { n: { $ne: '$out' } };
    const result = await session.run(
      request({ type: 'find', collection: 'victims', filter }),
      callOf('read'),
    );
    expect(jsonOf(result)).toEqual({
      documents: [
        { _id: 1, n: 1 },
        { _id: 2, n: 2 },
      ],
    });
  });
});

test.each([
  [{ createUser: 'x' }, true],
  [{ CREATEUSER: 'x' }, true],
  [{ shutdown: 1 }, true],
  ['{"shut\\u0064own": 1}', true],
  [{ explain: { find: 'x' } }, false],
  [{ find: 'shutdown' }, false],
  [{ ping: 1, shutdown: 1 }, false],
  [undefined, false],
])('a command needs Admin for what it does to the server: %j %s', (command, needed) => {
  expect(needsAdmin(command)).toBe(needed);
});
