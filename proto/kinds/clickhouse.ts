/** Endpoint kind `clickhouse`: its configuration, its requests and which of them write. */
import { ClickhouseConfig } from './clickhouse/config.ts';
import { ClickhouseRequest } from './clickhouse/request.ts';
import { shapes } from './clickhouse/shapes.ts';
import type { KindSpec } from './kind.ts';

export type { ClickhouseRequest };

export const clickhouse: KindSpec<ClickhouseRequest, ClickhouseConfig> = {
  label: 'Clickhouse',
  aliases: ['click_house', 'ch'],
  config: ClickhouseConfig,
  request: ClickhouseRequest,
  shapes,
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
