/** Values that drivers write for their servers. */

import {
  valuesOf as mysqlValues,
  parameterOf,
} from '../../../../kinds/mysql/dialect/parameters.ts';
import {
  encodeParameters,
  parametersOf as postgresParameters,
} from '../../../../kinds/postgres/dialect/parameters.ts';
import { double, integer } from '../../../../kinds/redis/replies/shapes.ts';
import { parsedDuration } from '../../../../node-relay/drivers/cassandra/duration.ts';
import { bytesOfInet } from '../../../../node-relay/drivers/cassandra/inet.ts';
import { decimalOf, integerOf } from '../../../../node-relay/drivers/cassandra/numbers.ts';
import { SIMPLE_WRITERS } from '../../../../node-relay/drivers/cassandra/scalars.ts';
import { latin1 } from '../../../../node-relay/drivers/clickhouse/binary.ts';
import { parametersOf as clickhouseParameters } from '../../../../node-relay/drivers/clickhouse/parameters.ts';
import { oneStatement } from '../../../../node-relay/drivers/clickhouse/statement.ts';
import { checkCommand, checkRead } from '../../../../node-relay/drivers/mongo/guard.ts';
import { toBson } from '../../../../node-relay/drivers/mongo/to-bson.ts';
import { lackOfVersion } from '../../../../node-relay/drivers/mysql/lacks.ts';
import { slotOf } from '../../../../node-relay/drivers/redis/key-slot.ts';
import { isJsonObject, isRawJson, type Json } from '../../../../proto/json.ts';
import { namesOf } from '../../../../proto/ordered-json.ts';
import { literalOf } from '../../../../worker/drivers/edge/planetscale/literal.ts';
import { type Subject, text, value } from '../subject.ts';

/** One value, or each of an array: what a request has for parameters. */
function each(name: string, files: readonly string[], run: (value: Json) => unknown): Subject {
  return value(name, files, (given) =>
    (Array.isArray(given) ? given : [given]).map((one) => attempt(() => run(one))),
  );
}

/** One that is refused leaves the others to be read. */
function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (refusal) {
    return refusal;
  }
}

const CLICKHOUSE_TYPES = [
  'String',
  'Int64',
  'Array(Int64)',
  'Decimal(76, 10)',
  'Map(String, String)',
  'JSON',
  'Tuple(Int8, String)',
  'DateTime64(3)',
  'UInt256',
  'Array(Float64)',
  'Array(Decimal(76, 10))',
];

export const DRIVERS: readonly Subject[] = [
  each(
    'a parameter of PostgreSQL',
    ['kinds/postgres/dialect/parameters.ts', 'kinds/postgres/dialect/encode.ts'],
    (one) =>
      encodeParameters(
        postgresParameters({ type: 'query', query: '', params: [one] } as never),
        () => undefined,
      ),
  ),
  each('a parameter of MySQL', ['kinds/mysql/dialect/parameters.ts'], (one) =>
    literalOf(parameterOf(one, 0)),
  ),
  ...Object.entries(SIMPLE_WRITERS).map(([type, write]) =>
    each(
      `a value of CQL's ${type}`,
      [
        'node-relay/drivers/cassandra/scalars.ts',
        'node-relay/drivers/cassandra/numbers.ts',
        'node-relay/drivers/cassandra/calendar.ts',
      ],
      (one) => write(one),
    ),
  ),
  text('numbers of CQL', ['node-relay/drivers/cassandra/numbers.ts'], (one) => [
    decimalOf(one),
    integerOf(one),
  ]),
  text('a duration of CQL', ['node-relay/drivers/cassandra/duration.ts'], parsedDuration),
  text('an address of CQL', ['node-relay/drivers/cassandra/inet.ts'], bytesOfInet),
  ...CLICKHOUSE_TYPES.map((type) =>
    each(
      `a parameter of ClickHouse's ${type}`,
      ['node-relay/drivers/clickhouse/parameters.ts', 'node-relay/drivers/clickhouse/binary.ts'],
      (one) =>
        clickhouseParameters(oneStatement(`select {a:${type}}`).placeholders, {
          a: type.startsWith('Array') ? [one] : one,
        }),
    ),
  ),
  text('text for ClickHouse', ['node-relay/drivers/clickhouse/binary.ts'], latin1),
  value(
    'a value of MongoDB',
    ['node-relay/drivers/mongo/to-bson.ts', 'node-relay/drivers/mongo/wrappers.ts'],
    (one) => toBson(one, 'filter'),
  ),
  value('a query of MongoDB', ['node-relay/drivers/mongo/guard.ts'], (one) => {
    checkRead(one, 'filter');
    checkCommand({ find: 'c', filter: one }, true);
  }),
  ...['$numberLong', '$numberDecimal', '$numberDouble', '$numberInt', '$date', '$oid', '$uuid'].map(
    (name) =>
      each(`MongoDB's ${name}`, ['node-relay/drivers/mongo/wrappers.ts'], (one) =>
        toBson({ [name]: isRawJson(one) ? one.rawJSON : one }, 'filter'),
      ),
  ),
  each("MongoDB's $binary", ['node-relay/drivers/mongo/wrappers.ts'], (one) =>
    toBson({ $binary: { base64: one, subType: '00' } }, 'filter'),
  ),
  value('named parameters of MySQL', ['kinds/mysql/dialect/parameters.ts'], (given) => {
    if (!isJsonObject(given)) return;
    const names = namesOf(given);
    mysqlValues({ params: given } as never, { names } as never);
  }),
  text('a number that Redis answers', ['kinds/redis/replies/shapes.ts'], (one) => [
    double(one),
    integer(one),
  ]),
  text('a version of MySQL', ['node-relay/drivers/mysql/lacks.ts'], lackOfVersion),
  text('a key of Redis', ['node-relay/drivers/redis/key-slot.ts'], (key) => slotOf(key as never)),
];
