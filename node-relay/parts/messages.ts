/** What a supervisor and its parts say to each other over the channel between their processes. */
import type { JWK } from 'jose';
import * as z from 'zod';

const Figures = z.object({
  pools: z.number(),
  connections: z.number(),
  sessions: z.number(),
  callsInFlight: z.number(),
});
/** How much a part has at the moment. */
export type Figures = z.infer<typeof Figures>;

/** Where calls are served: socket paths by index, and the sockets of keys that have a part of their own. */
export interface Places {
  readonly shared: readonly string[];
  readonly own: Readonly<Record<string, string>>;
}

/** What a process is to be once it is loaded. */
export interface Assignment {
  /** In logs: an index, or `own-` and a number. */
  readonly name: string;
  /** Path of the socket it listens on. */
  readonly socket: string;
}

/** What a node was told of its gateway. */
export interface HeardByNode {
  /** Milliseconds by which this machine's clock is ahead of the gateway's. */
  readonly clockOffsetMs: number;
  /** Public keys of call tokens; left out where the relay's own settings name them. */
  readonly gatewayKeys?: readonly JWK[];
}

/** To a part. */
export type ToPart =
  | { readonly type: 'assign'; readonly assignment: Assignment; readonly places: Places }
  | { readonly type: 'places'; readonly places: Places }
  | { readonly type: 'metrics'; readonly id: number }
  | { readonly type: 'figures'; readonly id: number; readonly figures: Figures }
  /** What a beat of the node was answered. */
  | ({ readonly type: 'heard' } & HeardByNode)
  | { readonly type: 'drain' };

const FromPart = z.discriminatedUnion('type', [
  /** It is loaded, and waits to be told what it is. `node` is the node's UUID. */
  z.object({ type: z.literal('loaded'), node: z.string() }),
  z.object({ type: z.literal('listening') }),
  /** Code of drivers is read and compiled: its loop does not turn meanwhile. */
  z.object({ type: z.literal('loading'), isLoading: z.boolean() }),
  /** Its loop turns. `cpuMs` is what its main thread has used since it began. */
  z.object({
    type: z.literal('beat'),
    figures: Figures,
    cpuMs: z.number(),
    residentBytes: z.number(),
  }),
  /** A key has calls in flight from now on. */
  z.object({ type: z.literal('busy'), key: z.string() }),
  /** These have had none for a moment. */
  z.object({ type: z.literal('idle'), keys: z.array(z.string()) }),
  z.object({ type: z.literal('metrics'), id: z.number(), metrics: z.array(z.looseObject({})) }),
  /** Asks what all parts have together. */
  z.object({ type: z.literal('figures'), id: z.number() }),
]);
/** From a part. */
export type FromPart = z.infer<typeof FromPart>;

/** What a part said; undefined for anything else. */
export function fromPart(message: unknown): FromPart | undefined {
  return FromPart.safeParse(message).data;
}

/** Figures of several parts together. */
export function together(all: readonly Figures[]): Figures {
  const sum = (of: keyof Figures): number => all.reduce((total, each) => total + each[of], 0);
  return {
    pools: sum('pools'),
    connections: sum('connections'),
    sessions: sum('sessions'),
    callsInFlight: sum('callsInFlight'),
  };
}
