/** The configuration of a PostgreSQL endpoint. */
import * as z from 'zod';
import { AllowTables } from '../allow.ts';
import { CallerSettings } from '../caller-settings.ts';
import {
  AllowFunctions,
  ConnectionParts,
  connectionsOf,
  Numbers,
  Transport,
  VpnRoute,
} from '../members.ts';
import { OnceTable } from '../once.ts';

/** Member `config` of a postgres endpoint. */
export const PostgresConfig = z
  .strictObject({
    ...connectionsOf(ConnectionParts, {
      write: '`/write`, transactions and sessions',
      read: 'a replica, or a user who may only read',
    }),
    allow: AllowTables.optional(),
    allow_functions: AllowFunctions.optional(),
    numbers: Numbers.optional(),
    once: OnceTable.optional(),
    session: CallerSettings.optional(),
    transport: Transport.optional(),
    vpn_route: VpnRoute.optional(),
  })
  .meta({
    id: 'PostgresConfig',
    description: 'Configuration of a PostgreSQL endpoint',
    examples: [
      {
        write_conn: { url: 'postgresql://shop:s3cr3t@db.example.com:5432/shop?sslmode=require' },
        read_conn: { url: 'postgresql://reader:s3cr3t@replica.example.com:5432/shop' },
        allow_functions: ['stock_report'],
      },
    ],
  });
export type PostgresConfig = z.infer<typeof PostgresConfig>;
