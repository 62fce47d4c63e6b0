/** The requests of a transaction that its client goes on with: each is read, and told, as it is alone. Spec: transactions.md §5. */
import { type Kind, kindSpec, notAnObject } from '../../../kinds/index.ts';
import type { Mode } from '../../../proto/driver.ts';
import { badRequest, type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { parseAsWritten, readAsWrittenInPieces } from '../../../proto/written-json.ts';
import { authorize } from '../../access/access.ts';
import type { Demand } from '../../access/demand.ts';
import type { Context } from '../../context.ts';
import { endpointNotFound, onEndpoint } from '../../endpoints/access.ts';
import { answersEvents, type OnEndpoint, type RequestOptions, writes } from '../request.ts';
import { isSubscription } from '../subscription.ts';
import {
  demanded,
  inTurnOfBody,
  isLarge,
  keepsText,
  type Operation,
  readOperation,
} from './plan.ts';
import { membersAsData } from './references.ts';
import { refuseTwice } from './twice.ts';

const decoder = new TextDecoder();

/**
 * The one operation of a request.
 * @param mode on `read` it must be one that changes nothing
 * @param demands gets what is demanded of the caller
 * @throws GatewayError what the same request may be refused with outside of a transaction
 */
export async function readSingle(
  ctx: Context,
  on: OnEndpoint,
  { mode, body, bytes }: Pick<RequestOptions, 'bytes'> & { mode: Mode | undefined; body: Json },
  demands: Demand[],
): Promise<Operation> {
  const now = await lookedUp(ctx, on);
  const { kind } = now.resource.row;
  const written = await asWritten(ctx, kind, body, bytes);
  // Its client has sent no operations that it could refer to. MongoDB's $literal is an operator of its own.
  const read = kind === 'mongo' ? written : await inTurnOfBody(ctx, membersAsData(written));
  const operation = await inTurnOfBody(ctx, readOperation(now, read, 0, isLarge(ctx)));
  const { request } = operation;
  if (mode === 'read' && operation.mode === 'write') {
    throw writes(kindSpec(kind).whyItWrites?.(request));
  }
  if (isSubscription(now.resource, request)) {
    throw mode === 'write' ? answersEvents() : takesNoEvents();
  }
  const allowed = demanded(now, operation, demands);
  if (bytes && keepsText(now.resource)) {
    await inTurnOfBody(ctx, refuseTwice(decoder.decode(bytes)));
  }
  return mode === 'read' ? { ...allowed, mode, isHeld: true, holding: undefined } : allowed;
}

/** The endpoint as it is now, by the name that its caller wrote. @throws GatewayError ENDPOINT_NOT_FOUND, FORBIDDEN */
async function lookedUp(ctx: Context, { resource, params }: OnEndpoint): Promise<OnEndpoint> {
  const { uuid, id } = resource.row;
  const { level, errors, find } = onEndpoint('Read');
  const byUuid = { level, errors, find: (asked: Context) => find(asked, { endpoint: uuid }) };
  try {
    return { ...(await authorize(ctx, byUuid, params)), params };
  } catch (thrown) {
    const isGone = thrown instanceof GatewayError && thrown.code === 'ENDPOINT_NOT_FOUND';
    throw isGone ? endpointNotFound(nameIn(params) ?? id) : thrown;
  }
}

function nameIn(params: unknown): string | undefined {
  const isNamed = typeof params === 'object' && params !== null && 'endpoint' in params;
  return isNamed && typeof params.endpoint === 'string' ? params.endpoint : undefined;
}

/** The body as its client wrote it. @throws GatewayError BAD_REQUEST */
async function asWritten(
  ctx: Context,
  kind: Kind,
  body: Json,
  bytes: Uint8Array | undefined,
): Promise<JsonObject> {
  let written = body;
  if (bytes && isLarge(ctx)) {
    written = await inTurnOfBody(ctx, readAsWrittenInPieces(decoder.decode(bytes)));
  } else if (bytes) written = parseAsWritten(decoder.decode(bytes));
  if (isJsonObject(written)) return written;
  throw notAnObject(kindSpec(kind));
}

function takesNoEvents(): GatewayError {
  const problem = 'answers events, and takes no part in a transaction';
  return badRequest('type', problem, `This request ${problem}`);
}

/** A failure without the number of the operation: there is one, and its client gave it none. */
export function toldAlone(failure: GatewayError): GatewayError {
  const { code, message, details, retryAfter, headers } = failure;
  if (!details.some((each) => 'operation' in each)) return failure;
  const own = details.flatMap((each) => {
    const { operation: _, ...others } = each as ErrorDetails & { readonly operation?: unknown };
    return Object.keys(others).length === 0 ? [] : [others as ErrorDetails]; // What it was, but the number.
  });
  const options = { details: own, headers, cause: failure };
  return new GatewayError(code, message, {
    ...options,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}
