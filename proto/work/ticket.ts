/** What a line of work knows of those who wait in it, and by which clock. */

/** The clock, in milliseconds, and how to wait. */
export interface Time {
  now(): number;
  wait(ms: number): Promise<unknown>;
  /** Milliseconds between two looks of those that wait, where nobody else can wake them. */
  readonly lookMs?: number;
}

/** One owner's work, from its announcement to its end. */
export interface Ticket {
  readonly owner: string;
  readonly isLarge: boolean;
  lookedAt: number;
  /** Of what comes in, as far as that is known. */
  bytes: number;
  /** It was given back: what is still done for the request has another. */
  isLeft: boolean;
}

/** What is known of work before it is done. */
export interface Announced {
  /** Where `enter` was asked. */
  readonly place?: Ticket | undefined;
  /** It will hold the thread for long. */
  readonly isLarge?: boolean;
  /** It may no more be refused or dropped: that would hide what was done already. */
  readonly isBegun?: boolean;
  /** Aborts when the client has gone: then the work is dropped. */
  readonly signal?: AbortSignal | undefined;
  /** Whether nothing else is asked of the thread: then work that is alone in the line gives way without a rest. */
  readonly isAlone?: (() => boolean) | undefined;
}
