/** Nodes as on the wire: registered, listed, enrolled, heard. Spec: nodes.md §1. */
import * as z from 'zod';
import { ChosenId } from '../shapes/ids.ts';
import { count, message, NextCursor, timestamp, timestampOrNull, uuid } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { DEFAULT_NODE_NAME } from './default-node.ts';
import { SealingKey, SigningKey } from './key-shapes.ts';

const URL_MAX = 2_048;
/** Characters of a version, and of a kind. */
export const VERSION_MAX = 128;
const KINDS_MAX = 64;

/** Not checked here: a name that is no UUID is of no node. */
export const OwnNodePath = z.object({
  node: z
    .string()
    .min(1)
    .meta({
      description: 'UUID of the node, as `GET /nodes` lists it',
      examples: [SAMPLE.nodeUuid],
    }),
});
export type OwnNodePath = z.infer<typeof OwnNodePath>;

/** A node's name. */
export const Name = ChosenId.refine(
  (name) => name !== DEFAULT_NODE_NAME,
  `${DEFAULT_NODE_NAME} is the name of the installation's own node`,
);

/** A node to be registered. Its address is checked where the gateway's own is known. */
export const NewNode = z
  .strictObject({
    name: Name.meta({
      description: 'Chosen name, unique in the organization',
      examples: ['berlin-1'],
    }),
    url: z
      .url()
      .max(URL_MAX)
      .optional()
      .meta({
        description:
          'Where the gateway reaches it: https, with a certificate that the gateway can verify. Without it the node dials the gateway, through a tunnel',
        examples: ['https://relay.example.com:8788'],
      }),
    signing_key: SigningKey.optional(),
    sealing_key: SealingKey.optional(),
  })
  .refine(
    (node) => (node.signing_key === undefined) === (node.sealing_key === undefined),
    'signing_key and sealing_key are given together, or neither',
  )
  .meta({
    id: 'NewNode',
    description: 'A relay of the organization',
    examples: [{ name: 'berlin-1', url: 'https://relay.example.com:8788' }, { name: 'berlin-2' }],
  });
export type NewNode = z.infer<typeof NewNode>;

/** A secret for examples. */
export const SECRET = 'cwn_u3mYwXxB0cXrWJ0kq0D8m5m5m3l9mB1o0m2nq7o8p9s';
const secret = {
  enrolment_secret: z.string().meta({
    description: 'Shown once: start a relay with `--enroll` and it. Serves once, for an hour',
    examples: [SECRET],
  }),
  expires: timestamp('When the secret ends', '2026-03-10T10:30:00.000Z'),
};

/** A registered node; with its keys given there is no secret. */
export const Registered = z
  .object({
    uuid: uuid('The node', SAMPLE.nodeUuid),
    name: z.string().meta({ description: 'As it was given', examples: ['berlin-1'] }),
    enrolment_secret: secret.enrolment_secret.optional(),
    expires: secret.expires.optional(),
  })
  .meta({
    id: 'RegisteredNode',
    description: 'The node, and the secret that a relay becomes it with',
    examples: [
      {
        uuid: SAMPLE.nodeUuid,
        name: 'berlin-1',
        enrolment_secret: SECRET,
        expires: '2026-03-10T10:30:00.000Z',
      },
    ],
  });

/** A new secret for a node. */
export const Enrolment = z.object(secret).meta({
  id: 'NodeEnrolment',
  description: 'A new secret; the keys of now serve until it is used',
  examples: [{ enrolment_secret: SECRET, expires: '2026-03-10T10:30:00.000Z' }],
});

/** How a node is. */
const NodeStatus = z.enum(['available', 'degraded', 'draining', 'unavailable', 'unknown']).meta({
  description:
    'What its beats and the calls to it show: `unknown` until it is heard, `unavailable` when it was not heard for 30 s or calls do not reach it',
  examples: ['available'],
});

/** How much it has. */
export const Load = z
  .object({
    calls: count('Calls in flight', 3),
    connections: count('Backend connections open', 12),
  })
  .meta({ description: 'As it said last' });
/** Who dials. */
export const Transport = z
  .enum(['direct', 'tunnel'])
  .meta({ description: 'Whether the gateway dials it, or it the gateway', examples: ['direct'] });
/** What it serves. */
export const Kinds = z
  .array(z.string().max(VERSION_MAX))
  .max(KINDS_MAX)
  .meta({ description: 'Kinds of endpoint that it serves', examples: [['postgres', 'redis']] });

const Listed = z
  .object({
    uuid: uuid('The node', SAMPLE.nodeUuid),
    name: z.string().meta({ description: 'Its name', examples: ['berlin-1'] }),
    default: z
      .boolean()
      .meta({ description: "Whether it is the installation's own", examples: [false] }),
    transport: Transport,
    status: NodeStatus,
    version: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Of its program; null until it is heard', examples: ['0.1.0'] }),
    kinds: Kinds.optional(),
    load: Load.optional(),
    clock_offset_ms: z
      .int()
      .nullable()
      .optional()
      .meta({
        description:
          "Milliseconds by which its clock is ahead of the gateway's; null until it is heard",
        examples: [-3],
      }),
    last_seen: timestampOrNull('When it was heard last').optional(),
    created_at: timestamp('When it was registered', SAMPLE.created).optional(),
  })
  .meta({
    id: 'RegisteredNodeRecord',
    description: 'A node; of the default one only the first five members are told',
  });

/** The organization's nodes, the default one first. */
export const OwnNodes = z
  .object({
    nodes: z.array(Listed).meta({ description: 'The default node, then its own by name' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'Nodes',
    description: 'Nodes that can serve the organization',
    examples: [
      {
        nodes: [
          {
            uuid: SAMPLE.nodeUuid,
            name: 'berlin-1',
            default: false,
            transport: 'direct',
            status: 'available',
            version: '0.1.0',
            kinds: ['postgres', 'redis'],
            load: { calls: 3, connections: 12 },
            clock_offset_ms: -3,
            last_seen: SAMPLE.now,
            created_at: SAMPLE.created,
          },
        ],
        next_cursor: SAMPLE.cursor,
      },
    ],
  });

/** What was done to a node. */
export const NodeDone = z
  .object({ message: message('Node berlin-1 takes no new calls') })
  .meta({ id: 'NodeDone', description: 'What was done to the node' });

/** Whether it may go although endpoints need it. */
export const ConfirmQuery = z.strictObject({
  confirm: z
    .enum(['true', 'false'])
    .optional()
    .meta({
      description: 'Does it although endpoints are left without a node',
      examples: ['true'],
    }),
});
