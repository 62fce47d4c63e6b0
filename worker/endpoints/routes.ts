/** Operations on endpoints. Spec: "Endpoint management". Contract §5, §6. */
import * as z from 'zod';
import { JsonValue } from '../../proto/kinds/members.ts';
import { onOrganization } from '../access/access.ts';
import { policyOn } from '../access/policy.ts';
import { PageQuery } from '../http/cursor.ts';
import { type AnyRoute, route, Tagged } from '../http/route.ts';
import { listNodes } from '../nodes/list.ts';
import { placeOnNode } from '../nodes/place.ts';
import { NodeList, NodePath, PlacementBody, PlacementRecord } from '../nodes/schema.ts';
import { onEndpoint, onEndpointList } from './access.ts';
import { createEndpoint } from './create.ts';
import { removeEndpoint } from './delete.ts';
import { recordOf, tagOf, updatedRecordOf } from './record.ts';
import { RunQuery, runOnEndpoint } from './run.ts';
import {
  CreateBody,
  Deleted,
  EndpointDetail,
  EndpointPage,
  EndpointPath,
  EndpointRecord,
  PatchBody,
  SessionPath,
  TestResult,
  UpdatedRecord,
} from './schema.ts';
import { ClosedSession, closeSession, OpenedSession, openSession } from './sessions.ts';
import { listEndpoints, showEndpoint } from './show.ts';
import { testConnection } from './test-connection.ts';
import { TransactionBody, transactOnEndpoint } from './transaction.ts';
import { changeEndpoint } from './update.ts';

export const endpointRoutes: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/endpoints',
    summary: 'Create an endpoint; its backend must answer',
    access: onOrganization('Admin'),
    changes: 'organization',
    body: CreateBody,
    reply: 'data',
    result: EndpointRecord,
    handle: async (ctx, { body }) => recordOf(await createEndpoint(ctx, await policyOn(ctx), body)),
  }),
  route({
    method: 'GET',
    path: '/endpoints',
    summary: 'List the endpoints that you may read',
    access: onEndpointList,
    changes: 'nothing',
    query: PageQuery,
    reply: 'data',
    result: EndpointPage,
    handle: (ctx, { resource, query }) => listEndpoints(ctx, resource, query),
  }),
  route({
    method: 'GET',
    path: '/endpoints/:endpoint',
    summary: 'Show an endpoint, without its secrets',
    access: onEndpoint('Read'),
    changes: 'nothing',
    params: EndpointPath,
    conditional: true,
    reply: 'data',
    result: EndpointDetail,
    handle: (ctx, { resource }) => showEndpoint(ctx, resource),
  }),
  route({
    method: 'PATCH',
    path: '/endpoints/:endpoint',
    summary: 'Change an endpoint by JSON Merge Patch; a new configuration must connect',
    access: onEndpoint('Admin'),
    changes: 'organization',
    params: EndpointPath,
    body: PatchBody,
    conditional: true,
    reply: 'data',
    result: UpdatedRecord,
    async handle(ctx, { resource, body, ifMatch }) {
      const row = await changeEndpoint(ctx, resource, body, ifMatch);
      return new Tagged(tagOf(row), updatedRecordOf(row));
    },
  }),
  route({
    method: 'DELETE',
    path: '/endpoints/:endpoint',
    summary: 'Delete an endpoint and its credentials; its backend is not touched',
    access: onEndpoint('Admin'),
    changes: 'organization',
    params: EndpointPath,
    conditional: true,
    reply: 'data',
    result: Deleted,
    async handle(ctx, { resource, ifMatch }) {
      await removeEndpoint(ctx, resource, ifMatch);
      return { message: `Endpoint ${resource.row.id} deleted` };
    },
  }),
  route({
    method: 'POST',
    path: '/endpoints/:endpoint/test',
    summary: "Try an endpoint's connection",
    access: onEndpoint('Read'),
    changes: 'nothing',
    params: EndpointPath,
    reply: 'data',
    result: TestResult,
    handle: (ctx, { resource }) => testConnection(ctx, resource),
  }),
  route({
    method: 'GET',
    path: '/endpoints/:endpoint/nodes',
    summary: 'List the nodes that can serve an endpoint',
    access: onEndpoint('Read'),
    changes: 'nothing',
    params: EndpointPath,
    reply: 'data',
    result: NodeList,
    handle: (ctx, { resource }) => listNodes(ctx, resource),
  }),
  route({
    method: 'PUT',
    path: '/endpoints/:endpoint/nodes/:gateway_node_uuid',
    summary: 'Say how a node serves an endpoint',
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
    method: 'POST',
    path: '/endpoints/:endpoint/read',
    summary: 'Run a request that changes nothing',
    access: onEndpoint('Read'),
    changes: 'nothing',
    params: EndpointPath,
    query: RunQuery,
    body: JsonValue,
    reply: 'data',
    result: JsonValue,
    handle: (ctx, { resource, body, query }) => runOnEndpoint(ctx, resource, 'read', body, query),
  }),
  route({
    method: 'POST',
    path: '/endpoints/:endpoint/write',
    summary: 'Run a request that may change the backend',
    access: onEndpoint('Write'),
    changes: 'backend',
    params: EndpointPath,
    query: RunQuery,
    body: JsonValue,
    reply: 'data',
    result: JsonValue,
    handle: (ctx, { resource, body, query }) => runOnEndpoint(ctx, resource, 'write', body, query),
  }),
  route({
    method: 'POST',
    path: '/endpoints/:endpoint/transaction',
    summary: 'Run several requests, all or nothing',
    access: onEndpoint('Write'),
    changes: 'backend',
    params: EndpointPath,
    query: RunQuery,
    body: TransactionBody,
    reply: 'data',
    result: z.array(JsonValue),
    handle: (ctx, { resource, body, query }) => transactOnEndpoint(ctx, resource, body, query),
  }),
  route({
    method: 'POST',
    path: '/endpoints/:endpoint/sessions',
    summary: 'Lease a connection of your own',
    access: onEndpoint('Write'),
    changes: 'backend',
    params: EndpointPath,
    reply: 'data',
    result: OpenedSession,
    handle: (ctx, { resource }) => openSession(ctx, resource),
  }),
  route({
    method: 'DELETE',
    path: '/endpoints/:endpoint/sessions/:session_id',
    summary: 'End a lease; what was not committed is rolled back',
    access: onEndpoint<SessionPath>('Write'),
    changes: 'backend',
    params: SessionPath,
    reply: 'data',
    result: ClosedSession,
    handle: (ctx, { resource, params }) => closeSession(ctx, resource, params.session_id),
  }),
];
