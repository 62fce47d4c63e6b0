/** Which functions of the server itself, and of its extensions, `/read` takes and refuses by name. */

/**
 * VOLATILE functions of the server that change nothing another caller could see. Every other
 * VOLATILE one is refused, those of later versions too. Contract §6, "What `/read` lets through".
 */
const HARMLESS = new Set(
  `amvalidate array_sample array_shuffle bernoulli clock_timestamp current_query currval gen_random_uuid lastval
  pg_available_wal_summaries pg_blocking_pids pg_collation_actual_version pg_control_checkpoint
  pg_control_init pg_control_recovery pg_control_system pg_current_logfile pg_current_wal_flush_lsn
  pg_current_wal_insert_lsn pg_current_wal_lsn pg_database_collation_actual_version
  pg_database_size pg_get_aios pg_get_backend_memory_contexts pg_get_loaded_modules
  pg_get_multixact_members pg_get_sequence_data pg_get_shmem_allocations
  pg_get_shmem_allocations_numa pg_get_wait_events pg_get_wal_replay_pause_state
  pg_get_wal_resource_managers pg_get_wal_summarizer_state pg_indexes_size pg_is_in_recovery
  pg_is_wal_replay_paused pg_jit_available pg_last_committed_xact pg_last_wal_receive_lsn
  pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_lock_status
  pg_notification_queue_usage pg_partition_ancestors pg_partition_tree pg_prepared_xact
  pg_relation_size pg_safe_snapshot_blocking_pids pg_sequence_last_value pg_sleep pg_sleep_for
  pg_sleep_until pg_stat_have_stats pg_table_size pg_tablespace_size pg_total_relation_size
  pg_xact_commit_timestamp pg_xact_commit_timestamp_origin pg_xact_status random random_normal
  system timeofday txid_status uuidv4 uuidv7`.split(/\s+/),
);
const HARMLESS_FAMILY = /^pg_stat_get_/;

/**
 * Refused whatever their volatility and whatever the configuration allows: they run text as SQL or
 * by a type's name, run what hangs on a table named by a value, reach files, programs or other
 * servers, or take a transaction id.
 */
export const REFUSED_STABLE = [
  'cursor_to_xml',
  'cursor_to_xmlschema',
  'database_to_xml',
  'database_to_xml_and_xmlschema',
  'database_to_xmlschema',
  'query_to_xml',
  'query_to_xml_and_xmlschema',
  'query_to_xmlschema',
  'schema_to_xml',
  'schema_to_xml_and_xmlschema',
  'schema_to_xmlschema',
  'table_to_xml',
  'table_to_xml_and_xmlschema',
  'table_to_xmlschema',
  'satisfies_hash_partition',
  'pg_input_is_valid',
  'pg_input_error_info',
  'pg_current_xact_id',
  'txid_current',
  'connectby',
  'crosstab',
  'crosstab2',
  'crosstab3',
  'crosstab4',
  'crosstabn',
  'xpath_table',
] as const;
const REFUSED_STABLE_SET: ReadonlySet<string> = new Set(REFUSED_STABLE);
/** Of extensions. */
const REFUSED_FAMILIES = /^(?:dblink|lo_|pg_file_|pg_logdir_)/;

/** A function that a statement reaches, as the catalog describes it. */
export interface ReachedFunction {
  readonly schema: string;
  readonly name: string;
  readonly volatile: boolean;
  /** Made with the server, not by its users or extensions. */
  readonly serverOwn: boolean;
  readonly extension: string | null;
  /** Called by name in the statement, and takes the text form of a type that its arguments name. */
  readonly rawInput: boolean;
  /** Runs with the statement, as far as can be told; else it may, while the statement is planned. */
  readonly runs: boolean;
  /** Written in C. */
  readonly compiled: boolean;
}

/** Extensions whose functions in C look at only their arguments, when they are not VOLATILE. */
const PLAIN_EXTENSIONS = new Set(
  `bloom btree_gin btree_gist citext cube earthdistance fuzzystrmatch hstore intarray isn ltree pg_trgm
  pgcrypto postgis postgis_raster seg tsm_system_rows tsm_system_time unaccent uuid-ossp vector`.split(
    /\s+/,
  ),
);

/** Whether a function of the server or an extension is refused whatever the configuration allows. */
export function isRefusedByName(found: ReachedFunction): boolean {
  const { name, volatile, serverOwn, extension, rawInput } = found;
  if (!serverOwn && extension === null) return false;
  if (REFUSED_STABLE_SET.has(name) || REFUSED_FAMILIES.test(name)) return true;
  return serverOwn && (rawInput || volatile) && !isHarmless(name);
}

/** Whether calling it may leave something on the connection, or do something unknown. Contract §6, "Nothing that one caller sets". */
export function mayLeaveTraces(found: ReachedFunction): boolean {
  const { name, volatile, serverOwn, extension, compiled } = found;
  if (REFUSED_STABLE_SET.has(name) || REFUSED_FAMILIES.test(name)) return true;
  if (serverOwn) return volatile && !isHarmless(name);
  return volatile || !compiled || !PLAIN_EXTENSIONS.has(extension ?? '');
}

/** They reach what hangs on a type or a transaction, and run no text. */
const RUN_NO_TEXT: ReadonlySet<string> = new Set(['pg_current_xact_id', 'txid_current']);
/** Server's own that run a text as a query besides those of `REFUSED_STABLE`; their other forms are not VOLATILE. */
const RUN_TEXT: ReadonlySet<string> = new Set(['ts_stat', 'ts_rewrite']);

/** Whether the server's or an extension's function sets settings, or runs a text as SQL, here or elsewhere. */
export function maySet({ name, volatile, serverOwn, extension }: ReachedFunction): boolean {
  if (!serverOwn && extension === null) return false;
  if (serverOwn && (name === 'set_config' || (volatile && RUN_TEXT.has(name)))) return true;
  return (REFUSED_STABLE_SET.has(name) && !RUN_NO_TEXT.has(name)) || /^dblink/.test(name);
}

/** Whether it is an extension's, in C, that looks at only its arguments. */
export function looksOnlyAtArguments({ volatile, compiled, extension }: ReachedFunction): boolean {
  return !volatile && compiled && PLAIN_EXTENSIONS.has(extension ?? '');
}

/** They read what the session last took from a sequence. */
const READ_SEQUENCES: ReadonlySet<string> = new Set(['currval', 'lastval']);
/** They leave it there. */
const LEAVE_SEQUENCES: ReadonlySet<string> = new Set(['nextval', 'setval']);

/** Something reads what the session last took from a sequence; leaves that there and no more; neither. */
export type Sequences = 'read' | 'left' | 'none';

/**
 * What functions have to do with the session's memory of sequences.
 * @param called names of the functions that the statement itself calls
 */
export function sequencesAmong(
  reached: readonly ReachedFunction[],
  called: readonly string[],
): Sequences {
  const own = reached.filter(({ serverOwn }) => serverOwn);
  if (own.some(({ name }) => READ_SEQUENCES.has(name))) return 'read';
  if (called.some((name) => READ_SEQUENCES.has(name) || LEAVE_SEQUENCES.has(name))) return 'read';
  const left = reached.filter(mayLeaveTraces);
  const isSequence = ({ name, serverOwn }: ReachedFunction) =>
    serverOwn && LEAVE_SEQUENCES.has(name);
  return left.length > 0 && left.every(isSequence) ? 'left' : 'none';
}

/** Whether a VOLATILE function of the server changes nothing that another caller could see. */
export function isHarmless(name: string): boolean {
  return HARMLESS.has(name) || HARMLESS_FAMILY.test(name);
}
