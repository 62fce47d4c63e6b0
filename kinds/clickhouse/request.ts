/** Requests to ClickHouse, by their types. */
import * as z from 'zod';
import { JsonValue, kindMember, TimeoutMs } from '../members.ts';
import { RowFormat } from '../sql.ts';
import { CallerSettings } from './settings.ts';

const SELECT = 'SELECT id, city FROM customers WHERE city = {city:String} ORDER BY id LIMIT 2';
const CREATE = 'CREATE TABLE visits (at DateTime, page String) ENGINE = MergeTree ORDER BY at';

const shared = {
  kind: kindMember('Clickhouse'),
  timeout_ms: TimeoutMs,
  settings: CallerSettings.optional(),
};
/** A parameter besides its name. Source: backends.md §1.4. */
const NamedValue = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .meta({ description: 'Name of the parameter', examples: ['city'] }),
    value: JsonValue.meta({ description: 'Its value', examples: ['Lisbon'] }),
  })
  .meta({
    id: 'ClickhouseParameter',
    description: 'A parameter beside its name',
    examples: [{ name: 'city', value: 'Lisbon' }],
  });
const statement = {
  query: z
    .string()
    .min(1)
    .meta({
      description: 'One statement without FORMAT; parameters are {name:Type}',
      examples: [SELECT],
    }),
  params: z
    .union([z.record(z.string(), JsonValue), z.array(NamedValue).max(1000)])
    .optional()
    .meta({
      description:
        'Values of the parameters by their names, as an object or a list of `{name, value}`: an array for Array and Tuple, an object for Map, JSON and a named Tuple, `{"$bytes": base64}` for a String that is not UTF-8',
      examples: [{ city: 'Lisbon' }],
    }),
  binds: z
    .array(JsonValue)
    .max(0, 'must be empty: parameters are {name:Type} in the statement, with params')
    .optional()
    .meta({ description: 'Taken where it is empty: parameters have names', examples: [[]] }),
  ...shared,
};
const rows = {
  row_format: RowFormat,
};

/** One statement that answers rows. Source: backends.md §1.4. */
const Query = z
  .strictObject({
    type: z
      .enum([
        'query',
        'query_read_only',
        'fetch',
        'fetch_all',
        'fetch_one',
        'fetch_optional',
        'execute',
      ])
      .meta({
        description:
          '`query`, `fetch` and `fetch_all` answer any number of rows, `fetch_one` exactly one, `fetch_optional` at most one (400 otherwise); `query_read_only` and the `fetch` types never write; `execute` counts as a write. In any letter case',
        examples: ['query'],
      }),
    ...statement,
    ...rows,
  })
  .meta({
    id: 'ClickhouseQuery',
    description: 'One statement with parameters',
    examples: [{ type: 'query', query: SELECT, params: { city: 'Lisbon' } }],
  });

/** The same without a `type`. Contract §6: a bare `{query, params}`. */
export const BareQuery = z.strictObject({ ...statement, ...rows }).meta({
  id: 'ClickhouseBareQuery',
  description: 'One statement with parameters; the type is `query`',
  examples: [{ query: SELECT, params: { city: 'Lisbon' } }],
});

/** A result in one of the server's own formats. */
const FetchBytes = z
  .strictObject({
    type: z.literal('fetch_bytes').meta({ description: "Reads in one of the server's formats" }),
    ...statement,
    format: z
      .string()
      .regex(/^[A-Za-z0-9]{1,64}$/, 'must be the name of a format, such as CSVWithNames')
      .meta({
        description: "One of the server's output formats",
        examples: ['CSVWithNames', 'Parquet'],
      }),
  })
  .meta({
    id: 'ClickhouseFetchBytes',
    description: "A result in one of the server's own formats",
    examples: [{ type: 'fetch_bytes', query: 'SELECT id FROM customers', format: 'CSVWithNames' }],
  });

/** Formats of `insert`'s `values`. */
const INSERT_FORMATS = [
  'JSONEachRow',
  'JSONCompactEachRow',
  'CSV',
  'CSVWithNames',
  'TabSeparated',
  'TabSeparatedWithNames',
] as const;

/** Rows into a table. */
const Insert = z
  .strictObject({
    type: z.literal('insert').meta({ description: 'Writes rows into a table' }),
    table: z
      .string()
      .min(1)
      .max(256)
      .meta({
        description: 'Name of the table as it is, without quotes: a dot belongs to the name',
        examples: ['visits'],
      }),
    database: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .meta({ description: "The connection's own when left out", examples: ['shop'] }),
    columns: z
      .array(z.string().min(1).max(256))
      .min(1)
      .max(10_000)
      .optional()
      .meta({
        description: 'Columns that are written; needed where rows are arrays of some columns',
        examples: [['at', 'page']],
      }),
    rows: z
      .array(JsonValue)
      .max(1_000_000)
      .optional()
      .meta({
        description: 'Objects by the names of columns, or arrays in the order of `columns`',
        examples: [[{ at: '2026-01-01T00:00:00Z', page: '/' }]],
      }),
    values: z
      .string()
      .optional()
      .meta({
        description: 'In place of `rows`: a text in `format`',
        examples: ['{"at":"2026-01-01T00:00:00Z","page":"/"}\n'],
      }),
    format: z
      .enum(INSERT_FORMATS)
      .optional()
      .meta({
        description: 'What `values` is written in, NDJSON (`JSONEachRow`) when left out',
        examples: ['CSVWithNames'],
      }),
    ...shared,
  })
  .refine(({ rows: given, values }) => (given === undefined) !== (values === undefined), {
    message: 'either rows or values is required, and not both',
    path: ['rows'],
  })
  .refine(({ values, format }) => format === undefined || values !== undefined, {
    message: 'goes with values only',
    path: ['format'],
  })
  .meta({
    id: 'ClickhouseInsert',
    description: 'Rows into a table',
    examples: [
      { type: 'insert', table: 'visits', rows: [{ at: '2026-01-01T00:00:00Z', page: '/' }] },
    ],
  });

/** A statement that changes definitions. */
const Ddl = z
  .strictObject({
    type: z.literal('ddl').meta({
      description: 'Takes CREATE, ALTER, DROP, TRUNCATE, RENAME, EXCHANGE and their like only',
    }),
    ...statement,
  })
  .meta({
    id: 'ClickhouseDdl',
    description: 'A statement that changes definitions',
    examples: [{ type: 'ddl', query: CREATE }],
  });

/** A request of any type, without `kind`. */
export const ClickhouseRequest = z
  .discriminatedUnion('type', [Query, FetchBytes, Insert, Ddl])
  .meta({
    id: 'ClickhouseRequest',
    description: 'A request to a ClickHouse endpoint, told by its `type`',
  });
export type ClickhouseRequest = z.infer<typeof ClickhouseRequest>;
