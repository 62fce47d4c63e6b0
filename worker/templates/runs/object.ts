/** The face of an asynchronous run's object, for who calls it: its class knows the whole worker. */

/** Whose run it is, and what seals what is kept of it. */
export interface Owner {
  readonly orgUuid: string;
  readonly runUuid: string;
  readonly sealedDataKey: string;
}

/** One per run. */
export interface TemplateRunObject extends Rpc.DurableObjectBranded {
  /**
   * Takes the order; it is carried out at once, by itself.
   * @param order an `Order` as JSON: numbers that a double cannot hold stand in its text alone
   */
  start(owner: Owner, order: string): Promise<void>;
  /** JSON text of what it answered, or of the error's body; undefined while there is none. */
  outcome(): Promise<Uint8Array | undefined>;
}
