/** The configuration of a Pinecone endpoint. Contract §5. */
import * as z from 'zod';
import { CONNECTION_NEEDED, connectionsOf, NO_URL, Transport, VpnRoute } from '../members.ts';

const URL_EXAMPLE = 'https://products-a1b2c3d.svc.aped-4627-b74a.pinecone.io';

/** One index, by its host. */
export const PineconeConnection = z
  .strictObject(
    {
      url: z
        .string({ error: NO_URL })
        .min(1)
        .meta({
          description:
            "The index's host as a URL with `https://`, without path; no name of an index is looked up",
          examples: [URL_EXAMPLE],
        }),
    },
    CONNECTION_NEEDED,
  )
  .meta({
    id: 'PineconeConnection',
    description: 'An index, by its host',
    examples: [{ url: URL_EXAMPLE }],
  });

/** Member `api_key`: what a header can carry. */
export const ApiKey = z
  .string({ error: 'An API key is required' })
  .regex(/^[\x21-\x7e]{1,1024}$/, 'must be 1 to 1024 visible ASCII characters')
  .meta({
    description: "Goes to the index's host alone, with each request; replies show `***`",
    examples: ['pcsk_s3cr3t'],
  });

/** Member `config` of a pinecone endpoint. */
export const PineconeConfig = z
  .strictObject({
    ...connectionsOf(PineconeConnection, {
      write: '`/write`',
      read: 'another index',
    }),
    api_key: ApiKey,
    transport: Transport.optional(),
    vpn_route: VpnRoute.optional(),
  })
  .meta({
    id: 'PineconeConfig',
    description: 'Configuration of a Pinecone endpoint',
    examples: [{ write_conn: { url: URL_EXAMPLE }, api_key: 'pcsk_s3cr3t' }],
  });
export type PineconeConfig = z.infer<typeof PineconeConfig>;
