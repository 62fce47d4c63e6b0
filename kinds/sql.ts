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
export const SAMPLE_RESULT = {
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
  })
  .meta({
    id: 'SqlResult',
    description: 'What one statement answered',
    examples: [SAMPLE_RESULT, { columns: [], rows: [], row_count: 0, rows_affected: 1 }],
  });

/** What several statements in one request answer. */
export const SqlResults = z
  .object({
    results: z.array(SqlResult).meta({ description: 'One entry per statement, in their order' }),
  })
  .meta({
    id: 'SqlResults',
    description: 'What the statements of one request answered',
    examples: [
      {
        results: [
          { columns: [], rows: [], row_count: 0, rows_affected: 1 },
          { columns: [{ name: 'stock', type: 'integer' }], rows: [{ stock: 90 }], row_count: 1 },
        ],
      },
    ],
  });

/** How a request wants its rows. */
export const RowFormat = z
  .enum(['object', 'array'])
  .optional()
  .meta({
    description: '`array` keeps columns of the same name; left out, rows are objects',
    examples: ['array'],
  });
