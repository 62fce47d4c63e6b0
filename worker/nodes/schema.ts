/** Placements as on the wire. Spec: "Node placement record". Contract §5, "Nodes". */
import * as z from 'zod';
import { ConnectionStatusName, EndpointPath } from '../endpoints/schema.ts';

/** Largest `priority` and `weight`. Spec silent. */
const NUMBER_MAX = 1_000_000;
/** Most entries of `metadata`, and the characters of a name and of a value. Spec silent. */
const METADATA_MAX = { entries: 100, name: 128, value: 1024 };

/** Not checked here: a name that is no UUID is of no node. */
export const NodePath = EndpointPath.extend({ gateway_node_uuid: z.string().min(1) });
export type NodePath = z.infer<typeof NodePath>;

const PoolRole = z.enum(['production', 'development', 'any']);
const Metadata = z
  .record(z.string().min(1).max(METADATA_MAX.name), z.string().max(METADATA_MAX.value))
  .refine(
    (metadata) => Object.keys(metadata).length <= METADATA_MAX.entries,
    `has at most ${METADATA_MAX.entries} entries`,
  );

/** What an administrator says of an endpoint on a node; what is left out has its default. */
export const PlacementBody = z.strictObject({
  pool_role: PoolRole.default('any'),
  connection_status: ConnectionStatusName.default('available'),
  priority: z
    .int()
    .min(0)
    .max(NUMBER_MAX)
    .default(0)
    .meta({ description: 'The lowest number comes first' }),
  weight: z
    .int()
    .min(0)
    .max(NUMBER_MAX)
    .default(1)
    .meta({ description: 'Share among placements of one priority' }),
  metadata: Metadata.default({}),
});
export type PlacementBody = z.infer<typeof PlacementBody>;

/** A placement as it is stored. */
export const PlacementRecord = z.object({
  gateway_node_uuid: z.uuid(),
  pool_role: PoolRole,
  connection_status: ConnectionStatusName,
  priority: z.int(),
  weight: z.int(),
  metadata: Metadata,
});

/** The nodes that can serve an endpoint. */
export const NodeList = z.object({
  nodes: z.array(
    PlacementRecord.extend({
      name: z.string(),
      last_seen: z.iso.datetime().nullable(),
    }),
  ),
});
