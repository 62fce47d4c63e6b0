/** What clients of a ClickHouse endpoint send and get, for the API's description. */
import * as z from 'zod';
import type { KindShapes } from '../../kind.ts';
import { patchOf } from '../../members.ts';
import { SqlResult, SqlRow } from '../../sql.ts';
import { ClickhouseConfig } from '../config.ts';
import { BareQuery, ClickhouseRequest } from '../request.ts';

/** What `fetch_bytes` answers. */
const Bytes = z
  .object({
    value: z.string().meta({
      description: 'The result in the format that was asked for',
      examples: ['"id"\n7\n'],
    }),
    encoding: z
      .enum(['utf8', 'base64'])
      .meta({ description: 'How `value` is written: base64 where it is not UTF-8' }),
  })
  .meta({
    id: 'ClickhouseBytes',
    description: 'What `fetch_bytes` answers',
    examples: [{ value: '"id"\n7\n', encoding: 'utf8' }],
  });

/** Every form of a request, and of what it answers. Contract §6. */
export const shapes: KindShapes = {
  configPatch: patchOf(ClickhouseConfig).meta({
    id: 'ClickhouseConfigPatch',
    description:
      'Changes of a configuration: a connection that is given replaces the whole one, null removes a member',
    examples: [{ write_conn: { url: 'clickhouse://shop:n3w-s3cr3t@ch.example.com:8443/shop' } }],
  }),
  body: z
    .union([
      ClickhouseRequest,
      BareQuery,
      z
        .strictObject({
          request: z
            .union([ClickhouseRequest, BareQuery])
            .meta({ description: 'The request itself' }),
        })
        .meta({
          id: 'ClickhouseWrappedRequest',
          description: 'A request in a member of its own',
          examples: [{ request: { query: 'SELECT count() FROM orders' } }],
        }),
    ])
    .meta({
      id: 'ClickhouseBody',
      description: 'A request to a ClickHouse endpoint, in any of its forms',
    }),
  results: [SqlResult, Bytes],
  line: SqlRow,
};
