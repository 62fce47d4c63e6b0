/** Tables with their columns, keys and indexes, from the server's own tables. */
import * as z from 'zod';
import type { ClickhouseRequest } from '../../../kinds/clickhouse/index.ts';
import type { Call, InspectedTable, InspectedTables, InspectPage } from '../../../proto/driver.ts';
import type { Database } from './database.ts';
import { strange } from './errors.ts';
import { runRequest, type StatementRequest } from './execute.ts';
import { tokensOf } from './lexer.ts';

/** Namespaces of the server's own. */
const SYSTEM =
  "('system', 'information_schema', 'INFORMATION_SCHEMA', '_temporary_and_external_tables')";

const TABLES = `SELECT database, name, engine, primary_key FROM system.tables
  WHERE database NOT IN ${SYSTEM} AND NOT is_temporary
    AND (database, name) > ({database:String}, {name:String})
  ORDER BY database, name LIMIT {limit:UInt32}`;
const COLUMNS = `SELECT database, table, name, type, is_in_primary_key FROM system.columns
  WHERE (database, table) IN {tables:Array(Tuple(String, String))} ORDER BY database, table, position`;
const INDEXES = `SELECT database, table, name, expr FROM system.data_skipping_indices
  WHERE (database, table) IN {tables:Array(Tuple(String, String))} ORDER BY database, table, name`;

const Table = z.object({
  database: z.string(),
  name: z.string(),
  engine: z.string(),
  primary_key: z.string(),
});
const ColumnRow = z.object({
  database: z.string(),
  table: z.string(),
  name: z.string(),
  type: z.string(),
  is_in_primary_key: z.number(),
});
const IndexRow = z.object({
  database: z.string(),
  table: z.string(),
  name: z.string(),
  expr: z.string(),
});
type ColumnRow = z.infer<typeof ColumnRow>;
type IndexRow = z.infer<typeof IndexRow>;

/** A page of tables by namespace and name; the server shows what the user may see. */
export async function inspectTables(
  database: Database,
  { after = ['', ''], limit }: InspectPage,
  call: Call,
): Promise<InspectedTables> {
  const ask = async <Row>(schema: z.ZodType<Row>, query: string, params: Params) => {
    const request: ClickhouseRequest = { type: 'query', query, params };
    const bytes = await runRequest(database, request, { ...call, mode: 'read' });
    const answer = z.object({ rows: z.array(schema) }).safeParse(JSON.parse(bytes.toString()));
    if (!answer.success) throw strange(answer.error);
    return answer.data.rows;
  };
  const found = await ask(Table, TABLES, { database: after[0], name: after[1], limit: limit + 1 });
  const tables = found.slice(0, limit);
  if (tables.length === 0) return { tables: [], more: false };
  const names = { tables: tables.map((each) => [each.database, each.name]) };
  const columns = byTable(await ask(ColumnRow, COLUMNS, names));
  const indexes = byTable(await ask(IndexRow, INDEXES, names));
  return {
    tables: tables.map((table) => {
      const name = nameOf(table.database, table.name);
      return inspected(table, columns.get(name) ?? [], indexes.get(name) ?? []);
    }),
    more: found.length > limit,
  };
}

type Params = NonNullable<StatementRequest['params']>;

function byTable<Row extends { database: string; table: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  return Map.groupBy(rows, ({ database, table }) => nameOf(database, table));
}

function nameOf(database: string, table: string): string {
  return JSON.stringify([database, table]);
}

function inspected(
  { database, name, engine, primary_key: key }: z.infer<typeof Table>,
  columns: readonly ColumnRow[],
  indexes: readonly IndexRow[],
): InspectedTable {
  return {
    namespace: database,
    name,
    type: typeOf(engine),
    columns: columns.map((each) => ({
      name: each.name,
      type: each.type,
      nullable: /^(?:LowCardinality\()?Nullable\(|^(?:Variant|Dynamic)\b/.test(each.type),
    })),
    primary_key: keyColumns(key, columns),
    indexes: indexes.map((each) => {
      const named = namesIn(each.expr);
      return {
        name: each.name,
        // An index is over an expression; of one over columns these are told.
        columns: columns.filter((column) => named.has(column.name)).map(({ name: of }) => of),
        unique: false,
      };
    }),
  };
}

/** In the key's order; of an expression in it, the columns. */
function keyColumns(key: string, columns: readonly ColumnRow[]): string[] {
  const inKey = columns.filter((each) => each.is_in_primary_key === 1).map((each) => each.name);
  const tokens = tokensOf(key);
  if ('unreadable' in tokens) return inKey;
  const places = new Map(tokens.map(({ text }, at) => [text, at] as const).reverse());
  const place = (name: string) => places.get(name) ?? -1;
  return inKey.toSorted((one, other) => place(one) - place(other));
}

function namesIn(expression: string): ReadonlySet<string> {
  return new Set(expression.match(/[A-Za-z_]\w*/g) ?? []);
}

function typeOf(engine: string): string {
  if (engine === 'View') return 'view';
  if (engine === 'MaterializedView') return 'materialized view';
  if (engine === 'LiveView' || engine === 'WindowView')
    return engine.replace('View', ' view').toLowerCase();
  return engine === 'Dictionary' ? 'dictionary' : 'table';
}
