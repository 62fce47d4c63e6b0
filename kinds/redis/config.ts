/** The configuration of a Redis endpoint. */
import * as z from 'zod';
import { AllowKeys } from '../allow.ts';
import { ConnectionParts, connectionsOf, Numbers, Transport, VpnRoute } from '../members.ts';
import { OncePrefix } from '../once.ts';

/** Member `config` of a redis endpoint. Spec: "Endpoint", member `write_conn`. */
export const RedisConfig = z
  .strictObject({
    ...connectionsOf(ConnectionParts, {
      write: '`/write`, transactions and sessions',
      read: 'a replica, or a user who may only read',
      more: '; by URL one server, a cluster (`redis+cluster://host,host`) or the master that sentinels name (`redis+sentinel://host,host/mymaster/0`), with TLS as `rediss`',
    }),
    allow: AllowKeys.optional(),
    numbers: Numbers.optional(),
    once: OncePrefix.optional(),
    transport: Transport.optional(),
    vpn_route: VpnRoute.optional(),
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
