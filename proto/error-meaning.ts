/** What a caller may be told of an error's code. */

/**
 * Whether the same request, sent again, can do better. `never`: not before something is changed;
 * `later`: after `Retry-After`, or a moment; `once known`: only when it is known whether the first
 * one took effect, or with its `Idempotency-Key`.
 */
export type Retry = 'never' | 'later' | 'once known';

/**
 * Whether the refused request changed anything. `told`: where an entry of `details` has
 * `applied: true` it did, elsewhere not; `earlier`: an earlier request with the same key did.
 */
export type Effect = 'none' | 'possible' | 'told' | 'earlier';

/** What a caller is told of a code. */
export interface ErrorMeaning {
  /** One sentence: what was found. */
  readonly means: string;
  /** One sentence: what the caller does about it. */
  readonly remedy: string;
  /** `never` when left out. */
  readonly retry?: Retry;
  /** `none` when left out. */
  readonly effect?: Effect;
}
