/** Messages of `watched-relay.ts` to the process that started it. */

/** One thing told. */
export type Told =
  | { readonly port: number; readonly nodeId: string }
  /** Bytes; and the longest time that the loop was held up by work of this process, in milliseconds. */
  | { readonly rss: number; readonly blockedMs: number }
  /** What ends it. */
  | { readonly fatal: string };
