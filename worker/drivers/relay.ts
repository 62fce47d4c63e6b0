/**
 * How a call finds a relay: it is admitted by a token, brings the sealed connection when the
 * relay asks, and moves on to the next node only while it provably has not reached the backend.
 */
import { type CallOptions, Code, ConnectError } from '@connectrpc/connect';
import type { ConnectionEnvelope } from '../../proto/driver.ts';
import { type ErrorCode, GatewayError } from '../../proto/errors.ts';
import { ENDPOINT_HEADER, PART_HEADER } from '../../proto/parts.ts';
import type { PublicContext } from '../context.ts';
import type { Timing } from '../outcome.ts';
import { beginSpan } from '../tracing.ts';
import { callToken, deleteCallToken, previousCallToken } from './call-token.ts';
import { sealConnection } from './connection.ts';
import type { Deadline } from './deadline.ts';
import {
  asksForConnection,
  failureOf,
  isAnswer,
  isServedElsewhere,
  nodeUnavailable,
} from './failure.ts';
import { failureBy } from './foreign-failures.ts';
import type { Node } from './node.ts';
import { noteMoved, type RelayRoute, routeTo, routeToPort } from './relay-routes.ts';
import { noteBackend } from './told-details.ts';
import { type Watch, watched } from './watch.ts';

/** Milliseconds for which a node that answered is taken to be there still. */
const HEARD_FOR_MS = 10_000;
/** After these the backend was not reached from this node, and may be from another. */
const MOVES_ON: readonly ErrorCode[] = [
  'NODE_UNAVAILABLE',
  'POOL_EXHAUSTED',
  'CONNECTION_FAILED',
  'ADDRESS_REFUSED',
];
/** After these a call that changes nothing moves on, too: the node ended it, or its result was lost. Spec: nodes.md §3 */
const READS_MOVE_ON: readonly ErrorCode[] = [...MOVES_ON, 'SERVICE_UNAVAILABLE'];

/** What a call needs to find its way. */
export interface RoutePlan {
  /** In the order in which they are tried. */
  readonly nodes: readonly Node[];
  /** Whose call it is; left out where it is about no endpoint. */
  readonly subject?: Subject;
  /** Whether it may change the backend: then it is sent again only if it provably did not run. */
  readonly writes: boolean;
  readonly deadline: Deadline;
  /** What is measured is written here, also of a call that fails. */
  readonly timing: Timing;
  /** Of an endpoint that is placed: what is told of its nodes. */
  readonly watch?: Watch;
  /** Opens the connection: asked only when a node does not know the pool. */
  connection(): Promise<ConnectionEnvelope>;
}

/** A plan on its way to one node. */
interface NodePlan extends RoutePlan {
  /** That put the node's part into the caller's trace. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What decides which part of a node serves a call. */
interface Subject {
  /** UUID. */
  readonly organization: string;
  /** UUID. */
  readonly endpoint: string;
  /** The endpoint's id, where it is known. */
  readonly name?: string;
}

/** How a message to a relay is sent: a call's deadline, token and request id. */
export interface RelayCallOptions extends CallOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** One try on one node. */
export interface Attempt extends Pick<RelayRoute, 'relay' | 'keptBytes'> {
  readonly node: Node;
  /** For `Target.sealed_connection`; empty unless the node asked for it. */
  readonly sealedConnection: string;
  readonly options: RelayCallOptions;
}

/**
 * What `call` answers on the first node that takes it.
 * @throws GatewayError NODE_UNAVAILABLE, OUTCOME_UNKNOWN, TIMED_OUT, and what relays raise
 */
export async function callRelay<Result>(
  ctx: PublicContext,
  plan: RoutePlan,
  call: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const started = ctx.now();
  let last: GatewayError | undefined;
  try {
    for (const node of plan.nodes) {
      const span = beginSpan(ctx.trace, 'relay');
      try {
        const result = await callNode(ctx, { ...plan, headers: span?.headers }, node, call);
        span?.end({ 'causeway.node': node.uuid });
        return result;
      } catch (thrown) {
        span?.end({ 'causeway.node': node.uuid, 'error.type': failureCode(thrown) }, true);
        const moves = plan.writes ? MOVES_ON : READS_MOVE_ON;
        if (!(thrown instanceof GatewayError) || !moves.includes(thrown.code)) throw thrown;
        last = thrown;
      }
    }
    throw last ?? nodeUnavailable();
  } finally {
    plan.timing.node = (plan.timing.node ?? 0) + ctx.now() - started;
  }
}

function failureCode(thrown: unknown): string {
  return thrown instanceof GatewayError ? thrown.code : 'INTERNAL';
}

async function callNode<Result>(
  ctx: PublicContext,
  plan: NodePlan,
  node: Node,
  call: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const key = keyOf(plan, node);
  let pass: Pass = {
    line: await lineFor(ctx, plan, node, key),
    token: await callToken(ctx.settings, node, ctx.now()),
    sealedConnection: '',
  };
  for (;;) {
    const { line, token, sealedConnection } = pass;
    const { relay, keptBytes } = line;
    const attempt = watched(ctx, plan, { node, line });
    const options = { ...optionsOf(ctx, plan, token, key), signal: attempt.signal };
    try {
      const result = await call({ node, relay, keptBytes, sealedConnection, options });
      heard(ctx, plan, node, line);
      plan.watch?.answered(node);
      return result;
    } catch (thrown) {
      const failure = failureBy(node, thrown, plan.watch);
      if (isAnswer(failure)) heard(ctx, plan, node, line);
      else line.heardAt = Number.NEGATIVE_INFINITY;
      noteBackend(plan.timing, failure.metadata);
      const better = await remedy(ctx, plan, node, pass, failure);
      if (!better) throw toldFailure(plan, node, failure);
      pass = better;
    } finally {
      attempt.end();
    }
  }
}

function heard(ctx: PublicContext, { watch }: RoutePlan, node: Node, line: RelayRoute): void {
  line.heardAt = ctx.now();
  watch?.heard(node);
}

/** The failure for the client, once the watch has heard of it. */
function toldFailure(plan: RoutePlan, node: Node, failure: ConnectError): GatewayError {
  const told = failureOf(failure, { writes: plan.writes, signal: plan.deadline.signal });
  tell(plan, node, failure, told);
  return told;
}

/** What a failure shows of the node; one of a call that nobody waits for shows nothing. */
function tell(
  { watch, deadline }: RoutePlan,
  node: Node,
  failure: ConnectError,
  told: GatewayError,
): void {
  if (!watch || deadline.signal.aborted) return;
  if (!isAnswer(failure)) watch.silent(node);
  else if (MOVES_ON.includes(told.code) && told.code !== 'POOL_EXHAUSTED') watch.failed(node);
  else watch.answered(node);
}

/** What a node is shown, and by which way. */
interface Pass {
  readonly line: RelayRoute;
  readonly token: string;
  readonly sealedConnection: string;
  /** The token that the node refused before. */
  readonly refused?: string;
  /** Whether the token is of the gateway's key before the current one. */
  readonly isPrevious?: boolean;
}

/** What to show a node that turned the call away unrun; each remedy is tried once. */
async function remedy(
  ctx: PublicContext,
  plan: RoutePlan,
  node: Node,
  pass: Pass,
  failure: ConnectError,
): Promise<Pass | undefined> {
  if (pass.line.isOfPart && isServedElsewhere(failure)) {
    const key = keyOf(plan, node);
    noteMoved(ctx, key);
    return { ...pass, line: await lineFor(ctx, plan, node, key) };
  }
  if (failure.code === Code.Unauthenticated && !pass.isPrevious) {
    deleteCallToken(ctx.settings, node, pass.token);
    // The relay was started since the token was issued; if not, it may know the key before alone.
    const isPrevious = pass.refused !== undefined;
    const token = isPrevious
      ? await previousCallToken(ctx.settings, node, ctx.now())
      : await callToken(ctx.settings, node, ctx.now());
    return token === undefined ? undefined : { ...pass, token, isPrevious, refused: pass.token };
  }
  if (asksForConnection(failure) && pass.sealedConnection === '') {
    return { ...pass, sealedConnection: await sealConnection(node, await plan.connection()) };
  }
  return undefined;
}

/**
 * The way that a call takes, after a check that a relay is there where that is in doubt. A part
 * that is gone may not be the one that serves the key: the node's port knows.
 * @throws GatewayError NODE_UNAVAILABLE when the node is gone
 */
async function lineFor(
  ctx: PublicContext,
  plan: RoutePlan,
  node: Node,
  key: string,
): Promise<RelayRoute> {
  const line = routeTo(ctx, node, key);
  let failure: ConnectError | undefined;
  for (const each of line.isOfPart ? [line, routeToPort(ctx, node)] : [line]) {
    if (!isInDoubt(ctx, plan, each)) return each;
    failure = await greet(ctx, plan, { node, line: each, key });
    if (failure === undefined) return each;
    if (isServedElsewhere(failure)) noteMoved(ctx, key);
  }
  throw failureOf(failure, { writes: false, signal: plan.deadline.signal });
}

/** Of a write where nothing was heard for a while; of any call where a part may have died. */
function isInDoubt(ctx: PublicContext, { writes }: RoutePlan, line: RelayRoute): boolean {
  if (line.isOfPart && line.heardAt === Number.NEGATIVE_INFINITY) return true;
  return writes && ctx.now() - line.heardAt > HEARD_FOR_MS;
}

/**
 * Asks whether a relay is there that serves the key; answers why not. The runtime cannot tell a refused connection from a lost one;
 * without this the first write to a dead node would have to say that its outcome is unknown.
 */
async function greet(
  ctx: PublicContext,
  plan: RoutePlan,
  { node, line, key }: { readonly node: Node; readonly line: RelayRoute; readonly key: string },
): Promise<ConnectError | undefined> {
  const token = await callToken(ctx.settings, node, ctx.now());
  try {
    await line.relay.status({}, optionsOf(ctx, plan, token, key));
  } catch (thrown) {
    const failure = ConnectError.from(thrown);
    if (!isAnswer(failure) || isServedElsewhere(failure)) return failure;
  }
  line.heardAt = ctx.now();
  return undefined;
}

function optionsOf(
  ctx: PublicContext,
  { deadline, subject, headers }: NodePlan,
  token: string,
  key: string,
): RelayCallOptions {
  return {
    headers: {
      Authorization: `Bearer ${token}`,
      'X-Request-Id': ctx.requestId,
      ...(key === '' ? {} : { [PART_HEADER]: key }),
      ...(subject?.name === undefined ? {} : { [ENDPOINT_HEADER]: subject.name }),
      ...headers,
    },
    timeoutMs: deadline.remaining(),
    signal: deadline.signal,
  };
}

/** What a node knows a call by: a shared one by the organization, an organization's own by the endpoint. */
function keyOf({ subject }: RoutePlan, node: Node): string {
  if (subject === undefined) return '';
  return node.default ? subject.organization : subject.endpoint;
}
