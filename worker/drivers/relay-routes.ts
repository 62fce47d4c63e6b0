/** Ways to relays as this isolate knows them. */
import { type CallOptions, type Client, createClient } from '@connectrpc/connect';
import { RelayService } from '../../proto/gen/relay/v1/relay_pb.ts';
import { LruMap } from '../../proto/lru-map.ts';
import { partOf } from '../../proto/parts.ts';
import type { Bindings, PublicContext } from '../context.ts';
import { takenIn } from '../limits/heavy-work.ts';
import type { Settings } from '../settings.ts';
import type { Node } from './node.ts';
import {
  bytesOfKept,
  type Foreign,
  type KeptBytes,
  relayTransport,
  type Send,
} from './transport.ts';
import { demandReply } from './tunnel-reply.ts';

/** Keys remembered at a time that their part does not serve; the one learned first is forgotten first. */
const MOVED_MAX = 10_000;
/** Nodes whose ways are remembered. */
const NODES_MAX = 10_000;
/** Milliseconds for which that is remembered: a relay gives a key a part of its own for an hour. */
const MOVED_FOR_MS = 3_600_000;

/** Bytes of a unary reply besides results of `RESULT_MAX_BYTES`. Spec silent. */
const REPLY_ROOM_BYTES = 4 * 1024 * 1024;
/** Likewise of a message of a stream: one event of a backend may be as large. Spec silent. */
const EVENT_ROOM_BYTES = 32 * 1024 * 1024;

/** Undefined where the relay is of an earlier version. */
type CollectBytes = (collectId: string, options: CallOptions) => Promise<KeptBytes | undefined>;

/** A way to a node, or to one part of it. */
export interface RelayRoute {
  readonly url: string;
  /** Whether it ends at one part, and with it. */
  readonly isOfPart: boolean;
  readonly relay: Client<typeof RelayService>;
  /** Kept results as bytes alone; undefined of an organization's own node, whose replies are taken in piece by piece. */
  readonly keptBytes: CollectBytes | undefined;
  /** Unix epoch milliseconds of its last answer. */
  heardAt: number;
}

/** What an isolate is bound to. */
interface Known {
  /** Ways to the parts of the default node, where it has parts. */
  readonly parts: readonly RelayRoute[];
  /** Until when keys are served by another part than theirs, in Unix epoch milliseconds. */
  readonly moved: Map<string, number>;
  /** By the node's uuid. */
  readonly nodes: LruMap<string, RelayRoute>;
}

const known = new WeakMap<Bindings, Known>();

/**
 * The way that calls of a key take. Of the default node it is the way to their part, where there
 * are such and it serves them; elsewhere the node passes them on. @param key empty for calls about no endpoint
 */
export function routeTo(ctx: PublicContext, node: Node, key: string): RelayRoute {
  const { parts, moved } = linesOf(ctx.env);
  if (node.default && key !== '' && (moved.get(key) ?? 0) <= ctx.now()) {
    const part = parts[partOf(key, parts.length)];
    if (part !== undefined) return part;
  }
  return routeToPort(ctx, node);
}

/** Remembers that another part serves a key than the one that is computed. */
export function noteMoved(ctx: PublicContext, key: string): void {
  const { moved } = linesOf(ctx.env);
  moved.delete(key);
  for (const [earliest] of moved) {
    if (moved.size < MOVED_MAX) break;
    moved.delete(earliest);
  }
  moved.set(key, ctx.now() + MOVED_FOR_MS);
}

/** The way to the node's own port, behind which each call finds its part. */
export function routeToPort(ctx: PublicContext, node: Node): RelayRoute {
  const { nodes } = linesOf(ctx.env);
  const line = nodes.get(node.uuid);
  if (line && line.url === node.url) return line;
  // An organization's own node may answer with anything, into memory that all organizations share.
  const foreign = node.default ? undefined : foreignOf(node, ctx.settings);
  const made = newLine(node.url, sendTo(ctx, node), { isOfPart: false, foreign });
  nodes.set(node.uuid, made);
  return made;
}

function linesOf(env: Bindings): Known {
  const there = known.get(env);
  if (there) return there;
  const made = {
    parts: [...partsOf(env)],
    moved: new Map<string, number>(),
    nodes: new LruMap<string, RelayRoute>(NODES_MAX),
  };
  known.set(env, made);
  return made;
}

/** What the runtime does with the host of a binding's URL is nothing. */
const PART_URL = 'http://relay';

function* partsOf(env: Bindings): Iterable<RelayRoute> {
  const bound = new Map<string, unknown>(Object.entries(env));
  for (let index = 0; ; index += 1) {
    const part = bound.get(`RELAY_PART_${index}`);
    if (!isFetcher(part)) return;
    yield newLine(PART_URL, (url, init) => part.fetch(url, init), { isOfPart: true });
  }
}

function isFetcher(bound: unknown): bound is Fetcher {
  return typeof bound === 'object' && bound !== null && 'fetch' in bound;
}

function foreignOf({ organization }: Node, { RESULT_MAX_BYTES }: Settings): Foreign {
  return {
    replyMaxBytes: RESULT_MAX_BYTES + REPLY_ROOM_BYTES,
    messageMaxBytes: RESULT_MAX_BYTES + EVENT_ROOM_BYTES,
    takeIn(body, keptWith, signal) {
      const of = { address: organization ?? '', ...(signal ? { signal } : {}) };
      return takenIn(of, body, keptWith);
    },
  };
}

function newLine(
  url: string,
  send: Send,
  { isOfPart, foreign }: { isOfPart: boolean; foreign?: Foreign | undefined },
): RelayRoute {
  const relay = createClient(RelayService, relayTransport(url, send, foreign));
  const keptBytes: CollectBytes | undefined =
    foreign === undefined ? (id, options) => bytesOfKept(url, send, id, options) : undefined;
  return { url, isOfPart, relay, keptBytes, heardAt: Number.NEGATIVE_INFINITY };
}

/**
 * How requests travel to a node. The default node's binding saves the way through the runtime's general outbound service. Another's
 * address is an organization's: on a self-hosted edge its network looks at what the name resolves to.
 */
export function sendTo({ env, outside }: PublicContext, node: Node): Send {
  const { RELAY, NODE_NETWORK, RELAY_NODES } = env;
  if (node.default && RELAY) return (url, init) => RELAY.fetch(url, init);
  if (node.tunnel === true) {
    const name = `${node.organization}:${node.uuid}`;
    return async (url, init) => demandReply(await RELAY_NODES.getByName(name).fetch(url, init));
  }
  if (!node.default && NODE_NETWORK) return (url, init) => NODE_NETWORK.fetch(url, init);
  return (url, init) => outside.fetch(new Request(url, init));
}
