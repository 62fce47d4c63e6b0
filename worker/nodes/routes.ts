/** Operations on an endpoint's nodes. Spec: "Endpoint management"; `nodes.md` §2. */
import { onEndpoint } from '../endpoints/access.ts';
import { EndpointPath } from '../endpoints/schema.ts';
import { type AnyRoute, route } from '../route.ts';
import { PageQuery } from '../shapes/cursor.ts';
import { listNodes } from './list.ts';
import { placeOnNode } from './place.ts';
import { removePlacement } from './remove.ts';
import { NodeList, NodePath, PlacementBody, PlacementRecord } from './schema.ts';
import { ConfirmQuery, NodeDone } from './shapes.ts';

export const placementRoutes: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/endpoints/:endpoint/nodes',
    summary: 'List the nodes that can serve an endpoint',
    description:
      'Each with its placement, or with what holds where there is none, and whether it answers right now.',
    tag: 'Endpoints',
    errors: [],
    access: onEndpoint('Read'),
    changes: 'nothing',
    params: EndpointPath,
    query: PageQuery,
    reply: 'data',
    result: NodeList,
    names: { gateway_node_uuid: '/nodes/0/gateway_node_uuid', cursor: '/next_cursor' },
    handle: (ctx, { resource, query }) => listNodes(ctx, resource, query),
  }),
  route({
    method: 'PUT',
    path: '/endpoints/:endpoint/nodes/:gateway_node_uuid',
    summary: 'Say how a node serves an endpoint',
    description: 'Replaces the placement as a whole: what is left out has its default again.',
    tag: 'Endpoints',
    errors: ['NODE_NOT_FOUND'],
    access: onEndpoint<NodePath>('Admin'),
    changes: 'organization',
    params: NodePath,
    body: PlacementBody,
    reply: 'data',
    result: PlacementRecord,
    handle: (ctx, { resource, params, body }) =>
      placeOnNode(ctx, resource, params.gateway_node_uuid, body),
  }),
  route({
    method: 'DELETE',
    path: '/endpoints/:endpoint/nodes/:gateway_node_uuid',
    summary: 'Take an endpoint off a node',
    description:
      'The last placement needs `?confirm=true`: without one the default node serves the endpoint.',
    tag: 'Endpoints',
    errors: ['NODE_NOT_FOUND', 'LAST_PLACEMENT'],
    access: onEndpoint<NodePath>('Admin'),
    changes: 'organization',
    params: NodePath,
    query: ConfirmQuery,
    reply: 'data',
    result: NodeDone,
    handle: (ctx, { resource, params, query }) =>
      removePlacement(ctx, resource, params.gateway_node_uuid, query.confirm === 'true'),
  }),
];
