/** The configuration of a ClickHouse endpoint. */
import * as z from 'zod';
import { AllowTables } from '../allow.ts';
import {
  AllowFunctions,
  ConnectionParts,
  connectionsOf,
  Numbers,
  Transport,
  VpnRoute,
} from '../members.ts';

/** Member `config` of a clickhouse endpoint. */
export const ClickhouseConfig = z
  .strictObject({
    ...connectionsOf(ConnectionParts, {
      write: '`/write`',
      read: 'a replica, or a user who may only read',
    }),
    allow: AllowTables.optional(),
    allow_functions: AllowFunctions.optional(),
    numbers: Numbers.optional(),
    transport: Transport.optional(),
    vpn_route: VpnRoute.optional(),
  })
  .meta({
    id: 'ClickhouseConfig',
    description: 'Configuration of a ClickHouse endpoint',
    examples: [
      {
        write_conn: { url: 'clickhouse://shop:s3cr3t@ch.example.com:8443/shop?secure=true' },
        allow_functions: ['s3'],
      },
    ],
  });
export type ClickhouseConfig = z.infer<typeof ClickhouseConfig>;
