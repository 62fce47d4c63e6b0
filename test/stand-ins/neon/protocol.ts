/** The shapes of Neon's HTTP protocol. Source: @neondatabase/serverless; Neon's proxy, `sql_over_http`. */
import type { IncomingHttpHeaders } from 'node:http';
import pg from 'pg';

/** One statement with its parameters, texts or null. */
export interface Query {
  readonly query: string;
  readonly params?: readonly unknown[];
}

/** Statements of one transaction. */
export interface Batch {
  readonly queries: readonly Query[];
}

/** How values are written. */
interface Form {
  readonly raw: boolean;
  readonly asArray: boolean;
}

const RAW = { getTypeParser: () => (value: string) => value };

/** What a statement answers: values are the server's own texts when they are asked for raw. */
export async function answerOf(
  client: pg.Client,
  { query, params = [] }: Query,
  { raw, asArray }: Form,
): Promise<object> {
  const result = await client.query({
    text: query,
    values: params.map((value) => (value === null ? null : String(value))),
    rowMode: 'array',
    // One statement only, as the endpoint prepares each.
    queryMode: 'extended',
    ...(raw ? { types: RAW } : {}),
  } as pg.QueryArrayConfig); // Its types lack queryMode.
  const { fields, rows, command, rowCount } = result;
  const named = (row: unknown[]) =>
    Object.fromEntries(fields.map(({ name }, at) => [name, row[at]]));
  return {
    command,
    rowCount,
    fields,
    rows: asArray ? rows : rows.map(named),
    rowAsArray: asArray,
  };
}

const LEVELS: { readonly [header: string]: string } = {
  ReadUncommitted: 'READ UNCOMMITTED',
  ReadCommitted: 'READ COMMITTED',
  RepeatableRead: 'REPEATABLE READ',
  Serializable: 'SERIALIZABLE',
};

/** The statement that begins a batch's transaction, by its headers. */
export function beginOf(headers: IncomingHttpHeaders): string {
  const level = LEVELS[String(headers['neon-batch-isolation-level'] ?? '')];
  const parts = [
    'BEGIN',
    level ? `ISOLATION LEVEL ${level}` : '',
    headers['neon-batch-read-only'] === 'true' ? 'READ ONLY' : '',
    headers['neon-batch-deferrable'] === 'true' ? 'DEFERRABLE' : '',
  ];
  return parts.filter(Boolean).join(' ');
}

const MEMBERS = [
  'severity',
  'code',
  'detail',
  'hint',
  'position',
  'internalPosition',
  'internalQuery',
  'where',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'file',
  'line',
  'routine',
] as const;

/** An error that the database answered, not one of the line to it. */
function isOfDatabase(error: unknown): boolean {
  return error instanceof pg.DatabaseError;
}

/** The body of a 400: an error of the database, member by member; of any other the code is an empty text. */
export function errorBody(error: unknown): object {
  const members = error as { [member: string]: unknown }; // An error of pg, or of its socket.
  const told = Object.fromEntries(MEMBERS.map((name) => [name, members[name] ?? null]));
  const { code = '', severity = '' } = isOfDatabase(error) ? members : {};
  return { message: error instanceof Error ? error.message : 'unknown', ...told, code, severity };
}
