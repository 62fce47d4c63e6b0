/** Requests that the gateway makes by itself, such as those of a template, with the caller's rights. */

import { type Kind, kindSpec, parseRequest } from '../../kinds/index.ts';
import { TIMEOUT_DEFAULT_MS } from '../../kinds/members.ts';
import type { Mode } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import { type Json, type JsonObject, parseJson } from '../../proto/json.ts';
import { orderedText, unordered } from '../../proto/ordered-json.ts';
import { demand } from '../access/access.ts';
import { effectiveLevel } from '../access/levels.ts';
import type { Context } from '../context.ts';
import type { JsonBytes } from '../http/route.ts';
import type { Endpoint } from './access.ts';
import { backendOf } from './backend/reach.ts';
import { resultOf } from './result.ts';
import { isSubscription } from './subscribe.ts';
import { TransactionBody, transactOnEndpoint } from './transaction.ts';

/** Where a request would be sent to, were it a client's. */
export type Operation = Mode | 'transaction';

const encoder = new TextEncoder();

/**
 * What the backend answers, as `data` would have it.
 * @throws GatewayError BAD_REQUEST, FORBIDDEN, NOT_SUPPORTED, and what the call may end in
 */
export async function performOn(
  ctx: Context,
  endpoint: Endpoint,
  operation: Operation,
  request: JsonObject,
): Promise<Json> {
  if (operation === 'transaction') return together(ctx, endpoint, request);
  const { kind } = endpoint.row;
  const { needs } = kindSpec(kind);
  const { plain, written } = apart(kind, request);
  const { request: parsed, mode: needed } = parseRequest(kind, plain);
  const level = needs?.(parsed);
  if (level !== undefined) demand(ctx, standing(endpoint), level);
  if (operation === 'read' && needed === 'write') {
    throw new GatewayError('BAD_REQUEST', 'This request writes, and is declared to read');
  }
  if (isSubscription(endpoint, parsed)) {
    throw new GatewayError('NOT_SUPPORTED', 'This request answers events: send it to /read');
  }
  const asked = {
    request: parsed,
    written,
    numbersAsStrings: false,
    canonical: false,
  };
  const backend = await backendOf(ctx, endpoint, operation);
  const result = await resultOf(ctx, backend, parsed.timeout_ms ?? TIMEOUT_DEFAULT_MS, (deadline) =>
    backend.run(asked, deadline),
  );
  return read(result);
}

/** A request as it is looked at, and its text for kinds that read that: it may tell more. */
function apart(kind: Kind, request: JsonObject) {
  if (kindSpec(kind).keepsText !== true) return { plain: request, written: undefined };
  return { plain: unordered(request), written: encoder.encode(orderedText(request)) };
}

async function together(ctx: Context, endpoint: Endpoint, request: JsonObject): Promise<Json> {
  const { plain, written: bytes } = apart(endpoint.row.kind, request);
  const body = TransactionBody.parse(plain);
  const query = {};
  const { held, policy } = standing(endpoint);
  const input = {
    resource: endpoint,
    held,
    policy,
    body,
    query,
    bytes,
    params: paramsOf(endpoint),
  };
  return read(await transactOnEndpoint(ctx, input));
}

async function read({ bytes }: JsonBytes): Promise<Json> {
  return parseJson(await new Response(bytes).text());
}

function standing(endpoint: Endpoint) {
  const { policy } = endpoint;
  return { held: effectiveLevel(policy), policy, params: paramsOf(endpoint) };
}

function paramsOf({ row }: Endpoint) {
  return { endpoint: row.id };
}
