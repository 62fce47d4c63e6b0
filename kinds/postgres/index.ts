/** Endpoint kind `postgres`: its configuration, its requests and which of them write. */
import type { KindSpec } from '../kind.ts';
import { PostgresConfig } from './config.ts';
import { PostgresRequest } from './request.ts';

export type { PostgresRequest };

export const postgres: KindSpec<PostgresRequest, PostgresConfig> = {
  label: 'Postgres',
  aliases: ['postgresql', 'pg', 'pgsql'],
  config: PostgresConfig,
  request: PostgresRequest,
  hasTransactions: true,
  oncePlace: 'table',
  hasColumns: true,
  limitsNames: true,
  passes: ['params'],
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
