/** Schemas that several kinds share: JSON values, deadlines, connections. */
import * as z from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../proto/json.ts';

/** Any JSON value; the body was parsed as JSON, so only absence is refused. */
export const JsonValue = z
  .custom<Json>((value) => value !== undefined, 'is required')
  .meta({
    id: 'Json',
    description:
      'Any JSON value; a number with more digits than a double holds keeps them all, both ways',
    examples: [{ newsletter: true, language: 'pt' }],
  });

/** A JSON object as it came: a record of the schema library is a copy, without `__proto__` and the order of members. */
export const JsonMembers = z.custom<JsonObject>(isJsonObject, 'must be an object');

/** Longest deadline of one call, in milliseconds. Contract: "Deadline". */
export const TIMEOUT_MAX_MS = 300_000;
/** Deadline when the request names none, in milliseconds. Contract: "Deadline". */
export const TIMEOUT_DEFAULT_MS = 30_000;

/** Member `timeout_ms`. */
export const TimeoutMs = z
  .int()
  .min(1)
  .max(TIMEOUT_MAX_MS)
  .optional()
  .meta({
    description:
      'Milliseconds that the backend may take, 30000 when left out; then the request is cancelled: 504, or 502 where a write may have taken effect',
    examples: [5000],
  });

/** Member `kind` of a request, which is compared and dropped before its kind reads it. */
export function kindMember(label: string) {
  return z
    .string()
    .optional()
    .meta({
      description:
        "The endpoint's own kind, in any letter case, or by an alias; it may as well be left out",
      examples: [label],
      override: { enum: [label.toLowerCase(), label] },
    });
}

/** Member `auth` of a connection: a password, `user:password`, or both apart; the text `None` means no password. */
export const Auth = z
  .union([
    z.string().meta({
      description: 'A password, or `user:password`; the text `None` means no password',
      examples: ['shop:s3cr3t-of-the-shop'],
    }),
    z
      .strictObject({
        username: z
          .string()
          .optional()
          .meta({ description: "Left out, the URL's or the server's default", examples: ['shop'] }),
        password: z
          .string()
          .meta({ description: 'Sealed at rest', examples: ['s3cr3t-of-the-shop'] }),
      })
      .meta({ description: 'User and password apart, so that neither needs escaping' }),
  ])
  .meta({
    id: 'ConnectionAuth',
    description: 'Credentials of the backend; replies show `***` in place of them',
    examples: [{ username: 'shop', password: 's3cr3t-of-the-shop' }],
  });

const ByUrl = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .meta({
        description:
          "In the form of the backend's own clients, with their options; replies show `***` for user and password",
        examples: ['postgresql://shop:s3cr3t@db.example.com:5432/shop?sslmode=require'],
      }),
    auth: Auth.optional().meta({ description: "In place of the URL's user and password" }),
  })
  .meta({
    id: 'ConnectionByUrl',
    description: 'A connection by its URL',
    examples: [{ url: 'postgresql://shop:s3cr3t@db.example.com:5432/shop?sslmode=require' }],
  });

const ByHost = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .meta({ description: 'A name or an IP address', examples: ['db.example.com'] }),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .meta({ description: "The kind's usual port when left out", examples: [5432] }),
    tls: z
      .boolean()
      .optional()
      .meta({
        description:
          '`true` demands TLS and a trusted certificate of that host, `false` goes without; left out, the kind decides',
        examples: [true],
      }),
    db: z
      .union([z.string(), z.int().min(0)])
      .optional()
      .meta({ description: 'Name of the database, or its number', examples: ['shop'] }),
    auth: Auth.optional().meta({ description: 'Left out, there are no credentials' }),
  })
  .meta({
    id: 'ConnectionByHost',
    description: 'A connection by its parts',
    examples: [
      {
        host: 'db.example.com',
        port: 5432,
        tls: true,
        db: 'shop',
        auth: { username: 'shop', password: 's3cr3t-of-the-shop' },
      },
    ],
  });

/** What an endpoint is told that has no address. Spec: "Errors" */
export const NO_URL = 'Connection URL is required';
/** Of the schema of a connection: that it is not there. What else is wrong is told by its members. */
export const CONNECTION_NEEDED = {
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? NO_URL : undefined),
};

/** A connection by URL, or by its parts. Contract §5. */
export const ConnectionParts = z.union([ByUrl, ByHost], { error: NO_URL }).meta({
  id: 'Connection',
  description: 'How to reach a backend: by URL, or by its parts',
});
export type ConnectionParts = z.infer<typeof ConnectionParts>;

/** Names of functions that `/read` may call although they may have effects: all, or those listed. */
export const AllowFunctions = z.union([z.boolean(), z.array(z.string().min(1)).max(1000)]).meta({
  description:
    'Functions that `/read` may call although the database does not promise that they change nothing: `true` for all, or at most 1000 names',
  examples: [['stock_report']],
});

/** Member `vpn_route`. Spec: nodes.md §4 */
export const VpnRoute = z.uuid().meta({
  description:
    'UUID of the one node that calls go over, whatever the vendor: the endpoint must be placed on it, else they are 503',
  examples: ['7a1c5e90-3b2d-4f68-a1e4-c5d6e7f80912'],
});

/** Member `numbers`. Contract §6, "Results never lose a value". */
export const Numbers = z.literal('string').meta({
  description:
    'Every 64-bit column as a string, whatever its value, in every result, as `?numbers=string` asks for one; left out, only integers beyond ±2^53 are',
  examples: ['string'],
});

/** Member `transport`. Contract §6, "Edge or relay". */
export const Transport = z.enum(['edge', 'relay']).meta({
  description:
    "Who speaks to the backend: the gateway's edge or a relay; left out, it follows from kind and host",
  examples: ['relay'],
});

/** What a PATCH of a configuration may hold, RFC 7396: null removes a member that may be absent. */
export function patchOf(config: z.ZodObject) {
  const members = Object.entries(config.shape).map(([name, member]) => {
    // No kind's configuration holds anything but zod's own schemas.
    return [name, z.optional(orNull(member as z.ZodType))] as const;
  });
  return z.strictObject(Object.fromEntries(members));
}

/** The same with null instead of each member that may be absent, at any depth. */
function orNull(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) {
    const inner = schema.unwrap() as z.ZodType; // As above.
    return z.nullish(orNull(inner)).meta({ ...wordsOf(inner), ...wordsOf(schema) });
  }
  if (schema instanceof z.ZodUnion) {
    return z.union((schema.options as z.ZodType[]).map(orNull)).meta(wordsOf(schema));
  }
  if (!(schema instanceof z.ZodObject)) return schema;
  const members = Object.entries(schema.shape).map(
    ([name, member]) => [name, orNull(member as z.ZodType)] as const,
  );
  const { catchall } = schema.def;
  const shape = Object.fromEntries(members);
  // Strict objects let no other member in; names that are the caller's own let themselves be taken away.
  const patch =
    catchall === undefined || catchall instanceof z.ZodNever
      ? z.strictObject(shape)
      : z.object(shape).catchall(z.nullable(catchall as z.ZodType));
  return patch.meta(wordsOf(schema));
}

/** Description and examples: the id is that of the schema without null. */
function wordsOf(schema: z.ZodType): z.core.GlobalMeta {
  const { id: _, ...words } = schema.meta() ?? {};
  return words;
}

/** What an endpoint's connections are for. */
interface Uses {
  /** Of `write_conn`, besides reads without a `read_conn`. */
  readonly write: string;
  /** What a `read_conn` may be. */
  readonly read: string;
  /** What else is to be said of `write_conn`. */
  readonly more?: string;
}

/** Members `write_conn`, `read_conn` and `development_conn` of a configuration. Contract §5. */
export function connectionsOf<Connection extends z.ZodType>(
  connection: Connection,
  { write, read, more = '' }: Uses,
) {
  return {
    write_conn: connection.meta({
      description: `For ${write}, and for \`/read\` without a \`read_conn\`${more}`,
    }),
    read_conn: connection.optional().meta({ description: `For \`/read\`: ${read}` }),
    development_conn: connection.optional().meta({
      description:
        'For all calls while `backend_profile` is `development`, where one or a node for development must be',
    }),
  };
}
