/** Hostile Cassandra servers. Source: CQL binary protocol v4. */
/// <reference path="../../../../node-relay/drivers/cassandra/cassandra-internals.d.ts" />
import { TestDatabase } from '../../../../node-relay/drivers/cassandra/test/database.ts';
import type { Framing, HostileKind, KindCall } from '../kind.ts';
import { sqlFault } from '../sql-fault.ts';
import { realServer } from '../sql-server.ts';

const HEAD_BYTES = 9;

function ends(bytes: Buffer): number[] {
  const found: number[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    at += HEAD_BYTES + bytes.readUInt32BE(at + 5);
    if (at <= bytes.length) found.push(at);
  }
  return found;
}

const framing: Framing = {
  length: { at: 5, size: 4, order: 'BE' },
  messages: (reply) =>
    ends(reply).map((end, index, all) => reply.subarray(all[index - 1] ?? 0, end)),
  turnEnd: (sent) => ends(sent)[0] ?? 0,
};

const SETUP = [
  'CREATE TYPE place (street text, house int)',
  `CREATE TABLE items (part int, id int, name text, price decimal, big bigint, huge varint, at timestamp, day date,
    hour time, span duration, data blob, tags list<text>, marks set<int>, counts map<text, int>, home frozen<place>,
    pair frozen<tuple<int, text>>, spot vector<float, 3>, ip inet, u uuid, yes boolean, half double, f float,
    PRIMARY KEY (part, id))`,
  ...Array.from(
    { length: 30 },
    (
      _,
      n,
    ) => `INSERT INTO items (part, id, name, price, big, huge, at, day, hour, span, data, tags, marks, counts,
      home, pair, spot, ip, u, yes, half, f) VALUES (1, ${n}, 'item ${n}', ${n}.25, 9007199254740993, 12345678901234567890,
      '2026-01-01T00:00:00Z', '2026-01-01', '10:20:30', 1mo2d3h, 0x00ff, ['a', 'b ${n}'], {1, ${n + 2}}, {'a': ${n}},
      {street: 'High', house: ${n}}, (${n}, 'x'), [1, 2, ${n}], '192.0.2.1', 6b1f4b0e-6a3e-4c0e-9f36-0f4f5c9d1b2a,
      ${n % 2 === 0}, ${n / 2}, 0.1)`,
  ),
];
const SELECT = 'SELECT * FROM items WHERE part = ? AND id < ?';

const call = (name: string, request: KindCall['request'], more: Partial<KindCall> = {}) => ({
  name,
  method: 'run' as const,
  mode: 'read' as const,
  request,
  ...more,
});

export const kind: HostileKind = {
  kind: 'cassandra',
  framing,
  calls: [
    call('query', { type: 'query', query: SELECT, params: [1, 20] }),
    call('arrays', {
      type: 'query',
      query: 'SELECT id, name, tags FROM items WHERE part = 1',
      row_format: 'array',
    }),
    call('page', {
      type: 'query_single_page',
      query: 'SELECT part, id FROM items WHERE part = 1 AND id < 20',
    }),
    call(
      'write',
      { type: 'query', query: "UPDATE items SET name = 'x' WHERE part = 2 AND id = 1" },
      { mode: 'write' },
    ),
    call(
      'condition',
      {
        type: 'query',
        query: "UPDATE items SET name = 'x' WHERE part = 3 AND id = 1 IF name = 'y'",
      },
      { mode: 'write' },
    ),
    call(
      'batch',
      { type: 'batch', queries: ["UPDATE items SET name = 'x' WHERE part = 2 AND id = 2"] },
      { mode: 'write' },
    ),
    call(
      'refused',
      { type: 'query', query: 'SELECT missing FROM items' },
      { fails: 'REQUEST_FAILED' },
    ),
    call(
      'rows',
      { type: 'query', query: SELECT, params: [1, 30], page_size: 7 },
      { method: 'stream' },
    ),
    call('all rows', { type: 'query', query: SELECT, params: [1, 30] }, { method: 'stream' }),
  ],
  start: async () => realServer(await TestDatabase.create(...SETUP)),
  faultOf: (call, values) =>
    call.name === 'arrays' ? arraysFault(values[0] as Arrays) : sqlFault(call, values),
};

interface Arrays {
  readonly columns: readonly unknown[];
  readonly rows: readonly (readonly unknown[])[];
}

function arraysFault({ columns, rows }: Arrays): string | undefined {
  return rows.some((row) => row.length !== columns.length)
    ? 'a row without the columns'
    : undefined;
}
