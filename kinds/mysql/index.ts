/** Endpoint kind `mysql`, MariaDB too: its configuration, its requests and which of them write. */
import type { KindSpec } from '../kind.ts';
import { MysqlConfig } from './config.ts';
import { MysqlRequest } from './request.ts';

export type { MysqlRequest };

export const mysql: KindSpec<MysqlRequest, MysqlConfig> = {
  label: 'Mysql',
  aliases: ['mariadb'],
  config: MysqlConfig,
  request: MysqlRequest,
  hasTransactions: true,
  oncePlace: 'table',
  hasColumns: true,
  limitsNames: true,
  passes: ['params'],
  writes: { params: 'each' },
  types: {
    query: 'read',
    query_read_only: 'read',
    query_one: 'read',
    query_one_read_only: 'read',
    query_opt: 'read',
    query_opt_read_only: 'read',
    execute: 'write',
    simple: 'write',
    simple_read_only: 'read',
    batch_execute: 'write',
  },
  notCallable: ['query_raw', 'query_raw_read_only', 'prepare', 'is_closed'],
  defaultType: 'query',
};
