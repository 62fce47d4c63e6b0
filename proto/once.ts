/** Writes that a backend keeps once: the mark of a write, and what a driver answers. Spec: transactions.md §7. */
import type { Call, ResultBytes } from './driver.ts';
import type { ShareStatus } from './prepares.ts';

/** Milliseconds for which a mark stands for its write. Spec: transactions.md §7, "For 7 days". */
export const ONCE_KEPT_MS = 7 * 24 * 3600 * 1000;
/** Largest reply that is kept with a mark, in bytes. Spec: transactions.md §7. */
export const ONCE_REPLY_MAX_BYTES = 64 * 1024;

/** What a write leaves in its backend, in the same transaction as its effect. */
export interface OnceMark {
  /** Whose write it is, of what, under which key: 64 hexadecimal digits that nobody else can compute. */
  readonly key: string;
  /** Stands for the body, in the same way. */
  readonly body: string;
  /** Table or collection that marks are kept in, or what their names begin with. */
  readonly place: string;
  /** Key that the reply is sealed under, 64 hexadecimal digits; the backend never sees it. */
  readonly secret: string;
  /** Whether `settleMark` may be asked after it: a mark that is not found by its key alone tells where it is. */
  readonly settled?: boolean;
}

/** Stands where a mark would be whose write is not to take effect any more: no digest is like it. */
export const FORESTALLED = '0'.repeat(64);

/** What is to have one effect: a request, or several together. */
export type OnceWork<Request> =
  | { readonly request: Request }
  | { readonly operations: readonly Request[] };

/** What it came to, now or when it first ran. */
export interface OnceAnswer {
  readonly result: ResultBytes;
  /** Whether an earlier run left the mark: then nothing was run. */
  readonly isReplay: boolean;
}

/** Keeps the marks of writes next to their effects. */
export interface KeepsOnce<Request = unknown> {
  /**
   * Does the work unless its mark is there; a failure leaves no mark. It may be called again whatever
   * became of it, also while it runs.
   * @throws GatewayError IDEMPOTENCY_KEY_REUSED, REPLY_NOT_KEPT, BAD_REQUEST, and what the work ends in; never OUTCOME_UNKNOWN
   */
  once(work: OnceWork<Request>, mark: OnceMark, call: Call): Promise<OnceAnswer>;
  /**
   * What became of a write or a share with this mark; one that has not come to its end never does after that.
   * May be repeated, and not after `ONCE_KEPT_MS`.
   * @param recovery as `Performed` said it of a share; empty of a write
   * @returns `open` while the backend cannot tell yet
   */
  settleMark(mark: OnceMark, recovery: string, call: Call): Promise<ShareStatus>;
}
