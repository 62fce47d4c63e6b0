/** Requests to PostgreSQL, by their types. */
import * as z from 'zod';
import { JsonValue, kindMember, TimeoutMs } from '../members.ts';
import { RowFormat } from '../sql.ts';

/** Statements of the examples below. */
const SCRIPT =
  'UPDATE products SET stock = stock - 1 WHERE id = 7; SELECT stock FROM products WHERE id = 7';
const COPY_IN =
  'COPY order_items (order_id, line, product_id, quantity, unit_price) FROM STDIN WITH (FORMAT csv)';
const COPY_OUT =
  'COPY (SELECT id, stock FROM products ORDER BY id LIMIT 2) TO STDOUT WITH (FORMAT csv)';

const statement = {
  query: z
    .string()
    .min(1)
    .meta({
      description: 'One statement; parameters are $1, $2, …',
      examples: ['SELECT id, name, city FROM customers WHERE city = $1 ORDER BY id LIMIT 2'],
    }),
  kind: kindMember('Postgres'),
  timeout_ms: TimeoutMs,
};
const rows = {
  row_format: RowFormat,
};
const plain = {
  ...statement,
  ...rows,
  params: z
    .array(JsonValue)
    .max(65_535)
    .optional()
    .meta({
      description:
        'Values of $1, $2, …: a string is sent as it is, an array as an array where the statement wants one, an object as JSON, `{"$bytes": base64}` as binary',
      examples: [['Lisbon']],
    }),
};

/** One statement with plain parameters. Source: backends.md §1.1. */
export const Query = z
  .strictObject({
    type: z
      .enum([
        'query',
        'query_read_only',
        'query_one',
        'query_one_read_only',
        'query_opt',
        'query_opt_read_only',
        'execute',
      ])
      .meta({
        description:
          '`query` answers any number of rows, `query_one` exactly one, `query_opt` at most one (400 otherwise, and a write is undone); `…_read_only` never writes; `execute` counts as a write. In any letter case',
        examples: ['query'],
      }),
    ...plain,
  })
  .meta({
    id: 'PostgresQuery',
    description: 'One statement with parameters',
    examples: [
      {
        type: 'query',
        query: 'SELECT id, name, city FROM customers WHERE city = $1 ORDER BY id LIMIT 2',
        params: ['Lisbon'],
      },
    ],
  });

/** The same without a `type`. Contract §6: a bare `{query, params}`. */
export const BareQuery = z.strictObject(plain).meta({
  id: 'PostgresBareQuery',
  description: 'One statement with parameters; the type is `query`',
  examples: [
    {
      query: 'SELECT id, name, city FROM customers WHERE city = $1 ORDER BY id LIMIT 2',
      params: ['Lisbon'],
    },
  ],
});

/** One statement whose parameters name their types: `[[value, "Int8"], …]`. */
export const QueryTyped = z
  .strictObject({
    type: z.enum(['query_typed', 'query_typed_read_only']).meta({
      description: 'As `query`; `query_typed_read_only` never writes',
      examples: ['query_typed'],
    }),
    ...statement,
    ...rows,
    params: z
      .array(
        z.tuple([
          JsonValue,
          z
            .string()
            .min(1)
            .meta({
              description:
                "A type of PostgreSQL's, such as `int8`, `numeric`, `timestamptz`, `jsonb`",
              examples: ['numeric'],
            }),
        ]),
      )
      .max(65_535)
      .optional()
      .meta({
        description: 'Values of $1, $2, …, each with the name of its type',
        examples: [[['19.90', 'numeric']]],
      }),
  })
  .meta({
    id: 'PostgresTypedQuery',
    description: 'One statement whose parameters say their types',
    examples: [
      {
        type: 'query_typed',
        query: 'SELECT id, name FROM products WHERE price < $1',
        params: [['19.90', 'numeric']],
      },
    ],
  });

/** Several statements without parameters. */
const Simple = z
  .strictObject({
    type: z.enum(['simple', 'simple_read_only', 'batch_execute']).meta({
      description: '`simple_read_only` never writes; the other two are alike',
      examples: ['simple'],
    }),
    ...statement,
    query: z
      .string()
      .min(1)
      .meta({
        description: 'Statements without parameters, parted by semicolons; all or none take effect',
        examples: [SCRIPT],
      }),
    ...rows,
  })
  .meta({
    id: 'PostgresScript',
    description: 'Several statements in one transaction',
    examples: [{ type: 'simple', query: SCRIPT }],
  });

/** `COPY … FROM STDIN` with its text. */
const CopyIn = z
  .strictObject({
    type: z.literal('copy_in').meta({ description: 'Writes rows from a text' }),
    ...statement,
    query: z
      .string()
      .min(1)
      .meta({ description: 'A `COPY … FROM STDIN`', examples: [COPY_IN] }),
    value: z.string().meta({
      description: "The rows, in the statement's format",
      examples: ['600,8,7,1,19.90\n600,9,12,2,4.50\n'],
    }),
  })
  .meta({
    id: 'PostgresCopyIn',
    description: 'Rows from a text into a table',
    examples: [{ type: 'copy_in', query: COPY_IN, value: '600,8,7,1,19.90\n600,9,12,2,4.50\n' }],
  });

/** `COPY … TO STDOUT`. */
const CopyOut = z
  .strictObject({
    type: z.literal('copy_out').meta({ description: 'Reads rows as a text' }),
    ...statement,
    query: z
      .string()
      .min(1)
      .meta({
        description: 'A `COPY (SELECT …) TO STDOUT` or `COPY table TO STDOUT`',
        examples: [COPY_OUT],
      }),
  })
  .meta({
    id: 'PostgresCopyOut',
    description: 'Rows of a table or a query as a text',
    examples: [{ type: 'copy_out', query: COPY_OUT }],
  });

/** A request of any type, without `kind`. */
export const PostgresRequest = z
  .discriminatedUnion('type', [Query, QueryTyped, Simple, CopyIn, CopyOut])
  .meta({
    id: 'PostgresRequest',
    description: 'A request to a PostgreSQL endpoint, told by its `type`',
  });
export type PostgresRequest = z.infer<typeof PostgresRequest>;
