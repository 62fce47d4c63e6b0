/** The configuration of a Cassandra endpoint. */
import * as z from 'zod';
import { AllowTables } from '../allow.ts';
import { ConnectionParts, connectionsOf, Numbers, Transport, VpnRoute } from '../members.ts';

/** Member `config` of a cassandra endpoint. */
export const CassandraConfig = z
  .strictObject({
    ...connectionsOf(ConnectionParts, {
      write: '`/write` and transactions',
      read: 'another node, or a role that may only read',
    }),
    allow: AllowTables.optional(),
    numbers: Numbers.optional(),
    transport: Transport.optional(),
    vpn_route: VpnRoute.optional(),
  })
  .meta({
    id: 'CassandraConfig',
    description: 'Configuration of a Cassandra endpoint',
    examples: [
      {
        write_conn: { url: 'cassandra://shop:s3cr3t@cassandra.example.com:9042/shop?tls=true' },
        read_conn: { url: 'cassandra://reader:s3cr3t@cassandra.example.com:9042/shop?tls=true' },
      },
    ],
  });
export type CassandraConfig = z.infer<typeof CassandraConfig>;
