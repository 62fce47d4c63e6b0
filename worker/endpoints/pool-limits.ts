/** Caps on the connections of an endpoint, as on the wire. Spec: "Endpoint", `backend_pool_limits`. */
import * as z from 'zod';

/** Most connections that a cap may allow. Spec silent. */
const CONNECTIONS_MAX = 10_000;

const Cap = z.int().min(1).max(CONNECTIONS_MAX);
const CAPS = {
  total_max_connections: 'Most connections of both profiles together',
  production_max_connections: 'Most connections under the profile `production`',
  development_max_connections: 'Most connections under the profile `development`',
};
const capOf = (name: keyof typeof CAPS, example: number) =>
  Cap.optional().meta({
    description: `${CAPS[name]}, on each node; without it the node's own limit counts`,
    examples: [example],
  });
const nullableCapOf = (name: keyof typeof CAPS) =>
  Cap.nullish().meta({ description: `${CAPS[name]}, on each node; null removes the limit` });

/** Caps on connections of one node; one that is left out is the node's own. */
export const PoolLimits = z
  .strictObject({
    total_max_connections: capOf('total_max_connections', 20),
    production_max_connections: capOf('production_max_connections', 16),
    development_max_connections: capOf('development_max_connections', 4),
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
  })
  .meta({
    id: 'PoolLimits',
    description:
      'Most connections to the backend at a time; a profile may not have more than both together',
    examples: [{ total_max_connections: 20, production_max_connections: 16 }],
  });
export type PoolLimits = z.infer<typeof PoolLimits>;

/** What a PATCH may say of them: what is left out stays. */
export const PoolLimitsPatch = z.strictObject({
  total_max_connections: nullableCapOf('total_max_connections'),
  production_max_connections: nullableCapOf('production_max_connections'),
  development_max_connections: nullableCapOf('development_max_connections'),
});
