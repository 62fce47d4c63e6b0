/** Operations on endpoints. Spec: "Endpoint management". Contract §5, §6. */
import { onListOf, onOrganization } from '../access/access.ts';
import { policyOn } from '../access/policy.ts';
import {
  ClosedSession,
  closeLease,
  OpenedSession,
  openLease,
  refuseSession,
} from '../calls/lease.ts';
import { TransactionBody } from '../calls/read-transaction.ts';
import { transactionOn } from '../calls/transaction.ts';
import { requested, WITHIN_A_TRANSACTION } from '../calls/transactions/interactive.ts';
import { OF_A_READ, OF_A_WRITE, ON_THE_WAY } from '../drivers/errors.ts';
import { placementRoutes } from '../nodes/routes.ts';
import { Tagged } from '../outcome.ts';
import { type AnyRoute, route } from '../route.ts';
import { PageQuery } from '../shapes/cursor.ts';
import { type Endpoint, onEndpoint } from './access.ts';
import { createEndpoint } from './create.ts';
import { deleteEndpoint } from './delete.ts';
import { Deleted, DeleteQuery } from './delete-shapes.ts';
import { getEndpoint, listEndpoints } from './get.ts';
import { inspectEndpoint } from './inspect.ts';
import { SchemaPage } from './inspect-shapes.ts';
import {
  optionsOf,
  REPEATED_READ,
  REPEATED_TRANSACTION,
  REPEATED_WRITE,
  RunQuery,
} from './options.ts';
import { recordOf, tagOf, updatedRecordOf } from './record.ts';
import {
  CreateBody,
  CreatedRecord,
  EndpointDetail,
  EndpointPage,
  EndpointPath,
  PatchBody,
  SessionPath,
  TestResult,
  UpdatedRecord,
} from './schema.ts';
import {
  EVENTS,
  LINES,
  Outcomes,
  ReadHeaders,
  RequestBody,
  RequestResult,
  SessionHeader,
} from './shapes.ts';
import { testConnection } from './test-connection.ts';
import { updateEndpoint } from './update.ts';

/** Large bodies for a relay need no value here: it reads them by itself. */
function readFor(name: 'request' | 'transaction') {
  return ({ row: { kind, transports } }: Endpoint) =>
    transports === null ? { name, kind } : undefined;
}

export const endpointRoutes: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/endpoints',
    summary: 'Create an endpoint; its backend must answer',
    description:
      'Every connection of `config` is tried first; if one cannot be made, nothing is stored. Secrets are sealed and never come back.',
    tag: 'Endpoints',
    errors: ['ENDPOINT_EXISTS', 'QUOTA_EXCEEDED', 'NOT_SUPPORTED', ...ON_THE_WAY],
    access: onOrganization('Admin'),
    changes: 'organization',
    body: CreateBody,
    reply: 'data',
    result: CreatedRecord,
    names: { endpoint: '/id' },
    async handle(ctx, { body }) {
      const { row, warnings } = await createEndpoint(ctx, await policyOn(ctx), body);
      return recordOf(row, warnings);
    },
  }),
  route({
    method: 'GET',
    path: '/endpoints',
    summary: 'List the endpoints that you may read',
    description:
      'By id. A caller without Read on the organization gets those that a rule on the endpoint lets them read.',
    tag: 'Endpoints',
    errors: [],
    access: onListOf('endpoint'),
    changes: 'nothing',
    query: PageQuery,
    reply: 'data',
    result: EndpointPage,
    names: { endpoint: '/endpoints/0/id', cursor: '/next_cursor' },
    handle: (ctx, { resource, query }) => listEndpoints(ctx, resource, query),
  }),
  route({
    method: 'GET',
    path: '/endpoints/:endpoint',
    summary: 'Show an endpoint, without its secrets',
    description:
      'With its configuration, where secrets and the user information of URLs are redacted, and what was last seen of its backend.',
    tag: 'Endpoints',
    errors: [],
    access: onEndpoint('Read'),
    changes: 'nothing',
    params: EndpointPath,
    conditional: true,
    reply: 'data',
    result: EndpointDetail,
    handle: (ctx, { resource }) => getEndpoint(ctx, resource),
  }),
  route({
    method: 'PATCH',
    path: '/endpoints/:endpoint',
    summary: 'Change an endpoint by JSON Merge Patch; a new configuration must connect',
    description:
      'A connection that is given replaces the whole one; with another host, stored credentials are dropped unless they are given again. If the new configuration cannot connect, the old one goes on serving.',
    tag: 'Endpoints',
    errors: ['EDIT_CONFLICT', 'QUOTA_EXCEEDED', ...ON_THE_WAY],
    access: onEndpoint('Admin'),
    changes: 'organization',
    params: EndpointPath,
    body: PatchBody,
    conditional: true,
    reply: 'data',
    result: UpdatedRecord,
    async handle(ctx, { resource, body, ifMatch }) {
      const changed = await updateEndpoint(ctx, resource, body, ifMatch);
      return new Tagged(tagOf(changed.row), updatedRecordOf(changed));
    },
  }),
  route({
    method: 'DELETE',
    path: '/endpoints/:endpoint',
    summary: 'Delete an endpoint and its credentials; its backend is not touched',
    description:
      'Rules and placements of the endpoint go with it, and its connections are closed. What workflows use needs `?confirm=true`; those fail from then on.',
    tag: 'Endpoints',
    errors: ['ENDPOINT_IN_USE'],
    access: onEndpoint('Admin'),
    changes: 'organization',
    params: EndpointPath,
    query: DeleteQuery,
    conditional: true,
    reply: 'data',
    result: Deleted,
    async handle(ctx, { resource, query, ifMatch }) {
      const confirmed = query.confirm === 'true';
      const workflows = await deleteEndpoint(ctx, resource, { ifMatch, confirmed });
      const message = `Endpoint ${resource.row.id} deleted`;
      return workflows.length === 0
        ? { message }
        : { message, affectedResources: { workflows: [...workflows] } };
    },
  }),
  route({
    method: 'POST',
    path: '/endpoints/:endpoint/test',
    summary: "Try an endpoint's connection",
    description:
      'Measures one round trip. That the backend cannot be reached is a result here, `connected: false`; an error means that it was not tried.',
    tag: 'Endpoints',
    errors: ON_THE_WAY,
    access: onEndpoint('Read'),
    changes: 'nothing',
    params: EndpointPath,
    idempotency: { reads: true },
    reply: 'data',
    result: TestResult,
    handle: (ctx, { resource }) => testConnection(ctx, resource),
  }),
  route({
    method: 'GET',
    path: '/endpoints/:endpoint/schema',
    summary: "Tell what an endpoint's backend holds",
    description:
      'Tables, views and collections with columns, primary keys and indexes, as far as the credential for reads may see them; at most a minute old. `limit` counts tables.',
    tag: 'Endpoints',
    errors: OF_A_READ,
    access: onEndpoint('Read'),
    changes: 'nothing',
    params: EndpointPath,
    query: PageQuery,
    reply: 'data',
    result: SchemaPage,
    names: { cursor: '/next_cursor' },
    handle: (ctx, { resource, query }) => inspectEndpoint(ctx, resource, query),
  }),
  ...placementRoutes,
  route({
    method: 'POST',
    path: '/endpoints/:endpoint/read',
    summary: 'Run a request that changes nothing',
    description:
      'What is taken can change nothing, whatever the credential of the endpoint may do: statements are parsed, run read-only, and may call only functions that are known to change nothing. With `Accept: application/x-ndjson` rows come as they arrive, one JSON a line; a failure after the first is the last line, `{"$error": …}`; `;header=columns` asks for a first line `{"columns": […]}`. `Accept: text/csv` answers the rows of SQL kinds as CSV. With `X-Session-Id` the request runs in that session. Subscriptions answer server-sent events, with `Accept: text/event-stream` alone: `data` is JSON, a comment comes every 5 s, and a failure is the last event, `error`.',
    tag: 'Requests',
    errors: ['SESSION_NOT_FOUND', 'TRANSACTION_OPEN', ...WITHIN_A_TRANSACTION, ...OF_A_READ],
    headers: ReadHeaders,
    streams: { ...LINES, ...EVENTS },
    access: onEndpoint('Read'),
    changes: 'nothing',
    params: EndpointPath,
    query: RunQuery,
    body: RequestBody,
    elsewhere: readFor('request'),
    idempotency: REPEATED_READ,
    reply: 'data',
    result: RequestResult,
    joins: true,
    handle: (ctx, input) => requested(ctx, input, 'read', input.body, optionsOf(input)),
  }),
  route({
    method: 'POST',
    path: '/endpoints/:endpoint/write',
    summary: 'Run a request that may change the backend',
    description:
      'Requests that read are taken too. `OUTCOME_UNKNOWN` means that the connection was lost, or the deadline passed, after the request was sent: look whether it took effect, or send it with an `Idempotency-Key`. With `Accept: application/x-ndjson` or `text/csv` rows come as they arrive, as for `/read`.',
    tag: 'Requests',
    errors: ['SESSION_NOT_FOUND', ...WITHIN_A_TRANSACTION, ...OF_A_WRITE],
    headers: SessionHeader,
    streams: LINES,
    access: onEndpoint('Write'),
    changes: 'backend',
    params: EndpointPath,
    query: RunQuery,
    body: RequestBody,
    elsewhere: readFor('request'),
    idempotency: REPEATED_WRITE,
    reply: 'data',
    result: RequestResult,
    joins: true,
    handle: (ctx, input) => requested(ctx, input, 'write', input.body, optionsOf(input)),
  }),
  route({
    method: 'POST',
    path: '/endpoints/:endpoint/transaction',
    summary: 'Run several requests, all or nothing',
    description:
      'One result for each operation, or an error that names the operation from 0, and nothing has changed. A value of a later operation may be an earlier result: `{"$result": "[0].rows[0].id"}`.',
    tag: 'Requests',
    errors: OF_A_WRITE,
    access: onEndpoint('Write'),
    changes: 'backend',
    params: EndpointPath,
    query: RunQuery,
    body: TransactionBody,
    elsewhere: readFor('transaction'),
    idempotency: REPEATED_TRANSACTION,
    reply: 'data',
    result: Outcomes,
    async handle(ctx, input) {
      const options = optionsOf(input);
      refuseSession(options.session, 'transactions');
      return transactionOn(ctx, input, input.body, options);
    },
  }),
  route({
    method: 'POST',
    path: '/endpoints/:endpoint/sessions',
    summary: 'Lease a connection of your own',
    description:
      'Name it as `X-Session-Id` on `/read` and `/write`; the connection keeps its state between them. It ends after 30 seconds without a request, and after 5 minutes in any case.',
    tag: 'Requests',
    errors: ['SESSIONS_EXHAUSTED', 'NOT_SUPPORTED', ...ON_THE_WAY],
    access: onEndpoint('Write'),
    changes: 'backend',
    params: EndpointPath,
    idempotency: 'ignored',
    reply: 'data',
    result: OpenedSession,
    names: { session_id: '/session_id', 'X-Session-Id': '/session_id' },
    handle: (ctx, { resource }) => openLease(ctx, resource),
  }),
  route({
    method: 'DELETE',
    path: '/endpoints/:endpoint/sessions/:session_id',
    summary: 'End a lease; what was not committed is rolled back',
    description: 'Only who opened it can end it.',
    tag: 'Requests',
    errors: ['SESSION_NOT_FOUND', ...ON_THE_WAY],
    access: onEndpoint<SessionPath>('Write'),
    changes: 'backend',
    params: SessionPath,
    reply: 'data',
    result: ClosedSession,
    handle: (ctx, { resource, params }) => closeLease(ctx, resource, params.session_id),
  }),
];
