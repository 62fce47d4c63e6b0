/** The configuration of a MongoDB endpoint. */
import * as z from 'zod';
import { AllowCollections } from '../allow.ts';
import { Auth, ConnectionParts, connectionsOf, Transport, VpnRoute } from '../members.ts';
import { OnceCollection } from '../once.ts';

const Notation = z.enum(['JSON', 'EJSON']);

/** Member `config` of a mongo endpoint. Spec: "Endpoint", members `db_name`, `auth`, `content`, `accept`, `api_key`. */
export const MongoConfig = z
  .strictObject({
    ...connectionsOf(ConnectionParts, {
      write: '`/write`, transactions and sessions',
      read: 'a user who may only read, or another member of the replica set',
    }),
    allow: AllowCollections.optional(),
    db_name: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: "The database of requests that name none; left out, the connection's own",
        examples: ['shop'],
      }),
    auth: Auth.optional().meta({
      description:
        'Credentials for each connection that has none; the text `None` means no password',
    }),
    content: Notation.optional().meta({
      description: 'Requests are Extended JSON with either value, which plain JSON is part of',
      examples: ['JSON'],
    }),
    accept: Notation.optional().meta({
      description:
        'Results are relaxed Extended JSON with `JSON`, which is the default, and canonical with `EJSON`',
      examples: ['JSON'],
    }),
    api_key: z
      .string()
      .optional()
      .meta({
        description: 'Taken, sealed and not used: the server knows no such key',
        examples: [''],
      }),
    once: OnceCollection.optional(),
    transport: Transport.optional(),
    vpn_route: VpnRoute.optional(),
  })
  .meta({
    id: 'MongoConfig',
    description: 'Configuration of a MongoDB endpoint',
    examples: [
      {
        write_conn: {
          url: 'mongodb://shop:s3cr3t@db.example.com:27017/shop?replicaSet=rs0&tls=true',
        },
        db_name: 'shop',
      },
    ],
  });
export type MongoConfig = z.infer<typeof MongoConfig>;
