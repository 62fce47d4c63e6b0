/** Large values of MySQL, in both forms in which a server sends them. */
import { describe } from 'vitest';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import { describeLargeValues } from '../../test/large-values.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';

const hexOf = (unit: string) => Buffer.from(unit).toString('hex');

describe.each<[form: string, request: (unit: string, times: number) => MysqlRequest]>([
  [
    'as text',
    (unit, times) => sql(`SELECT REPEAT(CONVERT(X'${hexOf(unit)}' USING utf8mb4), ${times}) AS a`),
  ],
  ['in the binary form', (unit, times) => sql('SELECT REPEAT(?, ?) AS a', [unit, times])],
])('%s', (_, request) => {
  describeLargeValues(async () => {
    const database = await TestDatabase.create();
    return {
      client: await database.open('read'),
      request,
      valueIn: (result) => (result as Rows).rows[0]?.a,
      drop: () => database.drop(),
    };
  });
});
