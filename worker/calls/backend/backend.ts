/** A backend as calls in one mode reach it, through a relay or from the edge. Contract §6, "Edge or relay". */

import type { Kind } from '../../../kinds/index.ts';
import type { RequestBase } from '../../../kinds/kind.ts';
import type {
  Caps,
  ConnectionEnvelope,
  InspectedTables,
  InspectPage,
  Mode,
  Profile,
  ReplyForm,
  RowForm,
  SessionSettings,
  Warning,
} from '../../../proto/driver.ts';
import type { OnceMark } from '../../../proto/once.ts';
import type { Deadline } from '../../drivers/deadline.ts';
import type { Opened } from '../../drivers/pieces.ts';
import type { Bytes, Timing } from '../../outcome.ts';
import type { Subscription } from '../events.ts';

/** How results are to be written. */
export interface Form {
  readonly numbersAsStrings: boolean;
  readonly canonical: boolean;
  /** Redis's replies as they came: for the facade that speaks Upstash's protocol. */
  readonly replyForm?: ReplyForm;
}

/** One request as it is sent. */
export interface RequestMessage extends Form {
  readonly request: RequestBase;
  /** As its caller wrote it, where that means something. */
  readonly written: Uint8Array | undefined;
}

/** Requests that take effect together, as they are sent. */
export interface TransactionMessage extends Form {
  readonly requests: readonly RequestBase[];
  /** As for one, with the members next to them. */
  readonly written: Uint8Array | undefined;
}

/** What is to have one effect, however often it is sent. Spec: transactions.md §7. */
export type OnceMessage = (RequestMessage | TransactionMessage) & { readonly mark: OnceMark };

/** What it came to, now or the first time. */
export interface OnceResult {
  readonly result: Result;
  /** Whether the backend had its mark: then nothing was run. */
  readonly isReplay: boolean;
}

/** A result's JSON; of a large one a stream. */
export type Result = Bytes;

/** One backend, as calls in one mode reach it. */
export interface Target {
  readonly kind: Kind;
  /** UUID. */
  readonly organization: string;
  readonly endpoint: string;
  /** The endpoint's id, for logs. */
  readonly name: string;
  /** The pool's, not the row's: what closes connections raises it. */
  readonly revision: number;
  /** Names the pool, or the session at the edge. */
  readonly poolKey: string;
  readonly mode: Mode;
  readonly profile: Profile;
  readonly caps: Caps;
  /** `config.numbers` is `string`: so is every 64-bit column of results, whatever a call asks for. */
  readonly numbersAsStrings: boolean;
  /**
   * What the backend is told of who calls, where the endpoint's configuration asks for it.
   * @throws GatewayError FORBIDDEN where no role is the caller's
   */
  session(): SessionSettings | undefined;
  /** Opens the configuration: expensive, and needed only where the pool is not open yet. */
  connection(): Promise<ConnectionEnvelope>;
}

/** What calls do to a backend. Each may end in what its operation declares. */
export interface Backend {
  readonly target: Target;
  /** Whether the gateway itself has to end calls at the deadline: `startDeadline`. */
  readonly keepsTime: boolean;
  /** What was measured of its calls. */
  readonly timing: Timing;
  run(message: RequestMessage, deadline: Deadline): Promise<Result>;
  /** Rows, once the backend has accepted. */
  stream(message: RequestMessage, form: RowForm, deadline: Deadline): Promise<Opened>;
  transact(message: TransactionMessage, deadline: Deadline): Promise<Result>;
  /** Of endpoints with `config.once`. */
  once(message: OnceMessage, deadline: Deadline): Promise<OnceResult>;
  /** Events, once the backend has accepted; they end with the deadline's signal. @param resumeAfter an event's id, or nothing */
  watch(message: RequestMessage, resumeAfter: string, deadline: Deadline): Promise<Subscription>;
  /** A page of tables. */
  inspect(page: InspectPage, deadline: Deadline): Promise<InspectedTables>;
  /** Milliseconds of one round trip, and what the operator should know. */
  ping(deadline: Deadline): Promise<Pinged>;
  /** A connection of the caller's own. */
  lease(deadline: Deadline): Promise<Leased>;
  /** Ends a lease; answers whether it existed. */
  endLease(leaseId: string, deadline: Deadline): Promise<boolean>;
}

/** What a round trip showed. */
export interface Pinged {
  readonly ms: number;
  readonly warnings: readonly Warning[];
}

/** A connection that a caller holds. */
export interface Leased {
  /** Of the node that has it. */
  readonly node: string;
  /** The node's own name for it. */
  readonly leaseId: string;
  /** Unix epoch milliseconds. */
  readonly expiresAt: number;
}

/** Which connection a call runs on, where it is not any. */
export interface HeldLease {
  readonly leaseId: string;
  readonly node: string;
}
