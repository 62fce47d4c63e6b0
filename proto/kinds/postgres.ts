/** Endpoint kind `postgres`: its configuration, its requests and which of them write. */
import * as z from 'zod';
import type { KindSpec } from './kind.ts';
import { AllowFunctions, ConnectionParts, JsonValue, TimeoutMs } from './members.ts';

/** Member `config` of a postgres endpoint. */
export const PostgresConfig = z.strictObject({
  write_conn: ConnectionParts,
  read_conn: ConnectionParts.optional(),
  development_conn: ConnectionParts.optional(),
  allow_functions: AllowFunctions.optional(),
  transport: z.enum(['edge', 'relay']).optional(),
});
export type PostgresConfig = z.infer<typeof PostgresConfig>;

const statement = {
  query: z.string().min(1).meta({ description: 'One statement; parameters are $1, $2, …' }),
  timeout_ms: TimeoutMs,
};
const rows = {
  row_format: z
    .enum(['object', 'array'])
    .optional()
    .meta({ description: '`array` keeps columns of the same name' }),
};
const params = z.array(JsonValue).max(65_535).optional();

/** One statement with plain parameters. Source: backends.md §1.1. */
const Query = z.strictObject({
  type: z.enum([
    'query',
    'query_read_only',
    'query_one',
    'query_one_read_only',
    'query_opt',
    'query_opt_read_only',
    'execute',
  ]),
  ...statement,
  ...rows,
  params,
});

/** One statement whose parameters name their types: `[[value, "Int8"], …]`. */
const QueryTyped = z.strictObject({
  type: z.enum(['query_typed', 'query_typed_read_only']),
  ...statement,
  ...rows,
  params: z
    .array(z.tuple([JsonValue, z.string().min(1)]))
    .max(65_535)
    .optional(),
});

/** Several statements without parameters. */
const Simple = z.strictObject({
  type: z.enum(['simple', 'simple_read_only', 'batch_execute']),
  ...statement,
  ...rows,
});

/** `COPY … FROM STDIN` with its text. */
const CopyIn = z.strictObject({ type: z.literal('copy_in'), ...statement, value: z.string() });

/** `COPY … TO STDOUT`. */
const CopyOut = z.strictObject({ type: z.literal('copy_out'), ...statement });

export const PostgresRequest = z.discriminatedUnion('type', [
  Query,
  QueryTyped,
  Simple,
  CopyIn,
  CopyOut,
]);
export type PostgresRequest = z.infer<typeof PostgresRequest>;

export const postgres: KindSpec<PostgresRequest, PostgresConfig> = {
  label: 'Postgres',
  aliases: ['postgresql', 'pg', 'pgsql'],
  config: PostgresConfig,
  request: PostgresRequest,
  types: {
    query: 'read',
    query_read_only: 'read',
    query_one: 'read',
    query_one_read_only: 'read',
    query_opt: 'read',
    query_opt_read_only: 'read',
    query_typed: 'read',
    query_typed_read_only: 'read',
    execute: 'write',
    simple: 'write',
    simple_read_only: 'read',
    batch_execute: 'write',
    copy_in: 'write',
    copy_out: 'read',
  },
  notCallable: [
    'cancel_token',
    'clear_type_cache',
    'is_closed',
    'is_valid',
    'notifications',
    'prepare',
    'prepare_typed',
    'query_raw',
    'query_raw_read_only',
    'query_typed_raw',
  ],
  defaultType: 'query',
};
