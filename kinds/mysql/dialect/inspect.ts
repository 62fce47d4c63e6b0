/** Reports tables and views with their columns, keys and indexes, in four queries a page at most. */
import type { InspectedTable, InspectedTables, InspectPage } from '../../../proto/driver.ts';
import type { Json } from '../../../proto/json.ts';
import type { AskRows } from './catalog.ts';
import { ServerError } from './failures.ts';

const SYSTEM = "('information_schema', 'mysql', 'performance_schema', 'sys')";
/** Bytes, so that the order is the same on every server and for every collation. */
const KEY = 'CAST(TABLE_SCHEMA AS BINARY), CAST(TABLE_NAME AS BINARY)';
const AFTER = `AND (CAST(TABLE_SCHEMA AS BINARY) > CAST(? AS BINARY)
  OR (TABLE_SCHEMA = ? AND CAST(TABLE_NAME AS BINARY) > CAST(? AS BINARY)))`;

function tablesQuery(after: boolean): string {
  return `SELECT CONVERT(TABLE_SCHEMA USING utf8mb4), CONVERT(TABLE_NAME USING utf8mb4), TABLE_TYPE
    FROM information_schema.TABLES
    WHERE TABLE_SCHEMA NOT IN ${SYSTEM} ${after ? AFTER : ''} ORDER BY ${KEY} LIMIT ?`;
}

function columnsQuery(count: number): string {
  return `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE
    FROM information_schema.COLUMNS WHERE (TABLE_SCHEMA, TABLE_NAME) IN (${pairs(count)})
    ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION`;
}

function indexesQuery(count: number): string {
  return `SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COALESCE(COLUMN_NAME, ''), CAST(NON_UNIQUE AS CHAR)
    FROM information_schema.STATISTICS WHERE (TABLE_SCHEMA, TABLE_NAME) IN (${pairs(count)})
    ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`;
}

function checksQuery(count: number): string {
  return `SELECT CONSTRAINT_SCHEMA, TABLE_NAME, CHECK_CLAUSE
    FROM information_schema.CHECK_CONSTRAINTS
    WHERE (CONSTRAINT_SCHEMA, TABLE_NAME) IN (${pairs(count)})`;
}

function pairs(count: number): string {
  return Array.from({ length: count }, () => '(?, ?)').join(', ');
}

interface Building {
  readonly table: InspectedTable;
  readonly columns: InspectedTable['columns'][number][];
  readonly primary: string[];
  readonly indexes: Map<string, { name: string; columns: string[]; unique: boolean }>;
}

/** A page of what the credential may see. */
export async function inspectTables(ask: AskRows, page: InspectPage): Promise<InspectedTables> {
  const [namespace, name] = page.after ?? [];
  const after = namespace === undefined || name === undefined ? [] : [namespace, namespace, name];
  const found = await ask(tablesQuery(after.length > 0), [...after, page.limit + 1]);
  const tables = new Map(
    found.slice(0, page.limit).map((row) => {
      const building = begun(row);
      return [keyOf(row), building] as const;
    }),
  );
  if (tables.size > 0) await fill(ask, tables);
  return {
    tables: [...tables.values()].map(({ table, columns, primary, indexes }) => ({
      ...table,
      columns,
      primary_key: primary,
      indexes: [...indexes.values()],
    })),
    more: found.length > page.limit,
  };
}

async function fill(ask: AskRows, tables: ReadonlyMap<string, Building>): Promise<void> {
  const names: Json[] = [...tables.values()].flatMap(({ table }) => [table.namespace, table.name]);
  const columns = await ask(columnsQuery(tables.size), names);
  const texts = columns.some(([, , , type]) => type === 'longtext');
  const documents = texts ? await jsonColumns(ask, tables.size, names) : new Set<string>();
  for (const row of columns) {
    const [, , name = '', type = '', whole = '', nullable = ''] = row;
    const unsigned = /\bunsigned\b/.test(whole) ? ' unsigned' : '';
    const named = documents.has(`${keyOf(row)}\0${name}`) ? 'json' : type.toLowerCase() + unsigned;
    tables.get(keyOf(row))?.columns.push({ name, type: named, nullable: nullable === 'YES' });
  }
  for (const row of await ask(indexesQuery(tables.size), names)) {
    const [, , name = '', column = '', nonUnique = ''] = row;
    const building = tables.get(keyOf(row));
    if (!building) continue;
    if (name === 'PRIMARY') building.primary.push(column);
    const index = building.indexes.get(name) ?? { name, columns: [], unique: nonUnique === '0' };
    index.columns.push(column);
    building.indexes.set(name, index);
  }
}

/** MariaDB's JSON is a text with a check. MySQL's is a type, and its checks name no tables. */
async function jsonColumns(
  ask: AskRows,
  count: number,
  names: readonly Json[],
): Promise<ReadonlySet<string>> {
  const rows = await ask(checksQuery(count), names).catch((error: unknown) => {
    if (error instanceof ServerError) return [];
    throw error;
  });
  return new Set(
    rows.flatMap((row) => {
      const [, , clause = ''] = row;
      const column = /^json_valid\(`(.*)`\)$/.exec(clause)?.[1];
      return column === undefined ? [] : [`${keyOf(row)}\0${column.replaceAll('``', '`')}`];
    }),
  );
}

function begun([namespace = '', name = '', type = '']: readonly string[]): Building {
  const table = { namespace, name, type: typeOf(type), columns: [], primary_key: [], indexes: [] };
  return { table, columns: [], primary: [], indexes: new Map() };
}

/** `BASE TABLE`, `VIEW`, `SEQUENCE`, `SYSTEM VERSIONED`. */
function typeOf(type: string): string {
  return type === 'BASE TABLE' || type === 'SYSTEM VERSIONED' ? 'table' : type.toLowerCase();
}

/** No name holds a NUL. */
function keyOf([namespace = '', name = '']: readonly string[]): string {
  return `${namespace}\0${name}`;
}
