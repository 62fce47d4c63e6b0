/** Arguments by which functions that could change something do it. */

/** Of the large object that there is. */
export const LARGE_OBJECT = 4711;

/** What calls can reach. */
interface Reached {
  /** A session's. */
  readonly pid: number;
  readonly url: string;
  readonly scratch: string;
}

type Calls = Readonly<Record<string, readonly (readonly string[])[]>>;

/** Whole lists of arguments for functions that need sensible ones to do anything, by name. */
export function specialCalls(of: Reached): Calls {
  return { ...callsOfText(of), ...callsOfThings(of), ...OTHERS };
}

/** Statements, settings and other servers, as text. */
function callsOfText(of: Reached): Calls {
  const { pathname, username, password, hostname, port } = new URL(of.url);
  const dsn = `dbname=${pathname.slice(1)} host=${hostname} port=${port} user=${username} password=${password}`;
  const write = "INSERT INTO items VALUES (99, 'x')";
  const count = "SELECT nextval('counter')::text AS a, 'b'::text AS b, 'c'::text AS c";
  const xml = [[count, 'true', 'true', '']];
  return {
    set_config: [
      ['search_path', 'pg_temp', 'false'],
      ['work_mem', '1GB', 'false'],
    ],
    pg_notify: [['news', 'x']],
    dblink: [[dsn, write], [dsn]],
    dblink_exec: [[dsn, write], [write]],
    dblink_connect: [[dsn], ['c', dsn]],
    dblink_connect_u: [[dsn], ['c', dsn]],
    dblink_get_pkey: [['items']],
    query_to_xml: xml,
    query_to_xmlschema: xml,
    query_to_xml_and_xmlschema: xml,
    table_to_xml: [['items', 'true', 'true', '']],
    crosstab: [[count], [count, '3']],
    crosstab2: [[count]],
    connectby: [['items', 'id', 'id', '1', '1']],
    xpath_table: [['id', 'name', 'items', '/', 'true']],
    ts_stat: [["SELECT to_tsvector(nextval('counter')::text)"]],
    ts_rewrite: [['a', "SELECT 'a'::tsquery, (nextval('counter')::text)::tsquery"]],
  };
}

/** Large objects, files and other sessions. */
function callsOfThings(of: Reached): Calls {
  const pid = String(of.pid);
  const note = `${of.scratch}/note`;
  const made = `${of.scratch}/made`;
  const file = [[note], ['PG_VERSION'], ['PG_VERSION', '0', '2'], [note, '0', '2', 'true']];
  return {
    lo_create: [['0'], ['5111']],
    lo_creat: [['-1']],
    lo_from_bytea: [['0', 'x']],
    lo_put: [[String(LARGE_OBJECT), '0', 'x']],
    lo_unlink: [[String(LARGE_OBJECT)]],
    lo_get: [[String(LARGE_OBJECT)]],
    lo_open: [[String(LARGE_OBJECT), '131072']],
    lo_import: [[note], [note, '5112']],
    lo_export: [[String(LARGE_OBJECT), made]],
    pg_read_file: file,
    pg_read_binary_file: file,
    pg_stat_file: [[note], ['PG_VERSION']],
    pg_ls_dir: [['.'], [of.scratch]],
    pg_file_write: [[made, 'x', 'false']],
    pg_file_unlink: [[note]],
    pg_file_rename: [[note, made]],
    pg_terminate_backend: [[pid], [pid, '0']],
    pg_cancel_backend: [[pid]],
    pg_log_backend_memory_contexts: [[pid]],
  };
}

const OTHERS: Calls = {
  nextval: [['counter']],
  setval: [
    ['counter', '99'],
    ['counter', '98', 'false'],
  ],
  setseed: [['0.5']],
  pg_create_physical_replication_slot: [['made']],
  pg_create_logical_replication_slot: [['made', 'pgoutput']],
  pg_drop_replication_slot: [['slot']],
  pg_copy_physical_replication_slot: [['slot', 'made']],
  pg_replication_origin_create: [['made']],
  pg_replication_origin_drop: [['origin']],
  pg_replication_origin_session_setup: [['origin']],
  pg_replication_origin_advance: [['origin', '0/100']],
  pg_logical_emit_message: [['false', 'made', 'x']],
  pg_create_restore_point: [['made']],
  pg_backup_start: [['made']],
  pg_sleep: [['0.001']],
  pg_sleep_for: [['1 millisecond']],
  pg_sleep_until: [['2024-01-01 00:00+00']],
  pg_clear_relation_stats: [['public', 'items']],
  brin_summarize_new_values: [['bricks_id']],
  brin_desummarize_range: [['bricks_id', '0']],
  gin_clean_pending_list: [['documents_body']],
  current_setting: [['work_mem']],
  lastval: [],
  currval: [['counter']],
  generate_series: [['1', '3'], ['1', '3', '1'], []],
};
