/** Hostile ClickHouse servers: their HTTP interface. Source: clickhouse.com/docs/interfaces/http. */
import { TestDatabase } from '../../../../node-relay/drivers/clickhouse/test/database.ts';
import { httpFraming } from '../http-framing.ts';
import type { Framing, HostileKind, KindCall } from '../kind.ts';
import { sqlFault } from '../sql-fault.ts';
import { realServer } from '../sql-server.ts';

const SELECT =
  "SELECT number AS id, toString(number) AS name, number / 3 AS price, [number, number + 1] AS list, map('a', number) AS named, toInt64(9007199254740993) + number AS big, if(number % 2 = 0, NULL, 'é\\n') AS maybe, unhex('ff00') AS data FROM numbers(20)";

const framing: Framing = {
  ...httpFraming,
  // A statement has a random id, by which it is stopped on another connection.
  keyOf: (asked) => httpFraming.keyOf(asked).replace(/query_id=[\w-]+/, ''),
  otherwise: (asked) => (asked.includes('KILL QUERY') ? 'close' : undefined),
};

/** What a statement costs is not the same each time. */
const plain = (text: string) => text.replace(/,"statistics":\{[^{}]*\}/g, '');

const run = (name: string, request: KindCall['request'], more: Partial<KindCall> = {}) =>
  ({ name, method: 'run', mode: 'read', request, plain, ...more }) satisfies KindCall;

export const kind: HostileKind = {
  kind: 'clickhouse',
  framing,
  calls: [
    run('query', { type: 'query', query: SELECT }),
    run('arrays', { type: 'query', query: SELECT, row_format: 'array' }),
    run('bytes', { type: 'fetch_bytes', query: 'SELECT number FROM numbers(50)', format: 'CSV' }),
    run('call', {
      type: 'query',
      query: "SELECT concat('a', toString(number)) AS x FROM numbers(3)",
    }),
    run('write', { type: 'execute', query: 'INSERT INTO items VALUES (1)' }, { mode: 'write' }),
    run('refused', { type: 'query', query: 'SELECT missing' }, { fails: 'REQUEST_FAILED' }),
    run('rows', { type: 'query', query: SELECT }, { method: 'stream' }),
    run(
      'broken rows',
      {
        type: 'query',
        query: "SELECT number, throwIf(number = 2000, 'broke') AS x FROM numbers(4000)",
        settings: { max_block_size: 500 },
      },
      { method: 'stream', fails: 'REQUEST_FAILED' },
    ),
  ],
  start: async () =>
    realServer(await TestDatabase.create('CREATE TABLE items (a UInt64) ENGINE = Memory')),
  faultOf: (call, values) =>
    call.name === 'bytes' || call.name === 'arrays' ? undefined : sqlFault(call, values),
};
