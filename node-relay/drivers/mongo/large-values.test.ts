/** Large values of MongoDB. */
import { describeLargeValues } from '../../test/large-values.ts';
import { openClient, testHost } from '../test/host.ts';
import { mongo } from './index.ts';
import { entries, TestDatabase } from './test/database.ts';

describeLargeValues(async () => {
  const database = await TestDatabase.create();
  const opening = { connection: { url: database.url }, mode: 'read', host: testHost(1) } as const;
  const client = await openClient(mongo, opening);
  return {
    client,
    request: async (unit, times) => {
      const { insertedId } = await database.db
        .collection('entries')
        .insertOne({ a: unit.repeat(times) });
      return entries('find', {
        filter: { _id: { $oid: insertedId.toHexString() } },
        options: { projection: { _id: 0 } },
      });
    },
    valueIn: (result) => (result as { documents: readonly { a: string }[] }).documents[0]?.a,
    drop: async () => {
      await client.close();
      await database.drop();
    },
  };
});
