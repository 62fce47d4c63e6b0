/** Large values of MySQL, in both forms in which a server sends them. */
import { describe } from 'vitest';
import { describeLargeValues } from '../../test/large-values.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';

const valueIn = (result: unknown) => (result as Rows).rows[0]?.a;
const hexOf = (unit: string) => Buffer.from(unit).toString('hex');

describe('as text', () => {
  describeLargeValues(async () => {
    const database = await TestDatabase.create();
    return {
      client: await database.open('read'),
      request: (unit, times) =>
        sql(`SELECT REPEAT(CONVERT(X'${hexOf(unit)}' USING utf8mb4), ${times}) AS a`),
      valueIn,
      drop: () => database.drop(),
    };
  });
});

describe('in the binary form', () => {
  describeLargeValues(async () => {
    const database = await TestDatabase.create();
    return {
      client: await database.open('read'),
      request: (unit, times) => sql('SELECT REPEAT(?, ?) AS a', [unit, times]),
      valueIn,
      drop: () => database.drop(),
    };
  });
});
