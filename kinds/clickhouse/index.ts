/** Endpoint kind `clickhouse`: its configuration, its requests and which of them write. */

import type { KindSpec } from '../kind.ts';
import { ClickhouseConfig } from './config.ts';
import { ClickhouseRequest } from './request.ts';

export type { ClickhouseRequest };

export const clickhouse: KindSpec<ClickhouseRequest, ClickhouseConfig> = {
  label: 'Clickhouse',
  aliases: ['click_house', 'ch'],
  config: ClickhouseConfig,
  request: ClickhouseRequest,
  hasTransactions: false,
  hasColumns: true,
  limitsNames: true,
  passes: ['params', 'rows'],
  writes: { params: 'each', rows: 'each' },
  types: {
    query: 'read',
    query_read_only: 'read',
    fetch: 'read',
    fetch_all: 'read',
    fetch_one: 'read',
    fetch_optional: 'read',
    fetch_bytes: 'read',
    execute: 'write',
    insert: 'write',
    ddl: 'write',
  },
  notCallable: [],
  defaultType: 'query',
};
