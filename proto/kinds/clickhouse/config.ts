/** The configuration of a ClickHouse endpoint. */
import * as z from 'zod';
import { AllowFunctions, ConnectionParts, Transport } from '../members.ts';

/** Member `config` of a clickhouse endpoint. */
export const ClickhouseConfig = z
  .strictObject({
    write_conn: ConnectionParts.meta({
      description: 'For `/write`, and for `/read` without a `read_conn`',
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
