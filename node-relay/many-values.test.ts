/** What a driver writes of very many values it writes in pieces: in one it would hold the thread, and the supervisor takes the part for blocked. */
import cassandra from 'cassandra-driver';
import { expect, test } from 'vitest';
import type { Json } from '../proto/json.ts';
import type { Pieces } from '../proto/work/pieces.ts';
import { encodedParams } from './drivers/cassandra/parameters.ts';
import { insertion } from './drivers/clickhouse/insert.ts';

const { dataTypes } = cassandra.types;
const int = { code: dataTypes.int, info: null };
const VALUES = 20_000;
const many = <Value>(value: Value) => Array.from({ length: VALUES }, () => value);

function written(value: Json, code: number, info: unknown): Pieces<unknown> {
  return encodedParams([{ name: 'v', type: { code, info } }], [value]);
}

const rows = (row: Json) => insertion({ type: 'insert', table: 'a', rows: many(row) } as never); // As parsed.
const pairs = VALUES / 100;

test.each<[string, Pieces<unknown>]>([
  ['rows of ClickHouse', rows({ a: 1 })],
  ['rows of ClickHouse without names', rows([1])],
  ['a list of Cassandra', written(many(1), dataTypes.list, int)],
  [
    'a map of Cassandra',
    written(
      many(1).map((_, at) => [at, 1]),
      dataTypes.map,
      [int, int],
    ),
  ],
  [
    'lists within a list of Cassandra',
    written(
      many(1)
        .slice(0, pairs)
        .map(() => many(1).slice(0, 100)),
      dataTypes.list,
      { code: dataTypes.list, info: int },
    ),
  ],
])('%s', (_, pieces) => {
  let pauses = 0;
  while (!pieces.next().done) pauses += 1;
  expect(pauses).toBeGreaterThanOrEqual(Math.floor(VALUES / 512));
});
