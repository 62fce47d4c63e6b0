/** Large values of PostgreSQL. */
import { describe } from 'vitest';
import { describeLargeValues } from '../../test/large-values.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';

const valueIn = (result: unknown) => (result as Rows).rows[0]?.a;
const hexOf = (unit: string) => Buffer.from(unit).toString('hex');

describe('a text', () => {
  describeLargeValues(async () => {
    const database = await TestDatabase.create();
    return {
      client: await database.open('read'),
      request: (unit, times) =>
        sql(`SELECT repeat(convert_from(decode('${hexOf(unit)}', 'hex'), 'UTF8'), ${times}) AS a`),
      valueIn,
      drop: () => database.drop(),
    };
  });
});

describe('JSON', () => {
  describeLargeValues(async () => {
    const database = await TestDatabase.create();
    return {
      client: await database.open('read'),
      request: (unit, times) =>
        sql(
          `SELECT to_json(repeat(convert_from(decode('${hexOf(unit)}', 'hex'), 'UTF8'), ${times})) AS a`,
        ),
      valueIn,
      drop: () => database.drop(),
    };
  });
});
