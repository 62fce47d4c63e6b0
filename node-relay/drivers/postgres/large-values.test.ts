/** Large values of PostgreSQL. */
import { describe } from 'vitest';
import { describeLargeValues } from '../../test/large-values.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';

describe.each([
  ['a text', ''],
  ['JSON', 'to_json'],
])('%s', (_, made) => {
  describeLargeValues(async () => {
    const database = await TestDatabase.create();
    return {
      client: await database.open('read'),
      request: (unit, times) => {
        const text = `convert_from(decode('${Buffer.from(unit).toString('hex')}', 'hex'), 'UTF8')`;
        return sql(`SELECT ${made}(repeat(${text}, ${times})) AS a`);
      },
      valueIn: (result) => (result as Rows).rows[0]?.a,
      drop: () => database.drop(),
    };
  });
});
