/** Reads the operations of a transaction over many endpoints, and demands the rights that each needs. Spec: transactions.md §1. */
import { type Kind, kindSpec } from '../../../kinds/index.ts';
import type { RequestBase } from '../../../kinds/kind.ts';
import { atOperation } from '../../../kinds/transaction.ts';
import type { Mode } from '../../../proto/driver.ts';
import { badRequest, type ErrorCode, GatewayError } from '../../../proto/errors.ts';
import type { JsonObject } from '../../../proto/json.ts';
import { thereTwice } from '../../../proto/parse-ordered.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { authorize, demand, type HeldLevel } from '../../access/access.ts';
import type { Demand } from '../../access/demand.ts';
import type { Context } from '../../context.ts';
import { type Endpoint, onEndpoint } from '../../endpoints/access.ts';
import { reaches } from '../../levels.ts';
import { goingOn } from '../../limits/heavy-work.ts';
import type { OnEndpoint } from '../request.ts';
import { isSubscription } from '../subscription.ts';
import { ENDPOINTS_MAX, type TransactionsBody } from './body.ts';
import { certainlyReads } from './certain-reads.ts';
import { mapReferences, placesIn } from './references.ts';
import { type Sent, sentInPieces, sentOf } from './sent.ts';
import { twiceInOperations } from './twice.ts';

const decoder = new TextDecoder();

/** What is refused because of the endpoint that an operation names, and not of the caller alone. */
const OF_ENDPOINT = new Set<ErrorCode>(['ENDPOINT_NOT_FOUND', 'FORBIDDEN']);

/** One operation, read. */
export interface Operation {
  /** From 0. */
  readonly place: number;
  readonly endpoint: Endpoint;
  /** `statement` where only the backend can tell whether it writes. */
  readonly mode: Mode | 'statement';
  /** The caller may do no more than read: the backend looks at it. */
  readonly isHeld: boolean;
  /** Why its caller may not: what they hold there; undefined where the request itself is for reading. */
  readonly holding?: HeldLevel | undefined;
  readonly request: RequestBase;
  /** As its caller wrote it, without the endpoint. */
  readonly body: JsonObject;
  /** Places of the operations whose results it uses. */
  readonly uses: ReadonlySet<number>;
  /** What its backend is sent; undefined where results have to be put in before. */
  readonly sent: Sent | undefined;
}

/**
 * The operations, in their order.
 * @param bytes the body as it was sent; left out where it was no text
 * @param demands gets what is demanded of the caller
 * @throws GatewayError ENDPOINT_NOT_FOUND, BAD_REQUEST and NOT_SUPPORTED naming the operation, FORBIDDEN
 */
export async function readOperations(
  ctx: Context,
  { operations, bytes }: Pick<TransactionsBody, 'operations'> & { bytes?: Uint8Array | undefined },
  demands: Demand[],
): Promise<Operation[]> {
  const found = await endpointsOf(ctx, operations);
  const read = await inTurnOfBody(ctx, readAll(found, operations, isLarge(ctx)));
  const allowed = read.map(({ on, operation }) =>
    atOperation(operation.place, () => demanded(on, operation, demands)),
  );
  if (bytes) await demandOnce(ctx, allowed, bytes);
  return allowed;
}

/** Refuses a member that is there twice, of those whose backends are sent their text. @throws GatewayError BAD_REQUEST naming the operation */
async function demandOnce(
  ctx: Context,
  operations: readonly Operation[],
  bytes: Uint8Array,
): Promise<void> {
  const keeping = operations.filter(({ endpoint }) => keepsText(endpoint));
  if (keeping.length === 0) return;
  const twice = await inTurnOfBody(ctx, twiceInOperations(decoder.decode(bytes)));
  for (const { place } of keeping) {
    const name = twice.get(place);
    if (name !== undefined) throw named(thereTwice(name), place);
  }
}

/** Whether all of a request's text reaches the backend. */
export function keepsText({ row }: Endpoint): boolean {
  return kindSpec(row.kind).keepsText === true;
}

/**
 * Demands the rights that an operation needs.
 * @returns it, held to reading where its caller may do no more
 * @throws GatewayError FORBIDDEN
 */
export function demanded(on: OnEndpoint, operation: Operation, demands: Demand[]): Operation {
  const admin = kindSpec(on.resource.row.kind).needs?.(operation.request);
  demands.push(demand(on, operation.mode === 'write' ? 'Write' : 'Read'));
  if (admin) demands.push(demand(on, admin));
  // Who may only read gets only what certainly reads: the backend looks.
  const isHeld = operation.mode === 'statement' && !reaches(on.held, 'Write');
  if (operation.mode === 'statement' && !isHeld) demands.push(demand(on, 'Write'));
  return isHeld ? { ...operation, mode: 'read', isHeld, holding: on } : operation;
}

async function endpointsOf(
  ctx: Context,
  operations: TransactionsBody['operations'],
): Promise<ReadonlyMap<string, OnEndpoint>> {
  const written = operations.map(({ endpoint }) => endpoint);
  const names = [...new Set(written)];
  if (names.length > ENDPOINTS_MAX) {
    throw badRequest(
      'operations',
      `name ${names.length} endpoints; at most ${ENDPOINTS_MAX} take part`,
    );
  }
  const found = await Promise.allSettled(
    names.map(async (endpoint) => {
      const params = { endpoint };
      return { ...(await authorize(ctx, onEndpoint('Read'), params)), params };
    }),
  );
  return new Map(
    found.map((each, at) => {
      // The first in their order, whichever was told first.
      const name = names[at] ?? '';
      if (each.status === 'rejected') throw notUsable(each.reason, written.indexOf(name));
      return [name, each.value] as const;
    }),
  );
}

/** Why an endpoint cannot be used, with the first operation that names it. */
function notUsable(thrown: unknown, place: number): unknown {
  const isOfIt = thrown instanceof GatewayError && OF_ENDPOINT.has(thrown.code);
  if (!isOfIt) return thrown;
  const { code, message, details } = thrown;
  const path = `operations.${place}.endpoint`;
  const told = details.length > 0 ? details : [{ path, message: 'does not exist' }];
  return new GatewayError(code, message, {
    details: told.map((each) => ({ ...each, operation: place })),
    cause: thrown,
  });
}

interface ReadOn {
  readonly on: OnEndpoint;
  readonly operation: Operation;
}

function* readAll(
  found: ReadonlyMap<string, OnEndpoint>,
  operations: TransactionsBody['operations'],
  isLarge: boolean,
): Pieces<ReadOn[]> {
  const read: ReadOn[] = [];
  for (const [place, { endpoint: name, ...body }] of operations.entries()) {
    const on = found.get(name);
    if (!on) throw new GatewayError('INTERNAL', 'An endpoint was not looked up');
    read.push({ on, operation: yield* readAt(on, body as JsonObject, place, isLarge) }); // It came as JSON.
    yield;
  }
  return read;
}

function* readAt(
  on: OnEndpoint,
  body: JsonObject,
  place: number,
  isLarge: boolean,
): Pieces<Operation> {
  try {
    const operation = yield* readOperation(on, body, place, isLarge);
    if (isSubscription(on.resource, operation.request)) {
      throw badRequest('type', 'answers events: send it to /read');
    }
    return operation;
  } catch (thrown) {
    throw named(thrown, place);
  }
}

/** Whether what a request brought is worked on in pieces. */
export function isLarge({ place }: Pick<Context, 'place'>): boolean {
  return place !== undefined;
}

/** Does work on what a request brought: of a large one in its owner's turn, of another at once. @throws what the work throws */
export async function inTurnOfBody<Result>(ctx: Context, pieces: Pieces<Result>): Promise<Result> {
  return isLarge(ctx) ? goingOn(ctx, pieces) : whole(pieces);
}

/**
 * An operation, by what was written of it.
 * @throws GatewayError BAD_REQUEST, NOT_SUPPORTED, as a request alone
 */
export function* readOperation(
  { resource }: Pick<OnEndpoint, 'resource'>,
  body: JsonObject,
  place: number,
  isLarge: boolean,
): Pieces<Operation> {
  const { kind } = resource.row;
  const uses = yield* placesIn(body, place);
  const hasSamples = uses.size > 0 && !takesReferences(kind);
  let sent: Sent | undefined;
  if (!hasSamples) sent = isLarge ? yield* sentInPieces(kind, body) : sentOf(kind, body);
  const { request, mode } = sent ?? sampleOf(kind, body);
  const told = { mode: modeOf(kind, request, mode), isHeld: false };
  return { place, endpoint: resource, ...told, request, body, uses, sent };
}

/** The request with sample values in place of references, which the kind does not take. */
function sampleOf(kind: Kind, body: JsonObject): Sent {
  for (const sample of ['0', 0, {}] as const) {
    try {
      return sentOf(kind, mapReferences(body, () => sample) as JsonObject);
    } catch (thrown) {
      if (sample === '0' || sample === 0) continue;
      throw thrown;
    }
  }
  throw new GatewayError('INTERNAL', 'A request was not read');
}

/** Whether the backend's driver puts in what references point to. */
export function takesReferences(kind: Kind): boolean {
  return kind === 'postgres' || kind === 'mysql' || kind === 'mongo';
}

function modeOf(kind: Kind, request: RequestBase, mode: Mode): Operation['mode'] {
  if (mode === 'write' || (kind !== 'postgres' && kind !== 'mysql')) return mode;
  if (request.type.endsWith('_read_only') || request.type === 'copy_out') return 'read';
  const query = 'query' in request ? request.query : undefined;
  return typeof query === 'string' && certainlyReads(query) ? 'read' : 'statement';
}

/** A failure that names its operation. */
function named(thrown: unknown, place: number): unknown {
  if (!(thrown instanceof GatewayError)) return thrown;
  const told = thrown.details.map((each) =>
    'path' in each ? { ...each, path: `operations.${place}.${each.path}` } : each,
  );
  const details =
    told.length > 0 ? told.map((each) => ({ ...each, operation: place })) : [{ operation: place }];
  return new GatewayError(thrown.code, `operations.${place}: ${thrown.message}`, {
    details,
    cause: thrown,
  });
}
