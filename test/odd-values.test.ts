/** Whatever JSON a caller sends for a value, in or without a tag: each kind's reader takes it or refuses it in words of its own. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parameterOf } from '../kinds/mysql/dialect/parameters.ts';
import type { TypeInfo } from '../kinds/postgres/dialect/encode.ts';
import { encodeParameters, parametersOf } from '../kinds/postgres/dialect/parameters.ts';
import { WordFault, wordOf } from '../kinds/redis/words.ts';
import { encoded, Unfit } from '../node-relay/drivers/cassandra/encode.ts';
import { SIMPLE_WRITERS } from '../node-relay/drivers/cassandra/scalars.ts';
import { insertion } from '../node-relay/drivers/clickhouse/insert.ts';
import { parametersOf as clickhouseParameters } from '../node-relay/drivers/clickhouse/parameters.ts';
import { toBson } from '../node-relay/drivers/mongo/to-bson.ts';
import { GatewayError } from '../proto/errors.ts';
import { type Json, parseJson } from '../proto/json.ts';
import { number } from '../proto/test-json-texts.ts';
import { whole } from '../proto/work/pieces.ts';
import { withValues } from '../worker/drivers/edge/planetscale/literal.ts';

const TAGS = [
  ...['$date', '$bytes', 'Json', '$literal', '$result', 'Null', 'Bool', 'Int2', 'Int8', 'Float8'],
  ...['Text', 'Bytes', '$oid', '$symbol', '$numberInt', '$numberLong', '$numberDouble'],
  ...['$numberDecimal', '$binary', '$uuid', '$code', '$scope', '$timestamp', '$minKey'],
  ...['$regularExpression', '$dbPointer', '$undefined', 'base64', 'subType', 't', 'i', 'pattern'],
  ...['options', '$ref', '$id', 'toString', 'valueOf', '__proto__', 'rawJSON', 'length'],
];
const scalar = fc.oneof(
  number.map((text) => parseJson(text)),
  fc.constantFrom<Json>(null, true, '', 'AAAA', '2024-01-01T00:00:00Z', 'a\ud800', '1', 'NaN'),
  fc.string(),
);
const { value } = fc.letrec<{ value: Json; object: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom(...TAGS), tie('value')), { maxLength: 2 })
    .map((members) => Object.fromEntries(members)),
}));
const odd = fc.oneof(
  value,
  fc.tuple(fc.constantFrom(...TAGS), value).map(([tag, inner]): Json => ({ [tag]: inner })),
);

const TEXT: TypeInfo = { name: 'text', format: 'text' };
const INT: TypeInfo = { name: 'int8', format: 'bigint' };
const JSONB: TypeInfo = { name: 'jsonb', format: 'json' };
const arrayOf = (type: TypeInfo): TypeInfo => ({ ...type, element: { type, delimiter: ',' } });
const CLICKHOUSE = [
  ...['String', 'Int64', 'Float64', 'Decimal(76, 20)', 'DateTime', 'UUID', 'JSON', 'Point'],
  ...['Array(Int8)', 'Tuple(a Int8, b String)', 'Tuple(Int8)', 'Map(String, Int8)', 'Dynamic'],
];
const REDIS: readonly Parameters<typeof wordOf>[1][] = ['v', 't', 'k', 'i', 'd', 'y', 'j', 's'];

const READERS: Readonly<Record<string, (given: Json) => unknown>> = {
  mysql: (given) => parameterOf(given, 0),
  PlanetScale: (given) => withValues('SELECT ?', [given]),
  postgres: (given) => {
    for (const type of [undefined, TEXT, INT, JSONB, arrayOf(TEXT), arrayOf(JSONB)]) {
      refusing(() => encodeParameters({ values: [given] }, () => type));
    }
    for (const name of ['text', 'int8', 'jsonb']) {
      const request = { type: 'query_typed' as const, query: 'q', params: [[given, name]] };
      refusing(() => encodeParameters(parametersOf(request as never), () => undefined));
    }
  },
  clickhouse: (given) => {
    for (const type of CLICKHOUSE) {
      refusing(() => clickhouseParameters([{ name: 'a', type } as never], { a: given }));
    }
    refusing(() => whole(insertion({ type: 'insert', table: 't', rows: [{ a: given }] })));
  },
  cassandra: (given) => {
    for (const name of Object.keys(SIMPLE_WRITERS)) {
      refusing(() => whole(encoded(given, { kind: 'simple', name } as never)));
    }
  },
  mongo: (given) => toBson(given, 'v'),
  redis: (given) => {
    for (const sort of REDIS) refusing(() => wordOf(given, sort));
  },
};

/** Lets the refusals of readers pass. */
function refusing(read: () => unknown): void {
  try {
    read();
  } catch (thrown) {
    if (thrown instanceof Unfit || thrown instanceof WordFault) return;
    if (!(thrown instanceof GatewayError)) throw thrown;
    expect(thrown.code).toBe('BAD_REQUEST');
  }
}

describe('any value', () => {
  test.each(Object.entries(READERS))('of %s is taken or refused', (_, read) => {
    void fc.assert(
      fc.property(odd, (given) => refusing(() => read(given))),
      { numRuns: Number(process.env.TEST_RUNS ?? 2_000) },
    );
  });
});
