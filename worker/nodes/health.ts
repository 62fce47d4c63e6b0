/** How a node is right now. */
import { GatewayError } from '../../proto/errors.ts';
import type { PublicContext } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import type { ConnectionStatus } from '../db/schema.ts';
import { type Deadline, startDeadline } from '../drivers/deadline.ts';
import { isTurnedAway } from '../drivers/failure.ts';
import type { Node } from '../drivers/node.ts';
import { callRelay } from '../drivers/relay.ts';
import { takesCalls } from '../drivers/relay-health.ts';
import { nodeOf } from './registered.ts';

/** Milliseconds that a node may take to say how it is. Spec silent. */
const CHECK_TIMEOUT_MS = 2_000;
/** The same of the process that is the node, when another wants to be. Spec: nodes.md §1 */
const PING_TIMEOUT_MS = 1_000;
/** The same of a node that calls wait for. Spec silent. */
export const ANSWER_TIMEOUT_MS = 700;
/** A question that took so many milliseconds more than it may says that the isolate is late, and nothing of the node. */
export const LATE_MS = 100;
/** Times that an isolate that is late asks: an answer comes in several steps, and each is late. */
export const ASKED_LATE_MAX = 3;

/** What a check saw. */
interface Health {
  readonly status: Extract<ConnectionStatus, 'available' | 'draining' | 'unavailable'>;
  /** When the node answered, in Unix epoch milliseconds; null when it did not. */
  readonly lastSeen: number | null;
}

/** Asks the node. One that does not answer, or not as itself, is unavailable. */
export async function checkHealth(ctx: PublicContext, node: Node): Promise<Health> {
  const answer = await ask(ctx, node, CHECK_TIMEOUT_MS);
  if (answer === undefined || answer === 'turned away')
    return { status: 'unavailable', lastSeen: null };
  return { status: answer.draining ? 'draining' : 'available', lastSeen: ctx.now() };
}

/** Whether a process of the node answers within 1 s, and does not stop. Spec: nodes.md §1 */
export async function answersAs(
  ctx: PublicContext,
  row: NodeRow,
  instance: string,
): Promise<boolean> {
  const node = nodeOf(row);
  if (node === undefined) return false;
  for (let asked = 0; asked < ASKED_LATE_MAX; asked += 1) {
    const began = ctx.now();
    const process = askProcess(ctx, node, PING_TIMEOUT_MS);
    const answer = await ask(ctx, node, PING_TIMEOUT_MS);
    if (answer === 'turned away') return false;
    if (answer?.instance === instance && !answer.draining) return true;
    if (answer === undefined && (await process) === instance) return true;
    if (answer !== undefined || ctx.now() - began <= PING_TIMEOUT_MS + LATE_MS) return false;
  }
  return false;
}

/** Whether it answers in so many milliseconds, 700 by default. A part that loads code or is busy answers later, and the process before it at once. */
export async function answers(
  ctx: PublicContext,
  node: Node,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<boolean> {
  const process = askProcess(ctx, node, timeoutMs);
  const answer = await ask(ctx, node, timeoutMs);
  // Whatever is before a part that turns calls away, it is not the node.
  if (answer === 'turned away') return false;
  return answer !== undefined || (await process) !== undefined;
}

/** The id of the process before the node's parts, where that takes calls and says so in time. */
async function askProcess(
  ctx: PublicContext,
  node: Node,
  timeoutMs: number,
): Promise<string | undefined> {
  const deadline = ownDeadline(ctx, timeoutMs);
  return takesCalls(ctx, node, deadline.signal).finally(() => deadline.end());
}

/** What the node says about itself; undefined when it does not answer in time. */
async function ask(ctx: PublicContext, node: Node, timeoutMs: number) {
  const deadline = ownDeadline(ctx, timeoutMs);
  const plan = { nodes: [node], writes: false, deadline, timing: {}, connection: noConnection };
  try {
    return await callRelay(ctx, plan, ({ relay, options }) => relay.status({}, options));
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return isTurnedAway(thrown) ? 'turned away' : undefined;
  } finally {
    deadline.end();
  }
}

/** A question may go on when the client of the call that asks has gone. */
function ownDeadline(ctx: PublicContext, timeoutMs: number): Deadline {
  return startDeadline({ ...ctx, signal: new AbortController().signal }, timeoutMs, true);
}

function noConnection(): never {
  throw new GatewayError('INTERNAL', 'A check of a node needs no connection');
}

/** Best first. */
const FROM_BEST: readonly ConnectionStatus[] = ['available', 'degraded', 'draining', 'unavailable'];

/**
 * The worst of what an administrator set and how the node is; `unknown` while it was never heard.
 * What an administrator leaves `unknown` is for the node to decide. Spec: nodes.md §2
 */
export function effective(set: ConnectionStatus, own: ConnectionStatus): ConnectionStatus {
  if (own === 'unknown') return 'unknown';
  return FROM_BEST[Math.max(FROM_BEST.indexOf(set), FROM_BEST.indexOf(own))] ?? own;
}
