/** Large values of Cassandra. */
import { randomUUID } from 'node:crypto';
import { describeLargeValues } from '../../test/large-values.ts';
import { callOf } from '../test/host.ts';
import { cql, type Rows, TestDatabase } from './test/database.ts';

describeLargeValues(async () => {
  const database = await TestDatabase.create('CREATE TABLE large (id text PRIMARY KEY, a text)');
  const client = await database.open('read');
  const writer = await database.open('write');
  return {
    client,
    request: async (unit, times) => {
      const id = randomUUID();
      const insert = cql('INSERT INTO large (id, a) VALUES (?, ?)', [id, unit.repeat(times)]);
      await writer.run(insert, callOf('write'));
      return cql('SELECT a FROM large WHERE id = ?', [id]);
    },
    valueIn: (result) => (result as Rows).rows[0]?.a,
    drop: () => database.drop(),
  };
});
