/** Placements as on the wire. Spec: "Node placement record"; nodes.md §2. */
import * as z from 'zod';
import { ConnectionStatusName, EndpointPath } from '../endpoints/schema.ts';
import { NextCursor, timestampOrNull, uuid } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';

/** Largest `priority` and `weight`. Spec silent. */
const NUMBER_MAX = 1_000_000;
/** Most entries of `metadata`, and the characters of a name and of a value. Spec silent. */
const METADATA_MAX = { entries: 100, name: 128, value: 1024 };

/** Not checked here: a name that is no UUID is of no node. */
export const NodePath = EndpointPath.extend({
  gateway_node_uuid: z
    .string()
    .min(1)
    .meta({
      description: 'UUID of the node, as `GET /endpoints/{endpoint}/nodes` lists it',
      examples: [SAMPLE.nodeUuid],
    }),
});
export type NodePath = z.infer<typeof NodePath>;

const PoolRole = z.enum(['production', 'development', 'any']).meta({
  description: "Which of an endpoint's backend profiles the node serves",
  examples: ['any'],
});
const Metadata = z
  .record(z.string().min(1).max(METADATA_MAX.name), z.string().max(METADATA_MAX.value))
  .refine(
    (metadata) => Object.keys(metadata).length <= METADATA_MAX.entries,
    `must have at most ${METADATA_MAX.entries} entries`,
  )
  .meta({
    description:
      'Your own notes, which nothing is decided by; names of 1 to 128 characters, texts of at most 1024, at most 100 of them',
    maxProperties: METADATA_MAX.entries,
    examples: [{ region: 'eu-west-1' }],
  });
const Priority = z
  .int()
  .min(0)
  .max(NUMBER_MAX)
  .meta({
    description: 'The placements with the lowest number are used first',
    examples: [10],
  });
const Weight = z
  .int()
  .min(0)
  .max(NUMBER_MAX)
  .meta({
    description: 'Share of the calls among placements of one priority; 0 gets none beside others',
    examples: [3],
  });

const SAMPLE_PLACEMENT = {
  pool_role: 'any',
  connection_status: 'available',
  priority: 10,
  weight: 3,
  metadata: { region: 'eu-west-1' },
};

/** What an administrator says about an endpoint on a node; what is left out has its default. */
export const PlacementBody = z
  .strictObject({
    pool_role: PoolRole.default('any'),
    connection_status: ConnectionStatusName.default('available').meta({
      description:
        'Whether the node may be used: only `available` and `degraded` are, the former first',
    }),
    priority: Priority.default(0),
    weight: Weight.default(1),
    metadata: Metadata.default({}),
  })
  .meta({
    id: 'PlacementInput',
    description: 'How a node shall serve an endpoint; replaces what was said before',
    examples: [SAMPLE_PLACEMENT],
  });
export type PlacementBody = z.infer<typeof PlacementBody>;

const stored = {
  gateway_node_uuid: uuid('The node', SAMPLE.nodeUuid),
  pool_role: PoolRole,
  priority: Priority,
  weight: Weight,
  metadata: Metadata,
};

/** A placement as it is stored. */
export const PlacementRecord = z
  .object({
    ...stored,
    connection_status: ConnectionStatusName.meta({ description: 'As an administrator set it' }),
  })
  .meta({
    id: 'Placement',
    description: 'How a node serves an endpoint, as it is stored',
    examples: [{ gateway_node_uuid: SAMPLE.nodeUuid, ...SAMPLE_PLACEMENT }],
  });

/** A node with what holds for an endpoint there. */
const Node = z
  .object({
    ...stored,
    connection_status: ConnectionStatusName.meta({ description: 'As an administrator set it' }),
    effective_status: ConnectionStatusName.meta({
      description:
        "The worst of what is set, of the node's own status, and of what calls to it show; `unknown` while it was never heard",
    }),
    name: z
      .string()
      .nullable()
      .meta({
        description:
          "The node's name; `default` is the installation's own; null of a node that was deleted",
        examples: ['default'],
      }),
    last_seen: timestampOrNull(
      'When the node was heard last; of the default node now, or null when it did not answer in 2 s',
    ),
  })
  .meta({
    id: 'Node',
    description: 'A relay that can serve the endpoint, with its placement there',
  });

/** The nodes that can serve an endpoint. */
export const NodeList = z
  .object({
    nodes: z.array(Node).meta({ description: 'One entry per node' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'NodeList',
    description: 'The nodes that can serve the endpoint, asked just now',
    examples: [
      {
        nodes: [
          {
            gateway_node_uuid: SAMPLE.nodeUuid,
            name: 'default',
            ...SAMPLE_PLACEMENT,
            effective_status: 'available',
            last_seen: SAMPLE.now,
          },
        ],
        next_cursor: SAMPLE.cursor,
      },
    ],
  });
