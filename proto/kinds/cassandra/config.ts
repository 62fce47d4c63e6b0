/** The configuration of a Cassandra endpoint. */
import * as z from 'zod';
import { ConnectionParts, Transport } from '../members.ts';

/** Member `config` of a cassandra endpoint. */
export const CassandraConfig = z
  .strictObject({
    write_conn: ConnectionParts.meta({
      description: 'For `/write` and transactions, and for `/read` without a `read_conn`',
    }),
    read_conn: ConnectionParts.optional().meta({
      description: 'For `/read`: another node, or a role that may only read',
    }),
    development_conn: ConnectionParts.optional().meta({
      description:
        'For all calls while `backend_profile` is `development`, where one or a node for development must be',
    }),
    transport: Transport.optional(),
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
