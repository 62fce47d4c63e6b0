/** Tables and views with their columns, keys and indexes, from the server's own tables. */
import * as z from 'zod';
import type { CassandraRequest } from '../../../kinds/cassandra/index.ts';
import type { Call, InspectedTable, InspectedTables, InspectPage } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Database } from './database.ts';
import { runRequest } from './execute.ts';

/** Keyspaces of the server's own; virtual ones are in no table that is read here. */
const SYSTEM = /^(?:system(?:_.*)?|dse_.*|solr_admin|OpsCenter)$/;

const Table = z.object({ keyspace_name: z.string(), name: z.string(), type: z.string() });
const Column = z.object({
  table_name: z.string(),
  column_name: z.string(),
  kind: z.string(),
  position: z.number(),
  type: z.string(),
});
const Index = z.object({
  table_name: z.string(),
  index_name: z.string(),
  options: z.record(z.string(), z.string()).nullable(),
});
type Column = z.infer<typeof Column>;
type Index = z.infer<typeof Index>;

/** A page of tables by keyspace and name; the server shows what the role may see. */
export async function inspectTables(
  database: Database,
  { after, limit }: InspectPage,
  call: Call,
): Promise<InspectedTables> {
  const own = { ...call, mode: 'read' } as const;
  const ask = async <Row>(schema: z.ZodType<Row>, query: string, params: string[] = []) => {
    const request: CassandraRequest = { type: 'query', query, params };
    const bytes = await runRequest(database, request, own);
    const { data, error } = z
      .object({ rows: z.array(schema) })
      .safeParse(JSON.parse(bytes.toString()));
    if (data) return data.rows;
    const message = 'The answer of the database cannot be read';
    throw new GatewayError('CONNECTION_FAILED', message, { cause: error });
  };
  const found = [
    ...(
      await ask(TableName, 'SELECT keyspace_name, table_name AS name FROM system_schema.tables')
    ).map((each) => ({ ...each, type: 'table' })),
    ...(
      await ask(TableName, 'SELECT keyspace_name, view_name AS name FROM system_schema.views')
    ).map((each) => ({ ...each, type: 'materialized view' })),
  ]
    .filter(({ keyspace_name }) => !SYSTEM.test(keyspace_name))
    .filter((each) => after === undefined || compare(place(each), after) > 0)
    .sort((one, other) => compare(place(one), place(other)));
  const tables: InspectedTable[] = [];
  for (const table of found.slice(0, limit)) {
    const names = [table.keyspace_name, table.name];
    const where = 'WHERE keyspace_name = ? AND table_name = ?';
    const columns = await ask(
      Column,
      `SELECT table_name, column_name, kind, position, type FROM system_schema.columns ${where}`,
      names,
    );
    const indexes = await ask(
      Index,
      `SELECT table_name, index_name, options FROM system_schema.indexes ${where}`,
      names,
    );
    tables.push(inspected(table, columns, indexes));
  }
  return { tables, more: found.length > limit };
}

const TableName = Table.omit({ type: true });

type TableKey = readonly [namespace: string, name: string];

function place({ keyspace_name, name }: z.infer<typeof TableName>): TableKey {
  return [keyspace_name, name];
}

function compare([one, first]: TableKey, [other, second]: TableKey): number {
  if (one !== other) return one < other ? -1 : 1;
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

/** As `SELECT *` orders them. */
const KINDS = ['partition_key', 'clustering', 'static', 'regular'];

function inspected(
  { keyspace_name, name, type }: z.infer<typeof Table>,
  columns: readonly Column[],
  indexes: readonly Index[],
): InspectedTable {
  const ordered = [...columns].sort(
    (one, other) =>
      KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || one.position - other.position,
  );
  const isKey = ({ kind }: Column) => kind === 'partition_key' || kind === 'clustering';
  return {
    namespace: keyspace_name,
    name,
    type,
    columns: ordered.map((each) => ({
      name: each.column_name,
      type: unfrozen(each.type),
      nullable: !isKey(each),
    })),
    primary_key: ordered.filter(isKey).map((each) => each.column_name),
    indexes: indexes.map(({ index_name, options }) => ({
      name: index_name,
      columns: ordered
        .map((each) => each.column_name)
        .filter((column) => targets(options?.target ?? '', column)),
      unique: false,
    })),
  };
}

/** A target is a column, quoted where it needs to be, alone or as in `values(tags)`. */
function targets(target: string, column: string): boolean {
  const inner = /^(?:keys|values|entries|full)\((.*)\)$/.exec(target)?.[1] ?? target;
  return inner === column || inner === `"${column.replaceAll('"', '""')}"`;
}

/** Results do not tell what is frozen. */
function unfrozen(type: string): string {
  let text = type;
  for (let at = text.indexOf('frozen<'); at >= 0; at = text.indexOf('frozen<')) {
    let depth = 0;
    let end = at + 'frozen'.length;
    do {
      if (text[end] === '<') depth += 1;
      if (text[end] === '>') depth -= 1;
      end += 1;
    } while (depth > 0 && end < text.length);
    text = text.slice(0, at) + text.slice(at + 'frozen<'.length, end - 1) + text.slice(end);
  }
  return text;
}
