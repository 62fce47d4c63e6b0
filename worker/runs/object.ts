/** The interface of an asynchronous run's object; its class uses the whole worker. */

/** Whose run it is, and what seals what is kept of it. */
export interface Owner {
  readonly orgUuid: string;
  readonly runUuid: string;
  readonly sealedDataKey: string;
  /** The caller it is kept for, and bytes of the organization's storage; absent of one that an earlier version of the gateway started. */
  readonly kept?: { readonly caller: string; readonly quota: number };
}

/** What a run answered. */
export interface RunResult {
  /** As which member of the run's record it is told; absent of one that an earlier version of the gateway ended. */
  readonly member?: 'output' | 'error' | undefined;
  /** JSON text. */
  readonly text: Uint8Array;
}

/** One per run. */
export interface TemplateRunObject extends Rpc.DurableObjectBranded {
  /**
   * Takes the order; it is carried out at once, by itself.
   * @param order an `Order` as JSON: numbers that a double cannot hold are in its text alone
   * @returns false where the organization's storage has no room for it: then it is not taken
   */
  start(owner: Owner, order: string): Promise<boolean>;
  /** What it answered, or the error; undefined while there is none. */
  outcome(): Promise<RunResult | undefined>;
}
