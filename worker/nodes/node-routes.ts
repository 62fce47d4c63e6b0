/** Operations on the organization's nodes, and what relays call. Spec: nodes.md §1. */
import { anyone, onOrganization } from '../access/access.ts';
import { type AnyRoute, publicRoute, route } from '../route.ts';
import { PageQuery } from '../shapes/cursor.ts';
import { onNode } from './access.ts';
import { admitRelay } from './admit.ts';
import { hear } from './beat.ts';
import { createNode } from './create.ts';
import { deleteNode } from './delete.ts';
import { enrol } from './enrol.ts';
import { listOwnNodes } from './get.ts';
import {
  BeatBody,
  EnrolBody,
  Enrolled,
  Heard,
  SignedHeaders,
  Tunnel,
  TunnelHeaders,
} from './relay-shapes.ts';
import {
  ConfirmQuery,
  Enrolment,
  NewNode,
  NodeDone,
  OwnNodePath,
  OwnNodes,
  Registered,
} from './shapes.ts';
import { openTunnel } from './tunnel/open.ts';
import { drainNode, renewEnrolment } from './update.ts';

const managed: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/nodes',
    summary: 'Register a relay of your own as a node',
    description:
      'Answers a secret that a relay enrols with: `npm run relay -- --gateway URL --enroll SECRET`. With its public keys given, a relay that has the private ones is the node without enrolling. Without `url` it reaches the gateway by itself, and opens no port.',
    tag: 'Nodes',
    errors: ['INVALID_CONFIGURATION', 'ADDRESS_REFUSED', 'NODE_EXISTS', 'QUOTA_EXCEEDED'],
    access: onOrganization('Admin'),
    changes: 'organization',
    idempotency: { secret: true },
    body: NewNode,
    reply: 'bare',
    result: Registered,
    names: { node: '/uuid' },
    handle: (ctx, { body }) => createNode(ctx, body),
  }),
  route({
    method: 'GET',
    path: '/nodes',
    summary: 'List the nodes that can serve the organization',
    description: "The installation's default node first, then its own by name, each as it is now.",
    tag: 'Nodes',
    errors: [],
    access: onOrganization('Read'),
    changes: 'nothing',
    query: PageQuery,
    reply: 'bare',
    result: OwnNodes,
    names: { node: '/nodes/0/uuid', cursor: '/next_cursor' },
    handle: (ctx, { policy, query }) => listOwnNodes(ctx, policy, query),
  }),
  route({
    method: 'POST',
    path: '/nodes/:node/drain',
    summary: 'Have a node take no new calls',
    description: 'It finishes the calls and sessions that it has.',
    tag: 'Nodes',
    errors: [],
    access: onNode('Admin'),
    changes: 'organization',
    params: OwnNodePath,
    reply: 'bare',
    result: NodeDone,
    handle: (ctx, { resource }) => drainNode(ctx, resource, true),
  }),
  route({
    method: 'POST',
    path: '/nodes/:node/resume',
    summary: 'Have a drained node take calls again',
    description: 'Of a node that was not drained nothing changes.',
    tag: 'Nodes',
    errors: [],
    access: onNode('Admin'),
    changes: 'organization',
    params: OwnNodePath,
    reply: 'bare',
    result: NodeDone,
    handle: (ctx, { resource }) => drainNode(ctx, resource, false),
  }),
  route({
    method: 'POST',
    path: '/nodes/:node/enrolment',
    summary: 'Get a new secret for a node',
    description:
      'For a relay that lost its keys, or that shall have new ones. The present keys serve until the secret is used.',
    tag: 'Nodes',
    errors: [],
    access: onNode('Admin'),
    changes: 'organization',
    idempotency: { secret: true },
    params: OwnNodePath,
    reply: 'bare',
    result: Enrolment,
    handle: (ctx, { resource }) => renewEnrolment(ctx, resource),
  }),
  route({
    method: 'DELETE',
    path: '/nodes/:node',
    summary: 'Remove a node; placements on it stay, and are unavailable',
    description:
      'Its relay is refused from then on. A node that all placements of an endpoint are on needs `?confirm=true`: such an endpoint answers 503 until it is placed elsewhere.',
    tag: 'Nodes',
    errors: ['NODE_IN_USE'],
    access: onNode('Admin'),
    changes: 'organization',
    params: OwnNodePath,
    query: ConfirmQuery,
    reply: 'bare',
    result: NodeDone,
    handle: (ctx, { resource, query }) => deleteNode(ctx, resource, query.confirm === 'true'),
  }),
];

const called: AnyRoute[] = [
  publicRoute({
    method: 'POST',
    path: '/nodes/enrol',
    summary: 'Become a node; for relays',
    description:
      'With a secret, the keys become those of its node. Without one, answers which node has the signing key. The request is signed with the private half of that key.',
    tag: 'Nodes',
    errors: ['ENROLMENT_INVALID', 'NODE_SIGNATURE_INVALID', 'NODE_EXISTS', 'NODE_RUNNING'],
    headers: SignedHeaders,
    access: anyone,
    admit: admitRelay,
    changes: 'nothing',
    idempotency: 'ignored',
    body: EnrolBody,
    reply: 'bare',
    result: Enrolled,
    handle: (ctx, { body, ...arrived }) => enrol(ctx, body, arrived),
  }),
  publicRoute<OwnNodePath, Record<string, never>, BeatBody>({
    method: 'POST',
    path: '/nodes/:node/beat',
    summary: 'Tell how a node is; for relays',
    description:
      'Every 10 s, signed: an Ed25519 signature over method, path, instance, nonce and digest of the body.',
    tag: 'Nodes',
    errors: ['NODE_SIGNATURE_INVALID', 'NODE_RUNNING'],
    headers: SignedHeaders,
    access: anyone,
    admit: admitRelay,
    changes: 'nothing',
    idempotency: 'ignored',
    params: OwnNodePath,
    body: BeatBody,
    reply: 'bare',
    result: Heard,
    handle: (ctx, { params, body, ...arrived }) => hear(ctx, params.node, body, arrived),
  }),
  publicRoute<OwnNodePath>({
    method: 'GET',
    path: '/nodes/:node/tunnel',
    summary: 'Open the tunnel of a node; for relays',
    description:
      'A WebSocket through which the gateway calls a node that listens on no port. The request is signed as a beat is.',
    tag: 'Nodes',
    errors: ['NODE_SIGNATURE_INVALID', 'NODE_RUNNING'],
    headers: TunnelHeaders,
    upgrades: true,
    access: anyone,
    admit: admitRelay,
    changes: 'nothing',
    params: OwnNodePath,
    reply: 'bare',
    result: Tunnel,
    handle: (ctx, { params, header }) => openTunnel(ctx, params.node, header),
  }),
];

export const nodeRoutes: AnyRoute[] = [...managed, ...called];
