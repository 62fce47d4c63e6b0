/** Schemas that several kinds share: JSON values, deadlines, connections. */
import * as z from 'zod';
import type { Json } from '../json.ts';

/** Any JSON value; the body was parsed as JSON, so only absence is refused. */
export const JsonValue = z
  .custom<Json>((value) => value !== undefined, 'is required')
  .meta({ id: 'Json', description: 'Any JSON value' });

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
  .meta({ description: 'Milliseconds the backend may take, 1 to 300000; 30000 when left out' });

/** Member `auth` of a connection: a password, `user:password`, or both apart; the text `None` is none. */
export const Auth = z.union([
  z.string(),
  z.strictObject({ username: z.string().optional(), password: z.string() }),
]);

/** A connection by URL, or by its parts. Contract §5. */
export const ConnectionParts = z.union(
  [
    z.strictObject({ url: z.string().min(1), auth: Auth.optional() }),
    z.strictObject({
      host: z.string().min(1),
      port: z.int().min(1).max(65_535).optional(),
      tls: z.boolean().optional(),
      db: z.union([z.string(), z.int().min(0)]).optional(),
      auth: Auth.optional(),
    }),
  ],
  { error: 'Connection URL is required' },
);
export type ConnectionParts = z.infer<typeof ConnectionParts>;

/** Names of functions that `/read` may call although they may have effects: all, or those listed. */
export const AllowFunctions = z.union([z.boolean(), z.array(z.string().min(1)).max(1000)]);
