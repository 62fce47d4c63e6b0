/** Large values of ClickHouse. */
import { describeLargeValues } from '../../test/large-values.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';

describeLargeValues(async () => {
  const database = await TestDatabase.create();
  return {
    client: await database.open('read'),
    request: (unit, times) => {
      const text = `unhex('${Buffer.from(unit).toString('hex')}')`;
      // It repeats a text a million times at most.
      const thousands = `repeat(repeat(${text}, 1000), ${Math.floor(times / 1000)})`;
      return sql(`SELECT ${thousands} || repeat(${text}, ${times % 1000}) AS a`);
    },
    valueIn: (result) => (result as Rows).rows[0]?.a,
    drop: () => database.drop(),
  };
});
