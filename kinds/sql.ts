/** What SQL kinds answer. Contract §6, "SQL". */
import * as z from 'zod';
import { JsonValue } from './members.ts';

const Column = z
  .object({
    name: z.string().meta({
      description: 'As the statement names it; names may repeat',
      examples: ['city'],
    }),
    type: z
      .string()
      .meta({ description: 'As the database writes it, such as `bigint`', examples: ['text'] }),
  })
  .meta({
    id: 'SqlColumn',
    description: 'A column of a result',
    examples: [{ name: 'city', type: 'text' }],
  });

/** One row, also as a line of a stream. */
export const SqlRow = z
  .union([
    z.record(z.string(), JsonValue).meta({ description: 'Values by the names of their columns' }),
    z
      .array(JsonValue)
      .meta({ description: 'Values in the order of `columns`, for `row_format: "array"`' }),
  ])
  .meta({
    id: 'SqlRow',
    description:
      'A row; integers beyond ±2^53, decimals, NaN and infinities are strings, times ISO 8601, binary base64',
    examples: [{ id: 7, name: 'Hana Almeida', city: 'Lisbon' }],
  });

/** The rows of a customer query of the examples. */
const SAMPLE_RESULT = {
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
    { name: 'city', type: 'text' },
  ],
  rows: [
    { id: 7, name: 'Hana Almeida', city: 'Lisbon' },
    { id: 14, name: 'Emeka Berg', city: 'Lisbon' },
  ],
  row_count: 2,
};

/** What a ClickHouse server reports about the work. */
const Statistics = z
  .object({
    elapsed: z.number().meta({ description: 'Seconds on the server', examples: [0.002] }),
    rows_read: z.number().meta({ description: 'Rows that were read', examples: [2] }),
    bytes_read: z.number().meta({ description: 'Bytes that were read, as they are in memory' }),
  })
  .meta({
    id: 'ClickhouseStatistics',
    description: 'What a statement cost the server',
    examples: [{ elapsed: 0.002, rows_read: 2, bytes_read: 16 }],
  });

/** What a Cassandra server recorded of a statement. */
const CassandraTrace = z
  .object({
    id: z.uuid().meta({ description: "The session's, in `system_traces`" }),
    duration_us: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Microseconds on the server; null where they are not known yet' }),
    events: z
      .array(
        z.object({
          activity: z.string().meta({ description: 'What was done' }),
          elapsed_us: z.int().nullable().meta({ description: 'Microseconds since the beginning' }),
          thread: z.string().nullable().meta({ description: 'Who did it' }),
        }),
      )
      .meta({ description: 'In their order; empty where the role may not read them' }),
  })
  .meta({
    id: 'CassandraTrace',
    description: 'What the server recorded of a statement',
    examples: [{ id: '2f0c8a10-e6f1-11f0-9f0c-3f1d1a2b3c4d', duration_us: 912, events: [] }],
  });

/** In the one schema of results with rows: several that differ in these alone could not be told apart. */
const OF_SOME_KINDS = {
  insert_id: z
    .union([z.int().min(0), z.string()])
    .optional()
    .meta({
      description:
        'MySQL: the first AUTO_INCREMENT value that the statement made, or the last that it was given; a string beyond 2^53; absent without one',
      examples: [8],
    }),
  statistics: Statistics.optional().meta({
    description: 'ClickHouse, always there: what the statement cost the server',
  }),
  paging_state: z
    .string()
    .nullable()
    .optional()
    .meta({
      description:
        'Cassandra: to go on after this page; null after the last; absent where all rows were asked for',
      examples: ['q83vEjRWeJA'],
    }),
  applied: z
    .boolean()
    .optional()
    .meta({
      description:
        'Cassandra: whether the condition (`IF …`) held; absent for statements without one',
      examples: [true],
    }),
  warnings: z
    .array(z.string())
    .optional()
    .meta({
      description: 'Cassandra: what the server warned of; absent where it did not',
      examples: [['Aggregation query used without partition key']],
    }),
  trace: CassandraTrace.optional().meta({ description: 'Cassandra, for `tracing: true`' }),
};

/** What one statement answers. */
export const SqlResult = z
  .object({
    columns: z.array(Column).meta({
      description: 'In order; empty for a statement that answers no rows',
    }),
    rows: z.array(SqlRow).meta({ description: 'In the order in which the database answered them' }),
    row_count: z
      .int()
      .min(0)
      .meta({ description: 'Number of `rows`', examples: [2] }),
    rows_affected: z
      .int()
      .min(0)
      .optional()
      .meta({
        description:
          'Rows that an INSERT, UPDATE, DELETE or MERGE changed; absent for other statements',
        examples: [1],
      }),
    ...OF_SOME_KINDS,
  })
  .meta({
    id: 'SqlResult',
    description: 'What one statement answered',
    examples: [SAMPLE_RESULT, { columns: [], rows: [], row_count: 0, rows_affected: 1 }],
  });

/** How a request wants its rows. */
export const RowFormat = z
  .enum(['object', 'array'])
  .optional()
  .meta({
    description: '`array` keeps columns of the same name; left out, rows are objects',
    examples: ['array'],
  });
