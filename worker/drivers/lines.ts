/** Ways to relays as this isolate knows them. */
import { type Client, createClient } from '@connectrpc/connect';
import { RelayService } from '../../proto/gen/relay/v1/relay_pb.ts';
import { partOf } from '../../proto/parts.ts';
import type { Bindings, PublicContext } from '../context.ts';
import type { Node } from './node.ts';
import { relayTransport, type Send } from './transport.ts';

/** A way to a node, or to one part of it. */
export interface Line {
  readonly url: string;
  readonly relay: Client<typeof RelayService>;
  /** Unix epoch milliseconds of its last answer. */
  heardAt: number;
}

/** What an isolate is bound to. */
interface Known {
  /** Ways to the parts of the default node, where it has such. */
  readonly parts: readonly Line[];
  /** By the node's uuid. */
  readonly nodes: Map<string, Line>;
}

const known = new WeakMap<Bindings, Known>();

/**
 * The way that calls of a key take. Of the default node it is the way to their part, where there
 * are such; elsewhere the node passes them on. @param key empty for calls about no endpoint
 */
export function lineTo(ctx: PublicContext, node: Node, key: string): Line {
  const { parts, nodes } = linesOf(ctx.env);
  if (node.default && key !== '') {
    const part = parts[partOf(key, parts.length)];
    if (part !== undefined) return part;
  }
  const line = nodes.get(node.uuid);
  if (line && line.url === node.url) return line;
  const made = newLine(node.url, sendTo(ctx, node));
  nodes.set(node.uuid, made);
  return made;
}

function linesOf(env: Bindings): Known {
  const there = known.get(env);
  if (there) return there;
  const made = { parts: [...partsOf(env)], nodes: new Map<string, Line>() };
  known.set(env, made);
  return made;
}

/** What the runtime does with the host of a binding's URL is nothing. */
const PART_URL = 'http://relay';

function* partsOf(env: Bindings): Iterable<Line> {
  const bound = new Map<string, unknown>(Object.entries(env));
  for (let index = 0; ; index += 1) {
    const part = bound.get(`RELAY_PART_${index}`);
    if (!isFetcher(part)) return;
    yield newLine(PART_URL, (url, init) => part.fetch(url, init));
  }
}

function isFetcher(bound: unknown): bound is Fetcher {
  return typeof bound === 'object' && bound !== null && 'fetch' in bound;
}

function newLine(url: string, send: Send): Line {
  const relay = createClient(RelayService, relayTransport(url, send));
  return { url, relay, heardAt: Number.NEGATIVE_INFINITY };
}

/** The default node's binding saves the way through the runtime's general outbound service. */
function sendTo({ env, outside }: PublicContext, node: Node): Send {
  const { RELAY } = env;
  if (node.default && RELAY) return (url, init) => RELAY.fetch(url, init);
  return (url, init) => outside.fetch(new Request(url, init));
}
