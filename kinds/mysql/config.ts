/** The configuration of a MySQL or MariaDB endpoint. */
import * as z from 'zod';
import { AllowTables } from '../allow.ts';
import { CallerVariables } from '../caller-settings.ts';
import {
  AllowFunctions,
  ConnectionParts,
  connectionsOf,
  Numbers,
  Transport,
  VpnRoute,
} from '../members.ts';
import { OnceTable } from '../once.ts';

/** Member `config` of a mysql endpoint. */
export const MysqlConfig = z
  .strictObject({
    ...connectionsOf(ConnectionParts, {
      write: '`/write`, transactions and sessions',
      read: 'a replica, or a user who may only read',
    }),
    allow: AllowTables.optional(),
    allow_functions: AllowFunctions.optional(),
    numbers: Numbers.optional(),
    once: OnceTable.optional(),
    session: CallerVariables.optional(),
    transport: Transport.optional(),
    vpn_route: VpnRoute.optional(),
  })
  .meta({
    id: 'MysqlConfig',
    description: 'Configuration of a MySQL or MariaDB endpoint',
    examples: [
      {
        write_conn: {
          url: 'mysql://shop:s3cr3t@db.example.com:3306/shop?ssl-mode=VERIFY_IDENTITY',
        },
        read_conn: { url: 'mysql://reader:s3cr3t@replica.example.com:3306/shop' },
        allow_functions: ['stock_report'],
      },
    ],
  });
export type MysqlConfig = z.infer<typeof MysqlConfig>;
