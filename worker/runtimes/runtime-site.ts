/** What one of several runtimes is told of itself: the program that starts them knows it, too. */

/** What a runtime that serves has beside settings. */
export interface RuntimeSite {
  /** How the log and the metrics name it: `1`, `2`, … */
  readonly name: string;
  /** The others that count requests: each is bound as `RUNTIME_` and its name. */
  readonly others: readonly string[];
  /** Bindings that the owner has in its place. */
  readonly objects: readonly string[];
  readonly limits: readonly string[];
}

/** A file of the binding OWN: it is there once keys have changed since the gateway started. */
export const CHANGED_KEYS = 'keys-changed';
