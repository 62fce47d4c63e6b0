/**
 * Which nodes this isolate can reach. A node that does not answer is asked twice; then it is gone, and
 * that is written where all isolates read it. One that is gone is asked again while calls would take it. Spec: nodes.md §3.
 */
import { LruMap } from '../../proto/lru-map.ts';
import { forgetOrganization } from '../access/policy.ts';
import type { Bindings, PublicContext } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import type { Node } from '../drivers/node.ts';
import type { Watch } from '../drivers/watch.ts';
import { log } from '../log.ts';
import { Breaker } from './breaker.ts';
import { ANSWER_TIMEOUT_MS, ASKED_LATE_MAX, answers, LATE_MS } from './health.ts';
import { markReachable, markUnreachable } from './store.ts';

/** Nodes, and pairs of node and endpoint, that an isolate remembers. */
const KNOWN_MAX = 10_000;
/** Times that a node in doubt is asked: less than 3 s after the call it is gone. Spec: nodes.md §3 */
const ASKED_TIMES = 2;
/** How long the second time, in milliseconds: on a busy machine a question takes its time on both sides. */
const SECOND_ANSWER_MS = 1_100;
/** Milliseconds in which a busy isolate hears what has come already. */
const HEARD_LATE_MS = 50;
/** How long an isolate that is late asks, in milliseconds. Less than `ASKING_MAX_MS`, as often as it does. */
const LATE_ANSWER_MS = 2 * ANSWER_TIMEOUT_MS;
/** A question that has not ended after so many milliseconds was lost with the request that asked. */
const ASKING_MAX_MS = 5_000;
/** A node that is there answers sooner, in milliseconds. */
const OWES_MS = 200;
/** One that answered is not asked again for so many milliseconds. */
const SURE_MS = 500;
/** Milliseconds until one that is gone is asked again; doubled each time, up to the longest. */
const AGAIN_MS = 500;
const AGAIN_MAX_MS = 2_000;

/** How often a call looks whether a node that is asked has answered, in milliseconds; and how many times. */
const [LOOK_MS, LOOKS_MAX] = [20, 40];

/** What is known of a node; times in Unix epoch milliseconds, 0 for never. */
interface Reach {
  /** When it answered a question, or a call. */
  heardAt: number;
  goneAt: number;
  backAt: number;
  askedAt: number;
  askAgainAt: number;
  againMs: number;
}

interface Known {
  readonly nodes: LruMap<string, Reach>;
  readonly breakers: LruMap<string, Breaker>;
}

const known = new WeakMap<Bindings, Known>();

function knownOf({ env }: Pick<PublicContext, 'env'>): Known {
  const there = known.get(env);
  if (there) return there;
  const made: Known = { nodes: new LruMap(KNOWN_MAX), breakers: new LruMap(KNOWN_MAX) };
  known.set(env, made);
  return made;
}

function reachOf(ctx: PublicContext, uuid: string): Reach {
  const { nodes } = knownOf(ctx);
  const there = nodes.get(uuid);
  if (there) return there;
  const made = { heardAt: 0, goneAt: 0, backAt: 0, askedAt: 0, askAgainAt: 0, againMs: AGAIN_MS };
  nodes.set(uuid, made);
  return made;
}

/** Whether calls reach the node, by what this isolate saw and by what others wrote. */
export function isReachable(
  ctx: PublicContext,
  node: Pick<NodeRow, 'uuid' | 'unreachableAt'>,
): boolean {
  const { goneAt, backAt } = reachOf(ctx, node.uuid);
  return Math.max(goneAt, node.unreachableAt ?? 0) <= backAt;
}

/** When the node last answered a call or a question of this isolate, in Unix epoch milliseconds; 0 where it never did. */
export function lastAnswer(ctx: PublicContext, { uuid }: Pick<NodeRow, 'uuid'>): number {
  return reachOf(ctx, uuid).heardAt;
}

/**
 * Whether calls of the endpoint had better go over another node: it owes an answer, or calls of the
 * endpoint fail there. Now and then a call that would try it first is let through.
 */
export function isAvoided(
  ctx: PublicContext,
  { uuid }: Node,
  endpoint: string,
  isFirst: boolean,
): boolean {
  const owesMs = ctx.now() - reachOf(ctx, uuid).askedAt;
  if (owesMs > OWES_MS && owesMs < ASKING_MAX_MS) return true;
  return knownOf(ctx).breakers.get(`${uuid}:${endpoint}`)?.state(ctx.now(), isFirst) === 'open';
}

/** What calls of the endpoint tell. */
export function watchOf(ctx: PublicContext, endpoint: string): Watch {
  const { breakers } = knownOf(ctx);
  const breakerOf = ({ uuid }: Node): Breaker => {
    const name = `${uuid}:${endpoint}`;
    const breaker = breakers.get(name) ?? new Breaker();
    breakers.set(name, breaker);
    return breaker;
  };
  return {
    heard({ uuid }) {
      reachOf(ctx, uuid).heardAt = ctx.now();
    },
    answered: ({ uuid }) => breakers.get(`${uuid}:${endpoint}`)?.succeeded(),
    failed: (node) => breakerOf(node).failed(ctx.now()),
    silent(node) {
      breakerOf(node).failed(ctx.now());
      // What it said a moment ago does not count any more.
      reachOf(ctx, node.uuid).heardAt = 0;
      doubt(ctx, node);
    },
    doubted: (node) => doubt(ctx, node),
    isGone({ uuid }) {
      const { goneAt, backAt } = reachOf(ctx, uuid);
      return goneAt > backAt;
    },
  };
}

/** Asks a node that is gone whether it is back, when it is time; the answer is not waited for. */
export function askAgain(ctx: PublicContext, node: Node): void {
  const waits = reachOf(ctx, node.uuid).askAgainAt - ctx.now();
  // A clock that was put back keeps no node away.
  if (waits <= 0 || waits > AGAIN_MAX_MS) doubt(ctx, node, true);
}

/** Waits while nodes that seem gone are asked; answers whether one of them is there. */
export async function comesBack(ctx: PublicContext, nodes: readonly Node[]): Promise<boolean> {
  const began = ctx.now();
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const reaches = nodes.map(({ uuid }) => reachOf(ctx, uuid));
    if (reaches.some(({ heardAt }) => heardAt >= began)) return true;
    if (reaches.every(({ askedAt }) => askedAt === 0)) return false;
    await scheduler.wait(LOOK_MS);
  }
  return false;
}

/**
 * Finds out whether a node answers, unless that is being found out; the answer is not waited for.
 * @param isMarked whether it may be written that it does not
 */
export function doubt(ctx: PublicContext, node: Node, isMarked = false): void {
  const reach = reachOf(ctx, node.uuid);
  const now = ctx.now();
  if (now - reach.askedAt < ASKING_MAX_MS || now - reach.heardAt < SURE_MS) return;
  reach.askedAt = now;
  ctx.afterReply(
    settle(ctx, node, { reach, isMarked }).finally(() => {
      reach.askedAt = 0;
    }),
  );
}

interface InDoubt {
  readonly reach: Reach;
  readonly isMarked: boolean;
}

async function settle(ctx: PublicContext, node: Node, { reach, isMarked }: InDoubt): Promise<void> {
  const wasGone = reach.goneAt > reach.backAt;
  const began = ctx.now();
  if (await isThere(ctx, node, reach, wasGone ? 1 : ASKED_TIMES)) {
    return noteBack(ctx, node, { reach, isMarked }, began);
  }
  reach.againMs = wasGone ? Math.min(reach.againMs * 2, AGAIN_MAX_MS) : AGAIN_MS;
  reach.askAgainAt = ctx.now() + reach.againMs;
  reach.goneAt = Math.max(ctx.now(), reach.backAt + 1);
  if (!wasGone) log('warn', 'a node does not answer', { node: node.uuid });
  await write(node, (own) => markUnreachable(ctx.db, own, reach.goneAt));
}

/** Whether the node answers one of so many questions that the isolate heard in time, or calls meanwhile. */
async function isThere(
  ctx: PublicContext,
  node: Node,
  reach: Reach,
  times: number,
): Promise<boolean> {
  const asked = ctx.now();
  let timeoutMs = ANSWER_TIMEOUT_MS;
  for (let unanswered = 0, all = 0; unanswered < times && all < ASKED_LATE_MAX; all += 1) {
    const began = ctx.now();
    if (await answers(ctx, node, timeoutMs)) return true;
    // What came while a busy isolate did other things is heard now.
    await scheduler.wait(HEARD_LATE_MS);
    if (reach.heardAt > asked) return true;
    if (ctx.now() - began > timeoutMs + HEARD_LATE_MS + LATE_MS) timeoutMs = LATE_ANSWER_MS;
    else {
      unanswered += 1;
      timeoutMs = Math.max(timeoutMs, SECOND_ANSWER_MS);
    }
  }
  return false;
}

async function noteBack(
  ctx: PublicContext,
  node: Node,
  { reach, isMarked }: InDoubt,
  asked: number,
): Promise<void> {
  const wasGone = reach.goneAt > reach.backAt;
  if (wasGone) log('info', 'a node answers again', { node: node.uuid });
  reach.heardAt = ctx.now();
  reach.backAt = Math.max(ctx.now(), reach.goneAt);
  reach.againMs = AGAIN_MS;
  const seen = { before: asked, now: reach.heardAt };
  if (wasGone || isMarked) await write(node, (own) => markReachable(ctx.db, own, seen));
}

/** The default node is every organization's: what is known of it stays in the isolate. */
async function write(
  { organization, uuid }: Node,
  statement: (own: { orgUuid: string; uuid: string }) => PromiseLike<readonly unknown[]>,
): Promise<void> {
  if (organization === undefined) return;
  const changed = await statement({ orgUuid: organization, uuid });
  if (changed.length > 0) forgetOrganization(organization);
}
