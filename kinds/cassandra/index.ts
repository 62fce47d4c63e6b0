/** Endpoint kind `cassandra`: its configuration, its requests and which of them write. */

import type { KindSpec } from '../kind.ts';
import { CassandraConfig } from './config.ts';
import { CassandraRequest } from './request.ts';

export type { CassandraRequest };

export const cassandra: KindSpec<CassandraRequest, CassandraConfig> = {
  label: 'Cassandra',
  aliases: ['cql', 'scylla', 'scylladb'],
  config: CassandraConfig,
  request: CassandraRequest,
  hasTransactions: true,
  hasColumns: true,
  limitsNames: true,
  passes: ['params', 'queries.params'],
  types: {
    query: 'read',
    query_read_only: 'read',
    query_single_page: 'read',
    query_single_page_read_only: 'read',
    query_unpaged: 'read',
    query_unpage: 'read',
    query_unpaged_read_only: 'read',
    execute: 'write',
    batch: 'write',
  },
  notCallable: [],
  defaultType: 'query',
};
