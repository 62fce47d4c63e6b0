/** Requests to Cassandra, by their types. */
import * as z from 'zod';
import { JsonValue, kindMember, TimeoutMs } from '../members.ts';
import { RowFormat } from '../sql.ts';
import { Consistency, SerialConsistency } from './consistency.ts';

/** Statements of the examples below. */
const SELECT = 'SELECT id, name, city FROM customers WHERE city = ?';
const INSERT = 'INSERT INTO visits (page, at) VALUES (?, ?)';

const Params = z
  .union([z.array(JsonValue).max(65_535), z.record(z.string(), JsonValue)])
  .optional()
  .meta({
    description:
      'Values of the markers: an array for `?`, an object for `:name`. Each is read by the type that the statement gives it',
    examples: [['Lisbon']],
  });
const Text = z
  .string()
  .min(1)
  .meta({ description: 'One statement; parameters are ? or :name', examples: [SELECT] });

const options = {
  kind: kindMember('Cassandra'),
  timeout_ms: TimeoutMs,
  consistency: Consistency.optional(),
  serial_consistency: SerialConsistency.optional(),
  timestamp: z
    .union([z.int(), z.string().regex(/^-?\d{1,19}$/, 'must be a whole number of microseconds')])
    .optional()
    .meta({
      description: "Microseconds since 1970 that a write counts as; left out, the server's clock",
      examples: [1_767_225_600_000_000],
    }),
  tracing: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether the server records what it does, for `trace` of the result; on `/write` only, because the server writes it down',
      examples: [true],
    }),
};
const statement = {
  query: Text,
  params: Params,
  ...options,
  row_format: RowFormat,
};
const page = {
  page_size: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .meta({ description: 'Most rows of a page', examples: [100] }),
  paging_state: z
    .string()
    .min(1)
    .max(65_536)
    .optional()
    .meta({
      description:
        'Of the page before, to go on after it: with the same statement, parameters and endpoint',
      examples: ['q83vEjRWeJA'],
    }),
};

/** One statement, whole or by pages. Source: backends.md §1.3. */
const Query = z
  .strictObject({
    type: z
      .enum(['query', 'query_read_only', 'query_single_page', 'query_single_page_read_only'])
      .meta({
        description:
          '`query` answers all rows, or one page where `page_size` or `paging_state` is given; `query_single_page` always one page; `…_read_only` never writes. In any letter case',
        examples: ['query'],
      }),
    ...statement,
    ...page,
  })
  .meta({
    id: 'CassandraQuery',
    description: 'One statement with parameters',
    examples: [{ type: 'query_single_page', query: SELECT, params: ['Lisbon'], page_size: 100 }],
  });

/** The same without a `type`. Contract §6: a bare `{query, params}`. */
export const BareQuery = z.strictObject({ ...statement, ...page }).meta({
  id: 'CassandraBareQuery',
  description: 'One statement with parameters; the type is `query`',
  examples: [{ query: SELECT, params: ['Lisbon'] }],
});

/** One statement whose rows are answered whole. */
const Unpaged = z
  .strictObject({
    type: z.enum(['query_unpaged', 'query_unpage', 'query_unpaged_read_only', 'execute']).meta({
      description:
        'All answer all rows; `query_unpaged_read_only` never writes; `execute` counts as a write',
      examples: ['execute'],
    }),
    ...statement,
  })
  .meta({
    id: 'CassandraUnpaged',
    description: 'One statement with parameters, whose rows are answered whole',
    examples: [{ type: 'execute', query: INSERT, params: ['/', '2026-01-01T00:00:00Z'] }],
  });

const BatchStatement = z
  .union([z.string().min(1), z.strictObject({ query: Text, params: Params })])
  .meta({
    id: 'CassandraBatchStatement',
    description: 'An INSERT, UPDATE or DELETE, alone or with its parameters',
    examples: [{ query: INSERT, params: ['/', '2026-01-01T00:00:00Z'] }],
  });

/** Several changes in one message. */
const Batch = z
  .strictObject({
    type: z.literal('batch').meta({ description: 'Several changes in one message' }),
    queries: z
      .array(BatchStatement)
      .min(1)
      .max(65_535)
      .meta({ description: 'What is changed; all of it, unless the batch is unlogged' }),
    batch_type: z
      .enum(['logged', 'unlogged', 'counter'])
      .optional()
      .meta({
        description:
          '`logged` when left out: all or nothing; `unlogged` only spares messages; `counter` is for counters',
        examples: ['unlogged'],
      }),
    ...options,
  })
  .meta({
    id: 'CassandraBatch',
    description: 'Several changes in one message',
    examples: [
      {
        type: 'batch',
        queries: [
          { query: INSERT, params: ['/', '2026-01-01T00:00:00Z'] },
          "DELETE FROM carts WHERE id = 'c1'",
        ],
      },
    ],
  });

/** A request of any type, without `kind`. */
export const CassandraRequest = z.discriminatedUnion('type', [Query, Unpaged, Batch]).meta({
  id: 'CassandraRequest',
  description: 'A request to a Cassandra endpoint, told by its `type`',
});
export type CassandraRequest = z.infer<typeof CassandraRequest>;

/** One operation of a transaction. */
export const Operation = z
  .strictObject({
    type: z
      .enum(['query', 'execute'])
      .optional()
      .meta({
        description: 'Both are alike here',
        examples: ['execute'],
      }),
    kind: kindMember('Cassandra'),
    query: Text.meta({ description: 'An INSERT, UPDATE or DELETE', examples: [INSERT] }),
    params: Params,
    timeout_ms: TimeoutMs,
  })
  .meta({
    id: 'CassandraOneOperation',
    description: 'One change of a transaction',
    examples: [{ query: INSERT, params: ['/', '2026-01-01T00:00:00Z'] }],
  });
