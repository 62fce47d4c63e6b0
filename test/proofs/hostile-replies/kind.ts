/**
 * What the proof `hostile-replies` has to know of a kind of backend. A file `kinds/NAME.ts` that
 * exports `kind` is all that another kind takes: its server is recorded when the proof begins.
 */
import type { Json } from '../../../proto/json.ts';

/** How a protocol's bytes are taken apart. What is left out is not known, and not needed. */
export interface Framing {
  /** Whole messages of a server's reply, in order; together they are the reply. Default: the pieces in which it came. */
  messages?(reply: Buffer): Buffer[];
  /** Where in a message its length is, in bytes, and how it is written. */
  readonly length?: {
    readonly at: number;
    readonly size: 1 | 2 | 3 | 4;
    readonly order: 'BE' | 'LE';
  };
  /**
   * How many bytes of what a client has sent end its first whole turn, after which it waits for a
   * reply; 0 while there is none. Default: all, because a turn is most often written at once.
   * @param first nothing was sent before on this connection
   */
  turnEnd?(sent: Buffer, first: boolean): number;
  /** What names a turn: two that ask the same have the same. Default: its bytes. Leave out what is random. */
  keyOf?(turn: Buffer): string;
  /**
   * Adapts a recorded reply to what was asked now, such as a stream's number; before it is mutated.
   * @param recorded what was sent when it was recorded
   */
  adapt?(reply: Buffer[], asked: Buffer, recorded: Buffer): Buffer[];
  /** A turn that nothing was recorded for: undefined for the next one in order, `close` to hang up. */
  otherwise?(asked: Buffer): Buffer | 'close' | undefined;
}

/** A call that is recorded once, and then made against each hostile server. */
export interface KindCall {
  readonly name: string;
  /** `watch`: until a few events have come. */
  readonly method: 'run' | 'stream' | 'watch';
  readonly mode: 'read' | 'write';
  readonly request: Json;
  /** Default: 1 MiB, so that what is larger is soon too large. */
  readonly resultMaxBytes?: number;
  /** The code that it fails with at the real server. */
  readonly fails?: string;
  /** An answer without what is not the same each time. */
  plain?(text: string): string;
}

/** A real server, for recording and for the neighbour. */
export interface RealServer {
  readonly host: string;
  readonly port: number;
  /** The `connection` of an endpoint whose server listens there, without TLS. */
  connection(host: string, port: number): Json;
  /** Other members of the endpoint's configuration. */
  readonly settings?: { readonly [member: string]: Json };
  stop(): Promise<void>;
}

/** One turn of a conversation. */
export interface Turn {
  /** What the client sent; empty where the server speaks first. */
  readonly sent: Buffer;
  /** What the server answered, message by message. */
  readonly reply: readonly Buffer[];
  /** `login`: only the first call of a pool asks it. */
  stage: 'login' | 'query' | 'stream';
}

/** A kind of backend. */
export interface HostileKind {
  /** Of the endpoint: `postgres`. */
  readonly kind: string;
  readonly framing: Framing;
  readonly calls: readonly [KindCall, ...KindCall[]];
  /** Hostile servers at a time; 40 when left out: fewer where making a connection takes long. */
  readonly atOnce?: number;
  /** A server with all that the calls need. Within a test run. */
  start(): Promise<RealServer>;
  /** Changes what was recorded so that it can be played: a login whose replies depend on what a client has drawn. */
  edit?(connections: Turn[][]): Turn[][];
  /** What is wrong with an answer whatever the server said; undefined when nothing is. `run`: one value, `stream`: one a line. */
  faultOf?(call: KindCall, values: readonly unknown[]): string | undefined;
}
