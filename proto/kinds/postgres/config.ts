/** The configuration of a PostgreSQL endpoint. */
import * as z from 'zod';
import { AllowFunctions, ConnectionParts, Transport } from '../members.ts';

/** Member `config` of a postgres endpoint. */
export const PostgresConfig = z
  .strictObject({
    write_conn: ConnectionParts.meta({
      description: 'For `/write`, transactions and sessions, and for `/read` without a `read_conn`',
    }),
    read_conn: ConnectionParts.optional().meta({
      description: 'For `/read`: a replica, or a user who may only read',
    }),
    development_conn: ConnectionParts.optional().meta({
      description:
        'For all calls while `backend_profile` is `development`, where one or a node for development must be',
    }),
    allow_functions: AllowFunctions.optional(),
    transport: Transport.optional(),
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
