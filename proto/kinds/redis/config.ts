/** The configuration of a Redis endpoint. */
import * as z from 'zod';
import { ConnectionParts, Transport } from '../members.ts';

/** Member `config` of a redis endpoint. Spec: "Endpoint", member `write_conn`. */
export const RedisConfig = z
  .strictObject({
    write_conn: ConnectionParts.meta({
      description:
        'For `/write`, transactions and sessions, and for `/read` without a `read_conn`; by URL one server, a cluster (`redis+cluster://host,host`) or the master that sentinels name (`redis+sentinel://host,host/mymaster/0`), with TLS as `rediss`',
    }),
    read_conn: ConnectionParts.optional().meta({
      description: 'For `/read`: a replica, or a user who may only read',
    }),
    development_conn: ConnectionParts.optional().meta({
      description:
        'For all calls while `backend_profile` is `development`, where one or a node for development must be',
    }),
    transport: Transport.optional(),
  })
  .meta({
    id: 'RedisConfig',
    description: 'Configuration of a Redis or Valkey endpoint',
    examples: [
      { write_conn: { host: 'cache.example.com', port: 6379, tls: true, auth: 's3cr3t' } },
      { write_conn: { url: 'redis://:s3cr3t@cache.example.com:6379/0' } },
    ],
  });
export type RedisConfig = z.infer<typeof RedisConfig>;
