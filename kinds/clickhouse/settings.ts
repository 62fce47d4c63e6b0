/** Settings of ClickHouse's that callers may set for one request. */
import * as z from 'zod';

/**
 * None of these lets a statement do more than it may, leaves a bound of ours or changes how
 * results are written. Spec silent on the list.
 */
export const ALLOWED_SETTINGS: readonly string[] = [
  'allow_experimental_analyzer',
  'alter_sync',
  'any_join_distinct_right_table_keys',
  'async_insert',
  'connect_timeout_with_failover_ms',
  'date_time_input_format',
  'distributed_group_by_no_merge',
  'distributed_product_mode',
  'enable_analyzer',
  'enable_optimize_predicate_expression',
  'final',
  'flatten_nested',
  'force_index_by_date',
  'force_primary_key',
  'group_by_use_nulls',
  'input_format_allow_errors_num',
  'input_format_allow_errors_ratio',
  'input_format_csv_allow_single_quotes',
  'input_format_defaults_for_omitted_fields',
  'input_format_import_nested_json',
  'input_format_null_as_default',
  'input_format_skip_unknown_fields',
  'insert_deduplicate',
  'insert_deduplication_token',
  'insert_null_as_default',
  'insert_quorum',
  'insert_quorum_timeout',
  'join_algorithm',
  'join_any_take_last_row',
  'join_default_strictness',
  'join_use_nulls',
  'lightweight_deletes_sync',
  'load_balancing',
  'max_block_size',
  'max_bytes_before_external_group_by',
  'max_bytes_before_external_sort',
  'max_bytes_in_join',
  'max_bytes_to_read',
  'max_columns_to_read',
  'max_execution_time',
  'max_insert_block_size',
  'max_insert_threads',
  'max_memory_usage',
  'max_parallel_replicas',
  'max_result_rows',
  'max_rows_in_join',
  'max_rows_to_group_by',
  'max_rows_to_read',
  'max_rows_to_sort',
  'max_threads',
  'min_insert_block_size_bytes',
  'min_insert_block_size_rows',
  'mutations_sync',
  'optimize_aggregation_in_order',
  'optimize_move_to_prewhere',
  'optimize_read_in_order',
  'optimize_skip_unused_shards',
  'prefer_localhost_replica',
  'priority',
  'select_sequential_consistency',
  'session_timezone',
  'skip_unavailable_shards',
  'transform_null_in',
  'union_default_mode',
  'use_query_cache',
  'use_skip_indexes',
  'use_uncompressed_cache',
  'wait_for_async_insert_timeout',
];
const ALLOWED = new Set(ALLOWED_SETTINGS);

/** Member `settings` of a request. */
export const CallerSettings = z
  .record(z.string(), z.union([z.string().max(8192), z.number(), z.boolean()]))
  .superRefine((settings, context) => {
    for (const name of Object.keys(settings)) {
      if (ALLOWED.has(name)) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is not one of the settings that requests may set',
      });
    }
  })
  .meta({
    id: 'ClickhouseSettings',
    description:
      'Settings of the server for this request, of those that lift no bound: limits, threads, joins, formats of input',
    examples: [{ max_execution_time: 10, max_threads: 2 }],
  });
