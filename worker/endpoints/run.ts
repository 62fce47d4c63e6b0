/** Runs one request against an endpoint's backend. Contract §6. */

import * as z from 'zod';
import { type Kind, kindSpec, parseRequest } from '../../kinds/index.ts';
import type { KindSpec, RequestBase } from '../../kinds/kind.ts';
import { TIMEOUT_DEFAULT_MS } from '../../kinds/members.ts';
import { withPassed } from '../../kinds/passed.ts';
import type { Mode } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { statementMs } from '../../proto/work/statement.ts';
import { isWrittenOtherwise, parseWritten } from '../../proto/written-json.ts';
import { type Authorized, demand } from '../access/access.ts';
import type { Context } from '../context.ts';
import { asksFor } from '../http/accept.ts';
import type { Reply } from '../http/route.ts';
import { costly, isLight, wentOn } from '../limits/heavy-work.ts';
import type { Endpoint } from './access.ts';
import type { Backend } from './backend/backend.ts';
import { backendOf } from './backend/reach.ts';
import { resultOf } from './result.ts';
import { isInSession, sessionOf } from './sessions.ts';
import { NDJSON, streamOf } from './stream.ts';
import { acceptsEvents, isSubscription, subscribeOn } from './subscribe.ts';

const decoder = new TextDecoder();

/** Query string of requests to endpoints. */
export const RunQuery = z.strictObject({
  numbers: z
    .literal('string')
    .optional()
    .meta({
      description:
        'Every 64-bit column as a string, whatever its value; left out, only integers beyond ±2^53 are',
      examples: ['string'],
    }),
  ejson: z
    .literal('canonical')
    .optional()
    .meta({
      description:
        'A MongoDB endpoint answers in canonical Extended JSON; left out, as its configuration says, which is relaxed by default',
      examples: ['canonical'],
    }),
});
export type RunQuery = z.infer<typeof RunQuery>;

/** What a request on an endpoint brings. */
export interface RequestInput<Body> extends Authorized<Endpoint> {
  readonly params: unknown;
  readonly query: RunQuery;
  readonly body: Body;
  readonly bytes: Uint8Array | undefined;
}

/**
 * What the backend answers: JSON, rows as they arrive when the client accepts NDJSON, or events. On
 * `/write` a request that reads is taken too; on `/read` one that writes is not.
 * @throws GatewayError BAD_REQUEST, FORBIDDEN, NOT_SUPPORTED, SESSION_NOT_FOUND, and what the call may end in
 */
export async function runOnEndpoint(
  ctx: Context,
  input: RequestInput<Json>,
  mode: Mode,
): Promise<Reply> {
  const { resource: endpoint, body, query } = input;
  const spec = kindSpec(endpoint.row.kind);
  const exact = exactly(endpoint.row.kind, body, input.bytes);
  const read = () => parseRequest(endpoint.row.kind, exact.body);
  const { request, mode: needed } = await (isLight(input.bytes) ? read() : costly(ctx, read));
  const level = spec.needs?.(request);
  if (level !== undefined) demand(ctx, input, level);
  if (mode === 'read' && needed === 'write') throw writes(spec, request);
  const asked = {
    request,
    written: exact.written ?? writtenOf(input),
    numbersAsStrings: query.numbers === 'string',
    canonical: query.ejson === 'canonical',
  };
  if (isSubscription(endpoint, request) && !isOfSession(ctx.request, spec, request.type)) {
    if (mode === 'read') return subscribeOn(ctx, endpoint, asked, level ?? 'Read');
    throw new GatewayError('BAD_REQUEST', 'This request answers events: send it to /read', {
      details: [{ path: 'type', message: 'answers events' }],
    });
  }
  const backend = await backendOf(ctx, endpoint, mode, await sessionOf(ctx, endpoint));
  payForStatement(ctx, backend, request);
  const timeoutMs = request.timeout_ms ?? TIMEOUT_DEFAULT_MS;
  if (acceptsLines(ctx.request)) {
    return streamOf(ctx, backend, timeoutMs, (deadline) => backend.stream(asked, deadline));
  }
  return resultOf(ctx, backend, timeoutMs, (deadline) => backend.run(asked, deadline));
}

/** The body with what it only passes on as it was written, and its bytes where that is more than the body tells. */
export function exactly(kind: Kind, body: Json, bytes: Uint8Array | undefined) {
  // What is large a relay reads by itself, as its client wrote it.
  if (bytes === undefined || kindSpec(kind).passes === undefined || !isLight(bytes))
    return { body };
  const text = decoder.decode(bytes);
  if (!isWrittenOtherwise(text)) return { body };
  return { body: withPassed(kind, body, parseWritten(text)), written: bytes };
}

/**
 * As its client wrote it, where that means something or there is much of it: a relay reads it as the
 * edge does, and to write it once more would take as long as to read it.
 */
function writtenOf({ resource, bytes }: RequestInput<Json>): Uint8Array | undefined {
  return kindSpec(resource.row.kind).keepsText || !isLight(bytes) ? bytes : undefined;
}

/** A relay parses the statement by itself, the edge on this thread: it is paid for before it is known. */
function payForStatement(ctx: Context, { keepsTime }: Backend, request: RequestBase): void {
  if (keepsTime) wentOn(ctx, statementMs(request));
}

const WRITES = 'This request writes: send it to /write';

function writes({ whyItWrites }: KindSpec, request: RequestBase): GatewayError {
  const why = whyItWrites?.(request);
  const told = why ? `${why.path} ${why.message}: send it to /write` : WRITES;
  return new GatewayError('BAD_REQUEST', told, {
    details: [why ?? { path: 'type', message: 'writes' }],
  });
}

/** Whether what a request subscribes to comes with the results of its session. */
function isOfSession(request: Request, { watchesInSessions }: KindSpec, type: string): boolean {
  return (
    (watchesInSessions?.includes(type) ?? false) && isInSession(request) && !acceptsEvents(request)
  );
}

/** Whether the client asks for rows as they arrive. */
export function acceptsLines(request: Request): boolean {
  return asksFor(request, NDJSON);
}
