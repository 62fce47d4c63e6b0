/** Requests to MySQL and MariaDB, by their types. */
import * as z from 'zod';
import { JsonValue, kindMember, TimeoutMs } from '../members.ts';
import { RowFormat } from '../sql.ts';

/** Statements of the examples below. */
const SCRIPT =
  'UPDATE products SET stock = stock - 1 WHERE id = 7; SELECT stock FROM products WHERE id = 7';
const SELECT = 'SELECT id, name, city FROM customers WHERE city = ? ORDER BY id LIMIT 2';

/** Most parameters of a statement: the protocol counts them in 16 bits. */
const PARAMETERS_MAX = 65_535;

const text = z.string().min(1);
const oneStatement = text.meta({
  description: 'One statement; parameters are `?`, or `:name` where `params` is an object',
  examples: [SELECT],
});
const script = text.meta({
  description: 'Statements without parameters, parted by semicolons; all or none take effect',
  examples: [SCRIPT],
});
const rest = {
  row_format: RowFormat,
  kind: kindMember('Mysql'),
  timeout_ms: TimeoutMs,
};
const params = z
  .union([z.array(JsonValue).max(PARAMETERS_MAX), z.record(z.string(), JsonValue)])
  .optional()
  .meta({
    description:
      'Values of each `?` in order, or an object with the values of each `:name`: a string is sent as it is, an array or object as JSON, `{"$bytes": base64}` as binary',
    examples: [['Lisbon'], { city: 'Lisbon' }],
  });
const rowsType = z
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
  });
const scriptType = z.enum(['simple', 'simple_read_only', 'batch_execute']).meta({
  description: '`simple_read_only` never writes; the other two are alike',
  examples: ['simple'],
});

/** One statement with parameters. Source: backends.md §1.2; contract §6. */
export const Query = z.strictObject({ type: rowsType, query: oneStatement, params, ...rest }).meta({
  id: 'MysqlQuery',
  description: 'One statement with parameters',
  examples: [
    { type: 'query', query: SELECT, params: ['Lisbon'] },
    {
      type: 'query_one',
      query: 'SELECT name FROM customers WHERE id = :id',
      params: { id: 7 },
    },
  ],
});

/** The same without a `type`. Contract §6: a bare `{query, params}`. */
export const BareQuery = z.strictObject({ query: oneStatement, params, ...rest }).meta({
  id: 'MysqlBareQuery',
  description: 'One statement with parameters; the type is `query`',
  examples: [{ query: SELECT, params: ['Lisbon'] }],
});

/** Several statements without parameters. */
const Simple = z.strictObject({ type: scriptType, query: script, ...rest }).meta({
  id: 'MysqlScript',
  description: 'Several statements in one transaction',
  examples: [{ type: 'simple', query: SCRIPT }],
});

/** The statement's other name. Source: backends.md §1.2. */
const sqlMember = text.meta({ description: 'Another name of `query`', examples: [SELECT] });
export const SqlQuery = z
  .strictObject({ type: rowsType.optional(), sql: sqlMember, params, ...rest })
  .meta({
    id: 'MysqlSqlQuery',
    description: 'One statement with parameters, under its other name',
    examples: [{ sql: SELECT, params: ['Lisbon'] }],
  });
export const SqlSimple = z.strictObject({ type: scriptType, sql: sqlMember, ...rest }).meta({
  id: 'MysqlSqlScript',
  description: 'Several statements in one transaction, under their other name',
  examples: [{ type: 'simple', sql: SCRIPT }],
});

/** A request of any type by its usual name, without `kind`. */
export const NamedRequest = z.discriminatedUnion('type', [Query, Simple]).meta({
  id: 'MysqlRequest',
  description: 'A request to a MySQL endpoint, told by its `type`',
});

/** A request of any type, without `kind`; `sql` is taken for `query`. */
export const MysqlRequest = z.preprocess((given) => {
  if (typeof given !== 'object' || given === null || 'query' in given || !('sql' in given)) {
    return given;
  }
  const { sql, ...members } = given;
  return { ...members, query: sql };
}, NamedRequest);
export type MysqlRequest = z.infer<typeof NamedRequest>;
