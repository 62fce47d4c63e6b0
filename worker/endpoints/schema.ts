/** Bodies and results of the operations on endpoints, as on the wire. Spec: "Endpoint". */
import * as z from 'zod';
import { JsonValue } from '../../proto/kinds/members.ts';
import { ChosenId } from '../http/ids.ts';

/** Longest description, in characters: it is one cell of a row. Spec silent. */
const DESCRIPTION_MAX = 16_384;
/** Most connections that a cap may allow. Spec silent. */
const CONNECTIONS_MAX = 10_000;

/** Parameter of every path below `/endpoints/{endpoint}`. */
export const EndpointPath = z.object({ endpoint: z.string().min(1) });
/** A lease below an endpoint. */
export const SessionPath = EndpointPath.extend({ session_id: z.string().min(1) });
export type SessionPath = z.infer<typeof SessionPath>;

/** Contract §1, "Id format". */
const EndpointId = ChosenId.refine((id) => id !== 'subjects', 'may not be "subjects"');

const Cap = z.int().min(1).max(CONNECTIONS_MAX).optional();
/** Caps on connections of one node; one that is left out is the node's own. */
export const PoolLimits = z
  .strictObject({
    total_max_connections: Cap,
    production_max_connections: Cap,
    development_max_connections: Cap,
  })
  .superRefine((limits, faults) => {
    const total = limits.total_max_connections ?? CONNECTIONS_MAX;
    for (const part of ['production_max_connections', 'development_max_connections'] as const) {
      if ((limits[part] ?? 0) <= total) continue;
      faults.addIssue({
        code: 'custom',
        path: [part],
        message: 'is more than total_max_connections',
      });
    }
  });
export type PoolLimits = z.infer<typeof PoolLimits>;

const Description = z.string().max(DESCRIPTION_MAX);
const BackendProfile = z.enum(['production', 'development']);
const Config = z
  .record(z.string(), JsonValue)
  .meta({ description: "Shaped by the endpoint's kind; secrets never come back" });

/** Spec: "Endpoint", create body. */
export const CreateBody = z.strictObject({
  endpoint: EndpointId,
  kind: z.string().min(1),
  config: Config,
  description: Description.default(''),
  backend_profile: BackendProfile.optional(),
  backend_pool_limits: PoolLimits.default({}),
});
export type CreateBody = z.infer<typeof CreateBody>;

/** Members of an endpoint that a PATCH changes, beside `config`. */
export const Changeable = z.strictObject({
  description: Description.default(''),
  backend_profile: BackendProfile.optional(),
  backend_pool_limits: PoolLimits.default({}),
});

/** Spec: "Endpoint management", partial body; `null` removes. */
export const PatchBody = z.strictObject({
  kind: z.string().optional().meta({ description: "Cannot change: it is the endpoint's own" }),
  config: Config.optional(),
  description: Description.nullish(),
  backend_profile: BackendProfile.nullish(),
  backend_pool_limits: z
    .strictObject({
      total_max_connections: Cap.nullable(),
      production_max_connections: Cap.nullable(),
      development_max_connections: Cap.nullable(),
    })
    .nullish(),
});
export type PatchBody = z.infer<typeof PatchBody>;

const Timestamp = z.iso.datetime();
const identity = { id: z.string(), uuid: z.uuid(), kind: z.string() };

/** Spec: "Endpoint record". */
export const EndpointRecord = z.object({
  ...identity,
  created_at: Timestamp,
  backend_profile: BackendProfile.optional(),
});

/** What a PATCH answers. */
export const UpdatedRecord = z.object({
  ...identity,
  updated_at: Timestamp,
  backend_profile: BackendProfile.optional(),
});

/** A page of endpoints, by id. */
export const EndpointPage = z.object({
  endpoints: z.array(EndpointRecord),
  next_cursor: z.string().optional(),
});

export const ConnectionStatusName = z.enum([
  'available',
  'degraded',
  'unavailable',
  'draining',
  'unknown',
]);

/** Contract §5, what GET adds. */
export const EndpointDetail = EndpointRecord.extend({
  updated_at: Timestamp,
  description: z.string(),
  config: Config,
  backend_pool_limits: PoolLimits,
  connection_status: ConnectionStatusName,
  last_connected_at: Timestamp.nullable(),
  usage: z.object({ reads: z.int(), writes: z.int(), errors: z.int() }),
});

export const Deleted = z.object({ message: z.string() });

/** Whether the backend answered; without an answer `error` says why. */
export const TestResult = z.object({
  connected: z.boolean(),
  latency_ms: z.int(),
  error: z.object({ error: z.string(), message: z.string(), code: z.string() }).optional(),
});
